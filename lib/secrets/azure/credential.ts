import { type AccessToken, type TokenHolder, tokenFrom, tokenHolder } from "../access-token.ts";
import {
  jsonAnswer,
  type SecretAnswer,
  type SecretRequest,
  type SendSecretRequest,
  signInFailure,
  withHint,
} from "../http.ts";
import type { SecretSources } from "../provider.ts";
import { SecretError } from "../provider.ts";

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
interface ManagedIdentity {
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

const METADATA = "http://169.254.169.254/metadata/identity/oauth2/token";

interface ManagedTokenOptions extends Pick<SecretSources, "clock" | "environment"> {
  /** For errors. */
  readonly provider: string;
  readonly send: SendSecretRequest;
}

/**
 * A token of the machine's managed identity: from the endpoint that App Service, Functions and Container Apps announce in
 * IDENTITY_ENDPOINT and IDENTITY_HEADER, else from the metadata service of a virtual machine.
 */
async function azureManagedToken(
  { clientId }: ManagedIdentity,
  scope: string,
  { provider, send, clock, environment }: ManagedTokenOptions,
): Promise<AccessToken> {
  const request = identityRequest(environment);
  request.url.searchParams.set("resource", scope.replace(/\/\.default$/, ""));
  if (clientId !== undefined) request.url.searchParams.set("client_id", clientId);
  const hint = "a managed identity was asked for, as the URL has no clientSecret";
  return withHint(hint, async () => {
    const answer = await send(request);
    const token = tokenFrom(answer);
    const { error: code, expires_on: end } = jsonAnswer(answer) ?? {};
    if (token !== undefined) return { ...token, lifetime: token.lifetime || lifetimeUntil(end, clock.now()) };
    throw signInFailure(provider, answer, { code, meanings: { 400: "no such identity is assigned to this machine" } });
  });
}

/** App Service tells when a token ends, in seconds since the epoch, in place of how long it lives. */
function lifetimeUntil(end: unknown, now: number): number {
  return Math.max(Number(end ?? 0) * 1_000 - now, 0);
}

function identityRequest({
  IDENTITY_ENDPOINT: endpoint,
  IDENTITY_HEADER: header,
}: SecretSources["environment"]): SecretRequest {
  if (!endpoint || !header) {
    return { url: new URL(`${METADATA}?api-version=2018-02-01`), headers: { Metadata: "true" } };
  }
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new SecretError("The variable IDENTITY_ENDPOINT is no http or https URL.");
  }
  // What fetch says of a header that it does not take would quote it.
  if (!/^[\x21-\x7e]+$/.test(header)) {
    throw new SecretError("The variable IDENTITY_HEADER holds what cannot stand in a header.");
  }
  url.searchParams.set("api-version", "2019-08-01");
  return { url, headers: { "X-IDENTITY-HEADER": header } };
}
