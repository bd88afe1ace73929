import type { AuditEvent } from "../audit-log.ts";
import type {
  BrowserSessionRecord,
  ClaimsRenewals,
  ConnectorSignIn,
  DIRECTORY,
  FirstOwner,
  OrganizationRecord,
  RenewedSignIns,
  SignInLinkRecord,
  SignInMethod,
} from "../directory.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, snapshot, write } from "./operations.ts";
import { findPersonByEmail, getPerson, insertMembership, insertPerson, membershipsOf } from "./people.ts";

export const sqlDirectory: SqlOperations<typeof DIRECTORY> = {
  createFirstOrganization: change(createFirstOrganization),
  createFirstOwner: change(createFirstOwner),
  // Calls of an instance that has none ask again and again.
  firstOrganization: latest(firstOrganization),
  getOrganization: snapshot(getOrganization),
  getPerson: snapshot(getPerson),
  findPersonByEmail: snapshot(findPersonByEmail),
  memberships: snapshot(membershipsOf),
  createSignInLink: change(createSignInLink),
  consumeSignInLink: write(consumeSignInLink),
  createBrowserSession: write(createBrowserSession),
  getBrowserSession: latest(getBrowserSession),
  touchBrowserSession: write(touchBrowserSession),
  renewSignIns: write(renewSignIns),
  deleteBrowserSession: write(deleteBrowserSession),
  browserSessions: snapshot(browserSessionsOf),
};

/** An organization without an owner. False, and nothing is written, when there is any organization. */
export function createFirstOrganization(
  db: SqlDatabase,
  effects: Effects,
  organization: OrganizationRecord,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    if (firstOrganization(db) !== undefined) return false;
    upsertOrganization(db, organization);
    effects.event(event);
    return true;
  });
}

/** False, and nothing is written, when the region has an owner. Takes over an organization of the same id. */
export function createFirstOwner(db: SqlDatabase, effects: Effects, first: FirstOwner, event: AuditEvent): boolean {
  const { organization, person } = first;
  const { organizationId } = organization;
  return db.transaction(() => {
    if (hasOwner(db)) return false;
    upsertOrganization(db, organization);
    insertPerson(db, person, { holds: true });
    insertMembership(db, { organizationId, userId: person.userId, role: "owner", createdAt: person.createdAt });
    effects.event(event);
    return true;
  });
}

export function hasOwner(db: SqlDatabase): boolean {
  return db.all("SELECT 1 FROM memberships WHERE role = 'owner' LIMIT 1").length > 0;
}

export function firstOrganization(db: SqlDatabase): OrganizationRecord | undefined {
  return organizationOf(db.all("SELECT * FROM organizations ORDER BY sequence LIMIT 1")[0]);
}

export function getOrganization(db: SqlDatabase, organizationId: string): OrganizationRecord | undefined {
  return organizationOf(
    db.all("SELECT * FROM organizations WHERE organization_id = ? AND deleted_at IS NULL", organizationId)[0],
  );
}

/** False for one that nobody knows. */
export function isClosed(db: SqlDatabase, organizationId: string): boolean {
  const closed = "SELECT 1 FROM organizations WHERE organization_id = ? AND deleted_at IS NOT NULL";
  return db.all(closed, organizationId).length > 0;
}

function upsertOrganization(db: SqlDatabase, organization: OrganizationRecord): void {
  db.run(
    `INSERT INTO organizations (organization_id, name, created_at, revision, schema) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (organization_id) DO UPDATE SET name = excluded.name`,
    organization.organizationId,
    organization.name,
    organization.createdAt,
    organization.revision,
    RECORD_SCHEMA,
  );
}

function organizationOf(row: SqlRow | undefined): OrganizationRecord | undefined {
  return (
    row && {
      organizationId: String(row.organization_id),
      name: String(row.name),
      createdAt: Number(row.created_at),
      revision: Number(row.revision),
    }
  );
}

export function createSignInLink(
  db: SqlDatabase,
  effects: Effects,
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
    if (event !== undefined) effects.event(event);
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
       (session_hash, user_id, created_at, last_seen_at, expires_at,
        sign_in, further, renewals, revision, method, user_agent, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session.sessionHash,
    session.userId,
    session.createdAt,
    session.lastSeenAt,
    session.expiresAt,
    session.signIn === undefined ? null : JSON.stringify(session.signIn),
    session.further === undefined ? null : JSON.stringify(session.further),
    session.renewals === undefined ? null : JSON.stringify(session.renewals),
    session.revision ?? 0,
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
function browserSessionsOf(db: SqlDatabase, userId: string, now: number): readonly BrowserSessionRecord[] {
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

function renewSignIns(
  db: SqlDatabase,
  sessionHash: string,
  revision: number,
  { renewals, signIns }: RenewedSignIns,
): boolean {
  const [signIn, ...further] = signIns ?? [];
  const kept =
    signIn === undefined ? [] : [JSON.stringify(signIn), further.length > 0 ? JSON.stringify(further) : null];
  const changed = db.all(
    `UPDATE browser_sessions SET renewals = ?, revision = revision + 1${signIn === undefined ? "" : ", sign_in = ?, further = ?"}
     WHERE session_hash = ? AND revision = ? RETURNING revision`,
    JSON.stringify(renewals),
    ...kept,
    sessionHash,
    revision,
  );
  return changed.length > 0;
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
    ...(row.further !== null && { further: JSON.parse(String(row.further)) as readonly ConnectorSignIn[] }),
    ...(row.renewals !== null && { renewals: JSON.parse(String(row.renewals)) as ClaimsRenewals }),
    ...(row.revision !== 0 && { revision: Number(row.revision) }),
    ...(row.method !== null && { method: row.method as SignInMethod }),
    ...(row.user_agent !== null && { userAgent: String(row.user_agent) }),
  };
}
