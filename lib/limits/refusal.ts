import type { JsonObject } from "../kernel/json.ts";
import type { LimitState, LimitVerdict } from "./limiter.ts";

/** Why a limit lets something not through, as every surface tells it. */
export interface LimitRefusal {
  /** RFC 6585 §4; 503 where the count cannot be asked. */
  readonly status: 429 | 503;
  /** Of the limit. */
  readonly name: string;
  /** For people and models. */
  readonly message: string;
  /** Seconds. */
  readonly retryAfter: number;
  /** Absent: it is not known. */
  readonly state?: LimitState;
}

/** Undefined: it is let through. */
export function refusalOf(verdict: LimitVerdict | undefined): LimitRefusal | undefined {
  if (verdict === undefined || verdict.outcome === "granted") return undefined;
  const { retryAfter } = verdict;
  const again = `Try again in ${retryAfter} s.`;
  if (verdict.outcome === "unavailable") {
    const { name } = verdict;
    return { status: 503, name, retryAfter, message: `The limit "${name}" cannot be counted for now. ${again}` };
  }
  const { state } = verdict;
  const { name, quota, window } = state;
  return {
    status: 429,
    name,
    retryAfter,
    state,
    message: `The limit "${name}" (${quota} in ${window} s) is used up. ${again}`,
  };
}

/** Of a limit of calls at the same time. */
export function fullRefusal(state: LimitState): LimitRefusal {
  const { name, quota, reset } = state;
  const message = `The limit "${name}" (${quota} at the same time) is used up. Try again in ${reset} s.`;
  return { status: 429, name, retryAfter: reset, message };
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11); nothing where there are no limits. */
export function rateLimitHeaders(states: readonly LimitState[]): Readonly<Record<string, string>> {
  if (states.length === 0) return {};
  return {
    "ratelimit-policy": states.map(({ name, quota, window }) => `"${name}";q=${quota};w=${window}`).join(", "),
    ratelimit: states.map(({ name, remaining, reset }) => `"${name}";r=${remaining};t=${reset}`).join(", "),
  };
}

/** Header fields of the answer that refuses. */
export function refusalHeaders({ retryAfter, state }: LimitRefusal): Readonly<Record<string, string>> {
  return { "retry-after": String(retryAfter), ...rateLimitHeaders(state === undefined ? [] : [state]) };
}

/** The same facts in a message; times in seconds. */
export function refusalFacts({ name, retryAfter, state }: LimitRefusal): JsonObject {
  const { quota, window, remaining, reset } = state ?? {};
  return { limit: name, retryAfter, ...(state !== undefined && { quota, window, remaining, reset }) };
}
