import type { JsonObject } from "../kernel/json.ts";
import type { LimitPolicy, LimitState, LimitVerdict } from "./limiter.ts";

/** Why a limit lets something not through, as every surface tells it. */
export interface LimitRefusal {
  /** RFC 6585 §4; 503 where the count cannot be asked. */
  readonly status: 429 | 503;
  /** Of the limit. */
  readonly name: string;
  /** For people and models. */
  readonly message: string;
  /** Seconds; absent: it never passes. */
  readonly retryAfter?: number;
  /** Absent: it is not known. */
  readonly state?: LimitState;
}

/** Undefined: it is let through. */
export function refusalOf(verdict: LimitVerdict | undefined): LimitRefusal | undefined {
  switch (verdict?.outcome) {
    case "refused": {
      const { state, retryAfter } = verdict;
      const message = `The limit "${state.name}" (${amountText(state)}) is used up. ${again(retryAfter)}`;
      return { status: 429, name: state.name, retryAfter, state, message };
    }
    case "too_large": {
      const { policy, most } = verdict;
      const message = `The limit "${policy.name}" never lets so much through at once: ${most}${unitText(policy)} at most. Trying again does not help.`;
      return { status: 429, name: policy.name, message };
    }
    case "unavailable": {
      const { name, retryAfter } = verdict;
      return {
        status: 503,
        name,
        retryAfter,
        message: `The limit "${name}" cannot be counted for now. ${again(retryAfter)}`,
      };
    }
    default:
      return undefined;
  }
}

/** Of a limit of calls at the same time. */
export function fullRefusal(state: LimitState): LimitRefusal {
  const { name, quota, reset } = state;
  const message = `The limit "${name}" (${quota} at the same time) is used up. ${again(reset)}`;
  return { status: 429, name, retryAfter: reset, message };
}

function again(seconds: number): string {
  return `Try again in ${seconds} s.`;
}

function amountText(policy: LimitPolicy): string {
  return `${policy.quota}${unitText(policy)} in ${policy.window} s`;
}

function unitText({ unit }: LimitPolicy): string {
  return unit === undefined ? "" : " bytes";
}

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11); nothing where there are no limits. */
export function rateLimitHeaders(states: readonly LimitState[]): Readonly<Record<string, string>> {
  if (states.length === 0) return {};
  return {
    "ratelimit-policy": states.map(policyItem).join(", "),
    ratelimit: states.map(({ name, remaining, reset }) => `"${name}";r=${remaining};t=${reset}`).join(", "),
  };
}

/** Without `qu` requests are counted. */
function policyItem({ name, quota, window, unit }: LimitPolicy): string {
  return `"${name}";q=${quota}${unit === undefined ? "" : `;qu="${unit}"`};w=${window}`;
}

/** Header fields of the answer that refuses. */
export function refusalHeaders({ retryAfter, state }: LimitRefusal): Readonly<Record<string, string>> {
  return {
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    ...rateLimitHeaders(state === undefined ? [] : [state]),
  };
}

/** The same facts in a message; times in seconds. */
export function refusalFacts({ name, retryAfter, state }: LimitRefusal): JsonObject {
  const { quota, window, unit, remaining, reset } = state ?? {};
  return {
    limit: name,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(state !== undefined && { quota, window, ...(unit !== undefined && { unit }), remaining, reset }),
  };
}
