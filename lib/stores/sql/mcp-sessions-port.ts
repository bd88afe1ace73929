import { isUseDue } from "../mcp-session-expiry.ts";
import type { McpSessions } from "../mcp-sessions.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import {
  createMcpSession,
  endMcpSession,
  getMcpSession,
  introduceMcpSession,
  listMcpSessions,
  setMcpSessionLogLevel,
  setMcpSessionUpstream,
  useMcpSession,
} from "./mcp-sessions.ts";

export function sqlMcpSessions(executor: SqlExecutor): McpSessions {
  const get: McpSessions["get"] = (sessionHash, now) =>
    executor.readLatest((db) => getMcpSession(db, sessionHash, now));
  return {
    create: (session, event) => executor.write((db) => createMcpSession(db, localConsequences(db), session, event)),
    use: readingFirst(get, (reference, now) => executor.write((db) => useMcpSession(db, reference, now))),
    setLogLevel: (reference, level, now) => executor.write((db) => setMcpSessionLogLevel(db, reference, level, now)),
    introduce: (reference, introduction, now) =>
      executor.write((db) => introduceMcpSession(db, reference, introduction, now)),
    setUpstream: (reference, app, upstream, replaces, now) =>
      executor.write((db) => setMcpSessionUpstream(db, reference, { app, upstream, replaces }, now)),
    get,
    end: (sessionHash, now, event) =>
      executor.write((db) => endMcpSession(db, localConsequences(db), sessionHash, now, event)),
    list: (organizationId, now, page) => executor.read((db) => listMcpSessions(db, organizationId, now, page)),
  };
}

/**
 * A use that is a read as long as nothing of it has to be written down. The read must see every session's end that was
 * acknowledged; `write` has the last word where it is asked.
 */
export function readingFirst(get: McpSessions["get"], write: McpSessions["use"]): McpSessions["use"] {
  return async (reference, now) => {
    const session = await get(reference.sessionHash, now);
    if (session?.principal !== reference.principal) return undefined;
    return isUseDue(session, now) ? write(reference, now) : session;
  };
}
