import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomNonce } from "oauth4webapi";
import type { SignInEndpoints } from "../config/endpoints.ts";
import type { Connector } from "./connectors.ts";
import type { ConnectorMetadata } from "./metadata.ts";

/** What a request wants of the sign-in, as it goes on to the connector (OpenID Connect Core 1.0 §3.1.2.1). */
export interface SignInWishes {
  /** Of `none`, `login`, `select_account`. */
  readonly prompt: readonly string[];
  /** Seconds. */
  readonly maxAge?: number;
  readonly acrValues: readonly string[];
  readonly loginHint?: string;
}

/** Binds the connector's answer to this sign-in. */
export interface SignInSecrets {
  readonly nonce: string;
  /** RFC 7636; absent with `disablePKCE`. */
  readonly codeVerifier?: string;
}

export function newSignInSecrets({ settings }: Connector): SignInSecrets {
  return { nonce: generateRandomNonce(), ...(!settings.disablePKCE && { codeVerifier: generateRandomCodeVerifier() }) };
}

/** Where a connector sends people back to. */
export function callbackURL({ settings }: Connector, { callback }: Pick<SignInEndpoints, "callback">): string {
  return settings.loginRedirectURL ?? callback;
}

export interface SignInRequest extends SignInSecrets {
  readonly redirectURL: string;
  readonly state: string;
  readonly wishes: SignInWishes;
}

/** The address at the connector that signs a person in. */
export async function signInURL(
  { settings }: Connector,
  { authorizationEndpoint }: ConnectorMetadata,
  { redirectURL, state, nonce, codeVerifier, wishes }: SignInRequest,
): Promise<string> {
  const url = new URL(authorizationEndpoint);
  const { prompt, maxAge, acrValues, loginHint } = wishes;
  const parameters = {
    response_type: "code",
    client_id: settings.clientID,
    redirect_uri: redirectURL,
    scope: settings.scopes.join(" "),
    state,
    nonce,
    ...(codeVerifier !== undefined && {
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    }),
    ...(prompt.length > 0 && { prompt: prompt.join(" ") }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
    ...(acrValues.length > 0 && { acr_values: acrValues.join(" ") }),
    ...(loginHint !== undefined && { login_hint: loginHint }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
