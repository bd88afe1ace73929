import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";

export interface KeptSession {
  readonly session: UpstreamSession;
  /** Nobody used it of late: it is ended, and another one takes its place. */
  readonly isIdle: boolean;
}

/** Sessions at upstreams that several requests of one principal share, in the memory of the instance. */
export interface SharedSessions {
  /** The session, which is used from now on. */
  use(key: string): KeptSession | undefined;
  keep(key: string, session: UpstreamSession): void;
}

/** Milliseconds. */
const IDLE = 5 * 60_000;
const CAPACITY = 10_000;

/**
 * Nothing ends a session whose principal does not come back: its credential would be needed, and the upstream lets it expire.
 */
export function createSharedSessions(clock: Clock): SharedSessions {
  const sessions = boundedCache<string, { readonly session: UpstreamSession; readonly usedAt: number }>(CAPACITY);
  return {
    use: (key) => {
      const kept = sessions.get(key);
      if (kept === undefined) return undefined;
      const isIdle = clock.now() - kept.usedAt > IDLE;
      if (!isIdle) sessions.put(key, { ...kept, usedAt: clock.now() });
      return { session: kept.session, isIdle };
    },
    keep: (key, session) => sessions.put(key, { session, usedAt: clock.now() }),
  };
}
