import type { Clock } from "../kernel/clock.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { sourceKey } from "../net/source.ts";

/**
 * Limits authoritative re-reads of API client records. A re-read needs budget of the source first, then of the client: forged
 * assertions from one address use up the budget of that address before that of the client that they name (checklist 7).
 */
export interface RereadBudget {
  allow(clientId: string, source: string | undefined): boolean;
  /** Returns an allowed re-read to the budget, because the signature verified. A forgery never does. */
  refund(clientId: string, source: string | undefined): void;
}

const SOURCE_LIMIT = { capacity: 10, perSecond: 1 };
const CLIENT_LIMIT = { capacity: 60, perSecond: 5 };

export function createRereadBudget(clock: Clock): RereadBudget {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const clients = createRateLimit(clock, CLIENT_LIMIT);
  return {
    allow: (clientId, source) => sources.take(sourceKey(source)) && clients.take(clientId),
    refund: (clientId, source) => {
      sources.giveBack(sourceKey(source));
      clients.giveBack(clientId);
    },
  };
}
