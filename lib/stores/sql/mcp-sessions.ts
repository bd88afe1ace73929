import type { AuditEvent } from "../audit-log.ts";
import { EXPIRY_MARGIN } from "../expiry-margin.ts";
import { isUseDue, sessionExpired, sessionExpiresAt } from "../mcp-session-expiry.ts";
import { type UpstreamChange, type UpstreamSessions, withUpstream } from "../mcp-session-upstreams.ts";
import type {
  MCP_SESSIONS,
  McpLogLevel,
  McpSessionRecord,
  McpSessions,
  SessionIntroduction,
  SessionReference,
} from "../mcp-sessions.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { StoreUnavailableError } from "../unavailable.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow, type SqlValue } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, snapshot, write } from "./operations.ts";

export const sqlMcpSessions: SqlOperations<typeof MCP_SESSIONS> = {
  create: change(createMcpSession),
  use: write(useMcpSession),
  setLogLevel: write(setMcpSessionLogLevel),
  introduce: write(introduceMcpSession),
  setUpstream: write((db, reference, app, upstream, replaces, now) =>
    setMcpSessionUpstream(db, reference, { app, upstream, replaces }, now),
  ),
  get: latest(getMcpSession),
  end: change(endMcpSession),
  list: snapshot(listMcpSessions),
};

/**
 * A use that is a read as long as nothing of it has to be written down. The read must see every session's end that was
 * acknowledged; `write` has the last word where it is asked. While the store keeps nothing, the read has it: sessions go on.
 */
export function readingFirst(get: McpSessions["get"], write: McpSessions["use"]): McpSessions["use"] {
  return async (reference, now) => {
    const session = await get(reference.sessionHash, now);
    if (session?.principal !== reference.principal) return undefined;
    if (!isUseDue(session, now)) return session;
    try {
      return await write(reference, now);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return session;
      throw error;
    }
  };
}

/** What lists show of a session: all that is not of its upstreams. */
const LISTED = "record, last_seen_at, log_level";

/** What has no column of its own: it stays as it is, or changes once. */
type Constant = Omit<McpSessionRecord, "lastSeenAt" | "logLevel" | "upstreams">;

/** @throws the database's error when there is a session of that hash; then nothing is written */
export function createMcpSession(
  db: SqlDatabase,
  effects: Effects,
  session: McpSessionRecord,
  event: AuditEvent,
): void {
  const { lastSeenAt, logLevel, upstreams } = session;
  db.transaction(() => {
    db.run(
      `INSERT INTO mcp_sessions
         (session_hash, organization_id, started_at, last_seen_at, expires_at, log_level, upstreams, record, schema)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      session.sessionHash,
      session.organizationId ?? null,
      session.startedAt,
      lastSeenAt,
      sessionExpiresAt(session),
      logLevel ?? null,
      upstreams === undefined ? null : JSON.stringify(upstreams),
      constantText(session),
      RECORD_SCHEMA,
    );
    effects.event(event);
  });
}

/** The live session, of whichever principal. */
export function getMcpSession(db: SqlDatabase, sessionHash: string, now: number): McpSessionRecord | undefined {
  // Each request in a session asks: what is not wanted is not read.
  const sql = `SELECT ${LISTED}, upstreams FROM mcp_sessions WHERE session_hash = ? AND expires_at > ?`;
  const row = db.all(sql, sessionHash, now)[0];
  return row && sessionOf(row);
}

/** The live session of that principal. Writes its use down when that is due. */
export function useMcpSession(db: SqlDatabase, reference: SessionReference, now: number): McpSessionRecord | undefined {
  return db.transaction(() => {
    const session = presentedSession(db, reference, now);
    if (session === undefined || !isUseDue(session, now)) return session;
    const used = { ...session, lastSeenAt: now };
    db.run(
      "UPDATE mcp_sessions SET last_seen_at = ?, expires_at = ? WHERE session_hash = ?",
      now,
      sessionExpiresAt(used),
      session.sessionHash,
    );
    return used;
  });
}

/** False when the session is not live, or is another principal's. */
export function setMcpSessionLogLevel(
  db: SqlDatabase,
  reference: SessionReference,
  level: McpLogLevel,
  now: number,
): boolean {
  return db.transaction(() => {
    if (presentedSession(db, reference, now) === undefined) return false;
    db.run("UPDATE mcp_sessions SET log_level = ? WHERE session_hash = ?", level, reference.sessionHash);
    return true;
  });
}

/** As `McpSessions.introduce` says. In the record itself, where the release before reads it, too. */
export function introduceMcpSession(
  db: SqlDatabase,
  reference: SessionReference,
  { clientInfo, clientCapabilities }: SessionIntroduction,
  now: number,
): boolean {
  return db.transaction(() => {
    const session = presentedSession(db, reference, now);
    if (session === undefined) return false;
    const text = constantText({ ...session, clientInfo, clientCapabilities });
    db.run("UPDATE mcp_sessions SET record = ? WHERE session_hash = ?", text, session.sessionHash);
    return true;
  });
}

/** As `McpSessions.setUpstream` says. */
export function setMcpSessionUpstream(
  db: SqlDatabase,
  reference: SessionReference,
  change: UpstreamChange,
  now: number,
): McpSessionRecord | undefined {
  return db.transaction(() => {
    const session = presentedSession(db, reference, now);
    const upstreams = session && withUpstream(session.upstreams, change);
    if (session === undefined || upstreams === undefined) return session;
    const sql = "UPDATE mcp_sessions SET upstreams = ? WHERE session_hash = ?";
    db.run(sql, JSON.stringify(upstreams), session.sessionHash);
    return { ...session, upstreams };
  });
}

/** False when the session was over, and then without effects. */
export function endMcpSession(
  db: SqlDatabase,
  effects: Effects,
  sessionHash: string,
  now: number,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const ended = db.all(
      "DELETE FROM mcp_sessions WHERE session_hash = ? AND expires_at > ? RETURNING 1",
      sessionHash,
      now,
    );
    if (ended.length === 0) return false;
    effects.event(event);
    return true;
  });
}

/** Newest first. The cursor is `<startedAt>.<sessionHash>` of the last one shown. */
export function listMcpSessions(
  db: SqlDatabase,
  organizationId: string,
  now: number,
  page: PageRequest,
): Page<McpSessionRecord> {
  const { condition, parameters } = afterSession(page.cursor);
  const rows = db.all(
    `SELECT ${LISTED} FROM mcp_sessions WHERE organization_id = ? AND expires_at > ?${condition}
     ORDER BY started_at DESC, session_hash DESC LIMIT ?`,
    organizationId,
    now,
    ...parameters,
    page.limit + 1,
  );
  const sessions = rows.map(sessionOf);
  return pageOf(sessions, page.limit, sessionCursor);
}

/**
 * Deletes at most `limit` sessions that expired before `EXPIRY_MARGIN`, so that none is over for a caller whose clock is
 * behind, each together with the record of its expiry. True when there may be more.
 */
export function expireMcpSessions(db: SqlDatabase, effects: Effects, now: number, limit: number): boolean {
  return db.transaction(() => {
    const rows = db.all(
      `DELETE FROM mcp_sessions WHERE session_hash IN
         (SELECT session_hash FROM mcp_sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?) RETURNING ${LISTED}`,
      now - EXPIRY_MARGIN,
      limit,
    );
    for (const row of rows) effects.event(sessionExpired(sessionOf(row)));
    return rows.length === limit;
  });
}

function presentedSession(
  db: SqlDatabase,
  { sessionHash, principal }: SessionReference,
  now: number,
): McpSessionRecord | undefined {
  const session = getMcpSession(db, sessionHash, now);
  return session?.principal === principal ? session : undefined;
}

function constantText({ lastSeenAt: _, logLevel: __, upstreams: ___, ...constant }: McpSessionRecord): string {
  return JSON.stringify(constant satisfies Constant);
}

function sessionOf(row: SqlRow): McpSessionRecord {
  const constant = JSON.parse(String(row.record)) as Constant;
  return {
    ...constant,
    lastSeenAt: Number(row.last_seen_at),
    ...(row.log_level !== null && { logLevel: row.log_level as McpLogLevel }),
    ...(typeof row.upstreams === "string" && { upstreams: JSON.parse(row.upstreams) as UpstreamSessions }),
  };
}

/** Where a list of sessions goes on: `<startedAt>.<sessionHash>` of the last that was shown. */
export function sessionCursor({ startedAt, sessionHash }: Pick<McpSessionRecord, "startedAt" | "sessionHash">): string {
  return `${startedAt}.${sessionHash}`;
}

/** The condition on sessions behind a cursor, newest first; none for a text that is no cursor. */
export function afterSession(cursor: string | undefined): {
  readonly condition: string;
  readonly parameters: readonly SqlValue[];
} {
  const [, startedAt, sessionHash] = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/.exec(cursor ?? "") ?? [];
  if (startedAt === undefined || sessionHash === undefined) return { condition: "", parameters: [] };
  return { condition: " AND (started_at, session_hash) < (?, ?)", parameters: [Number(startedAt), sessionHash] };
}
