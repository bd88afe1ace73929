import { type AccessToken, type TokenHolder, tokenFrom, tokenHolder } from "../access-token.ts";
import { jsonAnswer, type SecretAnswer, type SendSecretRequest } from "../http.ts";
import type { SecretSources } from "../opener.ts";
import { signInFailure } from "../refusal.ts";
import { azureManagedToken } from "./managed-identity.ts";

/** As whom Azure is asked. */
export type AzureIdentity = AzureClient | ManagedIdentity;

/** A client (application) with its secret. */
export interface AzureClient {
  readonly kind: "client";
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `https://login.microsoftonline.com`, or that of a sovereign cloud. */
  readonly entraOrigin: string;
}

/** What Azure has assigned to the machine; the client ID names one of several. */
export interface ManagedIdentity {
  readonly kind: "managed";
  readonly clientId: string | undefined;
}

export interface AzureCredentialOptions extends Pick<SecretSources, "clock" | "environment"> {
  /** For errors. */
  readonly provider: string;
  readonly identity: AzureIdentity;
  readonly send: SendSecretRequest;
}

/** It takes the place of `@azure/identity`, which starts processes. */
export interface AzureCredential {
  /** An access token for a scope, such as `https://vault.azure.net/.default`. It is held until shortly before its end. */
  readonly token: (scope: string) => Promise<string>;
  /** Does not hold this token any longer. */
  readonly drop: (token: string) => void;
}

export function azureCredential({ identity, ...options }: AzureCredentialOptions): AzureCredential {
  const obtain = (scope: string) =>
    identity.kind === "client" ? clientToken(identity, scope, options) : azureManagedToken(identity, scope, options);
  const holders = new Map<string, TokenHolder>();
  return {
    async token(scope) {
      const holder = holders.get(scope) ?? tokenHolder(() => obtain(scope), options.clock);
      holders.set(scope, holder);
      return (await holder.current()).value;
    },
    drop(token) {
      for (const holder of holders.values()) holder.drop(token);
    },
  };
}

/** The client credentials grant (RFC 6749 §4.4) at Entra ID. */
async function clientToken(
  { tenantId, clientId, clientSecret, entraOrigin }: AzureClient,
  scope: string,
  { provider, send }: Pick<AzureCredentialOptions, "provider" | "send">,
): Promise<AccessToken> {
  const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope };
  const answer = await send({
    url: new URL(`/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, entraOrigin),
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(grant).toString(),
  });
  const token = tokenFrom(answer);
  if (token !== undefined) return token;
  throw signInFailure(provider, answer, { code: entraCode(answer), meanings: SIGNING_IN });
}

/** The code that Entra ID's documentation explains, such as AADSTS7000215; its description quotes more. */
function entraCode(answer: SecretAnswer): unknown {
  const { error, error_description: description } = jsonAnswer(answer) ?? {};
  return /^AADSTS\d+/.exec(String(description))?.[0] ?? error;
}

const SIGNING_IN = {
  400: "the tenant, the client or the secret is not valid",
  401: "the client's secret is not valid (any more), or not this client's",
};
