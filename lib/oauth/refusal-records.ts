import type { Clock } from "../clock.ts";
import { sourceKey } from "../net/source.ts";
import { createRateLimit, type Limit } from "../rate-limit.ts";

/**
 * Bounds the `token.refused` audit records. An old assertion of a client verifies for whoever holds a copy, so these
 * records can be caused without its key; what is beyond the bound is in the log only.
 */
export interface RefusalRecords {
  allow(clientId: string, source: string | undefined): boolean;
  /**
   * Whether the client may be read to see if one of its revoked keys signed. Counts apart from `allow` and from re-reads,
   * so that forged signatures take neither a record nor a read from the client that they name.
   */
  allowSearch(clientId: string, source: string | undefined): boolean;
}

const SOURCE_LIMIT = { capacity: 20, perSecond: 1 };
const CLIENT_LIMIT = { capacity: 60, perSecond: 1 };
/** Less than records, as whoever forges a signature gets as far as this. */
const SEARCH_SOURCE_LIMIT = { capacity: 10, perSecond: 1 };

export function createRefusalRecords(clock: Clock): RefusalRecords {
  return { allow: bound(clock, SOURCE_LIMIT), allowSearch: bound(clock, SEARCH_SOURCE_LIMIT) };
}

function bound(clock: Clock, sourceLimit: Limit): RefusalRecords["allow"] {
  const sources = createRateLimit(clock, sourceLimit);
  const clients = createRateLimit(clock, CLIENT_LIMIT);
  return (clientId, source) => sources.take(sourceKey(source)) && clients.take(clientId);
}
