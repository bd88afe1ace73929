export interface WaitingLimits {
  /** Each holds a connection to its upstream. */
  readonly calls: number;
  readonly perPrincipal: number;
}

export const WAITING_LIMITS: WaitingLimits = { calls: 1_000, perPrincipal: 20 };

/** How many calls wait. */
export interface WaitingCallQuota {
  /** Takes a place until the call is over; false where none is left. */
  enter(principal: string, over: Promise<void>): Promise<boolean>;
}

/** In the memory of the process. */
export function waitingCallQuota({ calls, perPrincipal }: WaitingLimits = WAITING_LIMITS): WaitingCallQuota {
  const counts = new Map<string, number>();
  let all = 0;
  const count = (principal: string, change: number): void => {
    const next = (counts.get(principal) ?? 0) + change;
    if (next === 0) counts.delete(principal);
    else counts.set(principal, next);
    all += change;
  };
  return {
    enter: async (principal, over) => {
      if (all >= calls || (counts.get(principal) ?? 0) >= perPrincipal) return false;
      count(principal, 1);
      void over.then(() => count(principal, -1));
      return true;
    },
  };
}
