import type { McpAuthorizationServer } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import { sha256base64url, utf8 } from "../../encoding.ts";
import type { WaitUntil } from "../../health/kept.ts";
import { fetchJson, type JsonResponse } from "../../http/fetch-json.ts";
import type { JsonObject } from "../../json.ts";
import { type Authentication, refused, unavailable } from "./authentication.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { identityFromClaims, isMeantFor } from "./claims.ts";
import { createIdentityCache } from "./identity-cache.ts";

type Introspection = NonNullable<McpAuthorizationServer["introspection"]>;
type Parts = Pick<Dependencies, "fetch" | "clock" | "random" | "logger">;

/** Asks a server about a token (RFC 7662). */
export type RemoteIntrospection = (token: string, waitUntil: WaitUntil) => Promise<Authentication>;

/** Positive answers are kept for at most five seconds and never past `exp`, negative ones never. */
export function createRemoteIntrospection(server: AuthorizationServer, parts: Parts): RemoteIntrospection {
  const cache = createIdentityCache(parts.clock);
  return async (token, waitUntil) => {
    const { introspection } = server.settings;
    if (introspection === undefined) return refused("no_introspection");
    const name = sha256base64url(token);
    const known = cache.get(name);
    if (known !== undefined) return { outcome: "accepted", identity: known };
    const metadata = await server.metadata.get(waitUntil);
    if (metadata?.introspectionEndpoint === undefined) return unavailable("introspection_endpoint_unknown");
    const answer = await ask(metadata.introspectionEndpoint, token, introspection, parts);
    const result = judge(answer, server, metadata.issuer, parts);
    if (result.outcome === "accepted") cache.put(name, result.identity);
    return result;
  };
}

/** Repeats on network errors and 5xx only, after a pause that grows and varies. Undefined when nobody answered. */
async function ask(
  endpoint: string,
  token: string,
  introspection: Introspection,
  { fetch, random }: Parts,
): Promise<JsonResponse | undefined> {
  const request = {
    method: "POST",
    headers: { authorization: basic(introspection), "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }).toString(),
    timeout: introspection.timeout,
  };
  for (let attempt = 0; ; attempt++) {
    const answer = await once(() => fetchJson(fetch, endpoint, request));
    if (answer !== undefined && answer.status < 500) return answer;
    if (attempt >= introspection.maxRetries) return answer;
    await pause(backoff(attempt, random));
  }
}

async function once(exchange: () => Promise<JsonResponse>): Promise<JsonResponse | undefined> {
  try {
    return await exchange();
  } catch {
    // A network error or the timeout: the caller repeats, and reports when it gives up.
    return undefined;
  }
}

function judge(
  answer: JsonResponse | undefined,
  server: AuthorizationServer,
  issuer: string,
  parts: Parts,
): Authentication {
  // RFC 7662 has no 400, but servers use it for tokens that they do not introspect, such as their own JWTs.
  if (answer?.status === 400 && answer.body?.error !== "invalid_client") return refused("not_introspectable");
  if (answer === undefined || answer.status !== 200 || answer.body === undefined) {
    const reason = answer === undefined ? "no_answer" : `http_${answer.status}`;
    parts.logger.error("introspection failed", { server: server.settings.wellKnownEndpoint, reason });
    return unavailable("introspection_failed");
  }
  const claims = answer.body;
  if (claims.active !== true) return refused("inactive");
  return checkClaims(claims, server, issuer, parts.clock.now() / 1000);
}

function checkClaims(
  claims: JsonObject,
  { settings }: AuthorizationServer,
  issuer: string,
  now: number,
): Authentication {
  if (!isMeantFor(claims.aud, settings.expectedAudiences)) return refused("wrong_audience");
  if (claims.iss !== undefined && claims.iss !== issuer) return refused("wrong_issuer");
  // Servers write null for what they have nothing to say of; any other unknown value is no answer to rely on.
  const { token_type: type = null, nbf = null, exp } = claims;
  if (type !== null && !(typeof type === "string" && /^bearer$/i.test(type))) return refused("wrong_type");
  const skew = settings.clockSkew / 1000;
  if (typeof exp === "number" && exp <= now - skew) return refused("expired");
  if (nbf !== null && !(typeof nbf === "number" && nbf <= now + skew)) return refused("not_yet_valid");
  return identityFromClaims(claims, issuer);
}

/** RFC 6749 §2.3.1: both halves are form-encoded first. */
function basic({ clientID, clientSecret }: Introspection): string {
  const pair = `${formEncode(clientID)}:${formEncode(clientSecret)}`;
  return `Basic ${btoa(String.fromCharCode(...utf8(pair)))}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function backoff(attempt: number, random: Dependencies["random"]): number {
  const [byte = 0] = random.bytes(1);
  return 50 * 2 ** attempt * (0.5 + byte / 256);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
