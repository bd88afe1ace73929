import type { Clock } from "../clock.ts";
import { sourceKey } from "../net/source.ts";
import { createRateLimit } from "../rate-limit.ts";

/**
 * Bounds authoritative re-reads of API client records. A re-read must be allowed by the source's own budget first, then
 * by the client's, so that forged assertions from one address use up that address before they touch the client they
 * name (checklist 7).
 */
export interface RereadBudget {
  allow(clientId: string, source: string | undefined): boolean;
  /** Gives an allowed re-read back because what it was for verified: a forgery never does. */
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
