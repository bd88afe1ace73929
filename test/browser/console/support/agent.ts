import { importPKCS8 } from "jose";
import { allowInsecureRequests, clientCredentialsGrant, discovery, PrivateKeyJwt } from "openid-client";

/** What the program of an API client is given. */
export interface AgentCredentials {
  readonly clientId: string;
  /** PKCS#8, PEM. */
  readonly privateKey: string;
}

/** A token for an audience as a program gets one that knows the issuer alone, by the library that most use. Rejects with its error. */
export async function requestToken(
  issuer: string,
  { clientId, privateKey }: AgentCredentials,
  resource: string,
): Promise<string> {
  const authentication = PrivateKeyJwt(await importPKCS8(privateKey, "ES256"));
  const options = { execute: [allowInsecureRequests] };
  const configuration = await discovery(new URL(issuer), clientId, undefined, authentication, options);
  const { access_token } = await clientCredentialsGrant(configuration, { resource });
  return access_token;
}
