import type { Clock } from "../clock.ts";
import { sourceKey } from "../net/source.ts";
import { createRateLimit } from "../rate-limit.ts";

/**
 * Bounds the `token.refused` audit records. An old assertion of a client verifies for whoever holds a copy, so these
 * records can be caused without its key; what is beyond the bound is in the log only.
 */
export interface RefusalRecords {
  allow(clientId: string, source: string | undefined): boolean;
}

const SOURCE_LIMIT = { capacity: 20, perSecond: 1 };
const CLIENT_LIMIT = { capacity: 60, perSecond: 1 };

export function createRefusalRecords(clock: Clock): RefusalRecords {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const clients = createRateLimit(clock, CLIENT_LIMIT);
  return { allow: (clientId, source) => sources.take(sourceKey(source)) && clients.take(clientId) };
}
