import { type AccessToken, tokenFrom } from "../access-token.ts";
import { jsonAnswer, type SecretRequest, type SendSecretRequest } from "../http.ts";
import type { SecretSources } from "../opener.ts";
import { SecretError } from "../provider.ts";
import { signInFailure, withHint } from "../refusal.ts";
import type { ManagedIdentity } from "./credential.ts";

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
export async function azureManagedToken(
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
