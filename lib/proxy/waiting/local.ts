import { base64url } from "../../encoding.ts";
import type { Random } from "../../random.ts";
import type { WaitingCall, WaitingCalls } from "./waiting-calls.ts";

export interface WaitingLimits {
  /** Each holds a connection to its upstream. */
  readonly calls: number;
  readonly perPrincipal: number;
}

const LIMITS: WaitingLimits = { calls: 1_000, perPrincipal: 20 };

/** In the memory of the process (D119): a call is lost with it, and the agent makes it anew. */
export function localWaitingCalls(
  random: Random,
  { calls: limit, perPrincipal }: WaitingLimits = LIMITS,
): WaitingCalls {
  const calls = new Map<string, WaitingCall>();
  const counts = new Map<string, number>();
  const count = (principal: string, change: number): void => {
    const next = (counts.get(principal) ?? 0) + change;
    if (next === 0) counts.delete(principal);
    else counts.set(principal, next);
  };
  return {
    hold: (principal, call) => {
      if (calls.size >= limit || (counts.get(principal) ?? 0) >= perPrincipal) return undefined;
      const name = base64url(random.bytes(16));
      calls.set(name, call);
      count(principal, 1);
      void call.over.then(() => {
        calls.delete(name);
        count(principal, -1);
      });
      return name;
    },
    find: (name) => calls.get(name),
  };
}
