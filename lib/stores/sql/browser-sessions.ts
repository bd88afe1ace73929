import type { AuditEvent } from "../audit-log.ts";
import type { BrowserSessionRecord, ConnectorSignIn, SignInLinkRecord, SignInMethod } from "../directory.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";

export function createSignInLink(
  db: SqlDatabase,
  consequences: Consequences,
  link: SignInLinkRecord,
  event: AuditEvent | undefined,
): void {
  db.transaction(() => {
    db.run(
      "INSERT INTO sign_in_links (secret_hash, user_id, expires_at, schema) VALUES (?, ?, ?, ?)",
      link.secretHash,
      link.userId,
      link.expiresAt,
      RECORD_SCHEMA,
    );
    if (event !== undefined) consequences.event(event);
  });
}

export function consumeSignInLink(db: SqlDatabase, secretHash: string, now: number): SignInLinkRecord | undefined {
  const row = db.all(
    "DELETE FROM sign_in_links WHERE secret_hash = ? AND expires_at > ? RETURNING user_id, expires_at",
    secretHash,
    now,
  )[0];
  return row && { secretHash, userId: String(row.user_id), expiresAt: Number(row.expires_at) };
}

export function createBrowserSession(db: SqlDatabase, session: BrowserSessionRecord): void {
  db.run(
    `INSERT INTO browser_sessions
       (session_hash, user_id, created_at, last_seen_at, expires_at, sign_in, method, user_agent, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session.sessionHash,
    session.userId,
    session.createdAt,
    session.lastSeenAt,
    session.expiresAt,
    session.signIn === undefined ? null : JSON.stringify(session.signIn),
    session.method ?? null,
    session.userAgent ?? null,
    RECORD_SCHEMA,
  );
}

export function getBrowserSession(db: SqlDatabase, sessionHash: string): BrowserSessionRecord | undefined {
  const row = db.all("SELECT * FROM browser_sessions WHERE session_hash = ?", sessionHash)[0];
  return row && browserSessionOf(row);
}

/** Newest first, 100 at most. */
export function browserSessionsOf(db: SqlDatabase, userId: string, now: number): readonly BrowserSessionRecord[] {
  return db
    .all(
      `SELECT * FROM browser_sessions WHERE user_id = ? AND expires_at > ?
       ORDER BY created_at DESC, session_hash DESC LIMIT 100`,
      userId,
      now,
    )
    .map(browserSessionOf);
}

/** Never moves the time back: two requests of one session may arrive in either order. */
export function touchBrowserSession(db: SqlDatabase, sessionHash: string, lastSeenAt: number): void {
  db.run(
    "UPDATE browser_sessions SET last_seen_at = ? WHERE session_hash = ? AND last_seen_at < ?",
    lastSeenAt,
    sessionHash,
    lastSeenAt,
  );
}

export function deleteBrowserSession(db: SqlDatabase, sessionHash: string): void {
  db.run("DELETE FROM browser_sessions WHERE session_hash = ?", sessionHash);
}

function browserSessionOf(row: SqlRow): BrowserSessionRecord {
  return {
    sessionHash: String(row.session_hash),
    userId: String(row.user_id),
    createdAt: Number(row.created_at),
    lastSeenAt: Number(row.last_seen_at),
    expiresAt: Number(row.expires_at),
    ...(row.sign_in !== null && { signIn: JSON.parse(String(row.sign_in)) as ConnectorSignIn }),
    ...(row.method !== null && { method: row.method as SignInMethod }),
    ...(row.user_agent !== null && { userAgent: String(row.user_agent) }),
  };
}
