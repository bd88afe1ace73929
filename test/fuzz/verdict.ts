import type { Outcome } from "./connection.ts";
import { invalidClient, refusalText } from "./expectation.ts";
import type { WireExpectation } from "./interpretation.ts";
import type { WireAnswer } from "./wire.ts";
import type { World } from "./world.ts";

/** What is wrong with how a request was answered; undefined when nothing is. */
export function fault(outcome: Outcome, expected: WireExpectation, world: World): string | undefined {
  if (outcome.kind === "silence") return "no answer within the deadline";
  if (outcome.kind === "closed" && expected.isHttpDoubtful) return undefined;
  if (outcome.kind === "closed") {
    const before = outcome.isKept ? ", on which earlier requests were answered," : "";
    return `the connection${before} was closed without an answer`;
  }
  const { answer } = outcome;
  if (answer.status >= 500) return `answered ${answer.status}: ${answer.body.slice(0, 200)}`;
  if (answer.status === 200) return successFault(answer, expected, world);
  if (answer.status < 400) return routingFault(answer, expected);
  if (expected.isHttpDoubtful && !answer.headers.has("x-request-id")) return undefined;
  return refusalFault(answer, expected, world);
}

function routingFault({ status, headers }: WireAnswer, { routing }: WireExpectation): string | undefined {
  if (!routing.has(status)) return `answered ${status}`;
  const location = headers.get("location");
  return location === undefined || location === "/console/" ? undefined : `leads to ${location.slice(0, 100)}`;
}

function successFault({ headers, body }: WireAnswer, expected: WireExpectation, world: World): string | undefined {
  const allowed = [...expected.refusals].join(" or ");
  if (!expected.isValid && !expected.isHttpDoubtful) return `succeeded, but has to be refused with ${allowed}`;
  if (!expected.isValid && expected.endpoint !== undefined) return `succeeded, but has to be refused`;
  const general = headersFault(headers);
  if (general !== undefined) return general;
  if (expected.endpoint === "revoke") return body === "" ? undefined : "a revocation was answered with content";
  const fields = jsonObject(body);
  if (fields === undefined) return `success without a JSON object: ${body.slice(0, 100)}`;
  if (expected.endpoint === "introspect") return introspectionFault(body, fields, expected);
  if (expected.usedId !== undefined && world.usedIds.has(expected.usedId)) return "a jti was accepted twice";
  const { access_token, token_type, expires_in, scope, ...others } = fields;
  const isToken = /^cst_us_[0-9a-f]{2}[\w-]{43}[0-9A-Za-z]{6}$/.test(String(access_token));
  const isWhole = isToken && token_type === "Bearer" && expires_in === 3600 && typeof scope === "string";
  return isWhole && Object.keys(others).length === 0
    ? undefined
    : `not a token response: members ${Object.keys(fields)}`;
}

function introspectionFault(body: string, fields: Record<string, unknown>, expected: WireExpectation) {
  const isShown = fields.active === true;
  if (!isShown && body !== '{"active":false}') return "says more of a token than that it is not active";
  if (expected.isActive === "perhaps" || isShown === (expected.isActive ?? false)) return undefined;
  return isShown ? "shows a token that is not active for the caller" : "hides a token that is active for the caller";
}

function refusalFault(answer: WireAnswer, expected: WireExpectation, world: World): string | undefined {
  const { status, headers, body } = answer;
  const general = headersFault(headers);
  if (general !== undefined) return general;
  const fields = jsonObject(body);
  if ((expected.routing.has(status) || expected.isHttpDoubtful) && fields?.type !== undefined) {
    const isProblem = headers.get("content-type") === "application/problem+json" && fields.status === status;
    return isProblem ? undefined : "not problem details";
  }
  const mayBeEmpty = expected.routing.has(status) || (expected.isHttpDoubtful && expected.method === "HEAD");
  if (mayBeEmpty && body === "") return undefined;
  if (fields === undefined) return `refused without a JSON object: ${body.slice(0, 100)}`;
  const { error, error_description, ...others } = fields;
  const isObject = typeof error === "string" && Object.keys(others).length === 0;
  if (!isObject || headers.get("content-type") !== "application/json")
    return `not an OAuth error: ${body.slice(0, 100)}`;
  if ((status === 401) !== headers.has("www-authenticate"))
    return `a ${status} ${status === 401 ? "without" : "with"} challenge`;
  const text = refusalText(status, error, error_description as string | undefined);
  if (expected.refusals.has(text) || expected.isHttpDoubtful) return undefined;
  if (world.contestedIds.has(expected.usedId ?? "") && text === invalidClient("replayed JWT")) return undefined;
  const wanted = [...expected.refusals, ...(expected.isValid ? ["success"] : [])];
  return `refused with ${text} instead of ${wanted.join(" or ")}`;
}

/** Every answer of these endpoints. */
function headersFault(headers: ReadonlyMap<string, string>): string | undefined {
  if (headers.get("cache-control") !== "no-store") return "not no-store";
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(headers.get("x-request-id") ?? "")) return "no X-Request-Id";
  return headers.get("x-content-type-options") === "nosniff" ? undefined : "no X-Content-Type-Options";
}

/** Undefined for what is no JSON object. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
