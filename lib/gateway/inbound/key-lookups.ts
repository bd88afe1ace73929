import type { Clock } from "../../clock.ts";
import { sourceKey } from "../../net/source.ts";
import { createRateLimit } from "../../rate-limit.ts";

/**
 * Bounds how often unknown keys make a server be asked for its keys (D75). A source's own budget is used before the
 * server's, so that keys invented at one address leave the others theirs.
 */
export interface KeyLookups {
  /** Whether there is budget for another look, which then counts; otherwise who has used it up. */
  take(source: string | undefined): KeyLookup;
  /** Undoes one that was allowed: its key was there. One that was invented never is. */
  giveBack(source: string | undefined): void;
}

export type KeyLookup = "allowed" | "source_exhausted" | "server_exhausted";

const SOURCE_LIMIT = { capacity: 10, perSecond: 1 / 5 };
/** Every look learns all keys, so a new one is known after three seconds, whoever looked. */
const SERVER_LIMIT = { capacity: 20, perSecond: 1 / 3 };

export function createKeyLookups(clock: Clock): KeyLookups {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const server = createRateLimit(clock, SERVER_LIMIT);
  return {
    take(source) {
      if (!sources.take(sourceKey(source))) return "source_exhausted";
      if (server.take("")) return "allowed";
      sources.giveBack(sourceKey(source));
      return "server_exhausted";
    },
    giveBack(source) {
      sources.giveBack(sourceKey(source));
      server.giveBack("");
    },
  };
}
