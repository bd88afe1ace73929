import { boundedCache } from "../../../lib/kernel/bounded-cache.ts";
import { sessionExpiresAt } from "../../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord, McpSessions } from "../../../lib/stores/mcp-sessions.ts";

/** About a kilobyte each. */
const CAPACITY = 4_000;

/**
 * Keeps the sessions of agents that were read, for the one process that serves a store: nobody else writes to sessions, so what
 * was read is true until this process writes. Each request in a session asks for its session, and reading it from SQLite took
 * as long as the whole decision on a call (D197).
 */
export function withSessionCache(mcpSessions: McpSessions): McpSessions {
  const kept = boundedCache<string, McpSessionRecord>(CAPACITY);
  /** Writes under way, by session: what is read beside them may be older than they are. */
  const writing = new Map<string, number>();
  /** Grows with each write that is over: a read that began before it is not kept. */
  let writes = 0;

  const changing = async <T>(sessionHash: string, write: () => Promise<T>): Promise<T> => {
    kept.delete(sessionHash);
    writing.set(sessionHash, (writing.get(sessionHash) ?? 0) + 1);
    try {
      return await write();
    } finally {
      // Also after a failure: the change may be stored.
      writes += 1;
      const others = (writing.get(sessionHash) ?? 1) - 1;
      if (others === 0) writing.delete(sessionHash);
      else writing.set(sessionHash, others);
    }
  };

  const read = async (sessionHash: string, now: number): Promise<McpSessionRecord | undefined> => {
    const before = writes;
    const session = await mcpSessions.get(sessionHash, now);
    if (session !== undefined && before === writes && !writing.has(sessionHash)) kept.put(sessionHash, session);
    return session;
  };

  return {
    ...mcpSessions,
    get: (sessionHash, now) => {
      const session = kept.get(sessionHash);
      if (session === undefined) return read(sessionHash, now);
      return Promise.resolve(sessionExpiresAt(session) > now ? session : undefined);
    },
    use: (reference, now) => changing(reference.sessionHash, () => mcpSessions.use(reference, now)),
    setLogLevel: (reference, ...change) =>
      changing(reference.sessionHash, () => mcpSessions.setLogLevel(reference, ...change)),
    introduce: (reference, ...change) =>
      changing(reference.sessionHash, () => mcpSessions.introduce(reference, ...change)),
    setUpstream: (reference, ...change) =>
      changing(reference.sessionHash, () => mcpSessions.setUpstream(reference, ...change)),
    end: (sessionHash, ...rest) => changing(sessionHash, () => mcpSessions.end(sessionHash, ...rest)),
  };
}
