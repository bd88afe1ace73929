import type { McpAuthorizationServer } from "../../config/configuration.ts";
import { base64, utf8 } from "../../kernel/encoding.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { WaitUntil } from "../../kernel/refreshing-cache.ts";
import { pause } from "../../kernel/timers.ts";
import { loggableUrl } from "../../logging/fetch-report.ts";
import { fetchJson, type JsonResponse } from "../../protocol/http/fetch-json.ts";
import type { AuthorizationServer, ServerPorts } from "./authorization-server.ts";
import {
  type Authentication,
  accepted,
  identityFromClaims,
  isMeantFor,
  refused,
  unavailable,
  untimely,
} from "./claims.ts";
import { createIdentityCache, tokenName } from "./identity-cache.ts";

type Introspection = NonNullable<McpAuthorizationServer["introspection"]>;

/** Asks a server about a token (RFC 7662). */
export type RemoteIntrospection = (token: string, waitUntil: WaitUntil) => Promise<Authentication>;

/** How long a positive answer is kept, milliseconds; and how many are. */
const LIFETIME = 5_000;
const CAPACITY = 1_000;

/** Positive answers are kept for at most five seconds and never past `exp`, negative ones never. */
export function createRemoteIntrospection(server: AuthorizationServer, ports: ServerPorts): RemoteIntrospection {
  const { clock } = ports;
  const cache = createIdentityCache(clock, CAPACITY);
  return async (token, waitUntil) => {
    const { introspection } = server.settings;
    if (introspection === undefined) return refused("no_introspection");
    const name = tokenName(token);
    const known = cache.get(name);
    if (known !== undefined) return accepted(known);
    const metadata = await server.metadata.get(waitUntil);
    if (metadata?.introspectionEndpoint === undefined) return unavailable("introspection_endpoint_unknown");
    const answer = await ask(metadata.introspectionEndpoint, token, introspection, ports);
    const result = judge(answer, server, metadata.issuer, ports);
    if (result.outcome === "accepted") {
      cache.put(name, result.identity, Math.min(clock.now() + LIFETIME, result.identity.expiresAt));
    }
    return result;
  };
}

/** No other attempt begins this long after the first one did, milliseconds: the agent is waiting. */
const LAST_ATTEMPT = 15_000;
/** The longest pause between two attempts, milliseconds, before it is varied. */
const LONGEST_PAUSE = 1_000;

/** Repeats on network errors and 5xx only, after a pause that grows and varies. Undefined when nobody answered. */
async function ask(
  endpoint: string,
  token: string,
  introspection: Introspection,
  { fetch, random, clock }: ServerPorts,
): Promise<JsonResponse | undefined> {
  const request = {
    method: "POST",
    headers: { authorization: basic(introspection), "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }).toString(),
    timeout: introspection.timeout,
  };
  const beganAt = clock.now();
  for (let attempt = 0; ; attempt++) {
    const answer = await once(() => fetchJson(fetch, endpoint, request));
    if (answer !== undefined && answer.status < 500) return answer;
    const delay = backoff(attempt, random);
    const isTooLate = clock.now() + delay - beganAt > LAST_ATTEMPT;
    if (attempt >= introspection.maxRetries || isTooLate) return answer;
    await pause(delay);
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
  ports: ServerPorts,
): Authentication {
  // RFC 7662 has no 400, but servers use it for tokens that they do not introspect, such as their own JWTs.
  if (answer?.status === 400 && answer.body?.error !== "invalid_client") return refused("not_introspectable");
  if (answer === undefined || answer.status !== 200 || answer.body === undefined) {
    const reason = answer === undefined ? "no_answer" : `http_${answer.status}`;
    ports.logger.error("introspection failed", { server: loggableUrl(server.settings.wellKnownEndpoint), reason });
    return unavailable("introspection_failed");
  }
  const claims = answer.body;
  if (claims.active !== true) return refused("inactive");
  return checkClaims(claims, server, issuer, ports.clock.now());
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
  const { token_type: type = null } = claims;
  if (type !== null && !(typeof type === "string" && /^bearer$/i.test(type))) return refused("wrong_type");
  const problem = untimely(claims, now, settings.clockSkew);
  if (problem !== undefined) return refused(problem);
  return identityFromClaims(claims, issuer);
}

/** RFC 6749 §2.3.1: both halves are form-encoded first. */
function basic({ clientID, clientSecret }: Introspection): string {
  const pair = `${formEncode(clientID)}:${formEncode(clientSecret)}`;
  return `Basic ${base64(utf8(pair))}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function backoff(attempt: number, random: ServerPorts["random"]): number {
  const [byte = 0] = random.bytes(1);
  return Math.min(LONGEST_PAUSE, 50 * 2 ** attempt) * (0.5 + byte / 256);
}
