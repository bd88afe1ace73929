import type { KeyPairRecord } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { BrowserSessionRecord, PersonRecord, SignInLinkRecord } from "../../../lib/stores/directory.ts";
import type { SqlDatabase } from "../../../lib/stores/sql/database.ts";
import type { MigrationSet } from "../../../lib/stores/sql/migrate.ts";
import type { TokenIssue, TokenRecord } from "../../../lib/stores/tokens.ts";
import { NAMESPACE, type PreviousClient, type PreviousOwner } from "./engine.ts";

/** The version of each set of tables in release 0.1.0. */
const VERSIONS: Readonly<Record<string, number>> = {
  registry: 1,
  "token-shard": 1,
  audit: 1,
  outbox: 2,
  "audit-index": 1,
};

const MARGIN = 5 * 60_000;

/** The sets as release 0.1.0 had them. */
export function previousMigrations(sets: readonly MigrationSet[]): readonly MigrationSet[] {
  return sets.flatMap(({ name, migrations }) => {
    const latest = VERSIONS[name];
    return latest === undefined ? [] : [{ name, migrations: migrations.filter(({ version }) => version <= latest) }];
  });
}

/** The statements of release 0.1.0. */
export const previousSql = {
  createClient(db: SqlDatabase, client: PreviousClient): void {
    db.run(
      `INSERT INTO api_clients
         (client_id, organization_id, name, description, scopes, resources, created_at, updated_at, revision, schema)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
      ...[client.clientId, client.organizationId, client.name, client.description ?? null],
      ...[JSON.stringify(client.scopes), JSON.stringify(client.resources)],
      ...[client.createdAt, client.updatedAt, client.revision],
    );
    for (const keyPair of client.keyPairs) {
      db.run(
        `INSERT INTO key_pairs (key_pair_id, client_id, fingerprint, public_key, status, created_at, revoked_at, schema)
         VALUES (?, ?, ?, ?, ?, ?, ?, 1)`,
        ...[keyPair.keyPairId, client.clientId, keyPair.fingerprint, JSON.stringify(keyPair.publicKey)],
        ...[keyPair.status, keyPair.createdAt, keyPair.revokedAt ?? null],
      );
    }
  },

  client(db: SqlDatabase, clientId: string): PreviousClient | undefined {
    const row = db.all("SELECT * FROM api_clients WHERE client_id = ?", clientId)[0];
    if (row === undefined) return undefined;
    const keyPairs = db.all("SELECT * FROM key_pairs WHERE client_id = ? ORDER BY sequence", clientId).map((pair) => ({
      keyPairId: String(pair.key_pair_id),
      fingerprint: String(pair.fingerprint),
      publicKey: JSON.parse(String(pair.public_key)) as KeyPairRecord["publicKey"],
      status: pair.status as KeyPairRecord["status"],
      createdAt: Number(pair.created_at),
      ...(pair.revoked_at !== null && { revokedAt: Number(pair.revoked_at) }),
    }));
    return {
      clientId,
      organizationId: String(row.organization_id),
      name: String(row.name),
      ...(row.description !== null && { description: String(row.description) }),
      scopes: JSON.parse(String(row.scopes)) as readonly string[],
      resources: JSON.parse(String(row.resources)) as readonly string[],
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
      revision: Number(row.revision),
      keyPairs,
    };
  },

  rename(db: SqlDatabase, clientId: string, name: string): void {
    const client = previousSql.client(db, clientId);
    if (client === undefined) throw new Error("there is no such client");
    db.run(
      `UPDATE api_clients SET name = ?, description = ?, scopes = ?, resources = ?, updated_at = ?, revision = ?
       WHERE client_id = ?`,
      ...[name, client.description ?? null, JSON.stringify(client.scopes), JSON.stringify(client.resources)],
      ...[client.updatedAt, client.revision + 1, clientId],
    );
  },

  revokeKeyPair(db: SqlDatabase, keyPairId: string): void {
    db.run("UPDATE key_pairs SET status = ?, revoked_at = ? WHERE key_pair_id = ?", "revoked", 1, keyPairId);
  },

  removeClient(db: SqlDatabase, clientId: string): void {
    db.run("DELETE FROM key_pairs WHERE client_id = ?", clientId);
    db.run("DELETE FROM api_clients WHERE client_id = ?", clientId);
  },

  addTombstone(db: SqlDatabase, id: string): void {
    db.run("INSERT INTO tombstones (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, null);
  },

  issue(db: SqlDatabase, { reference, token, assertionId }: TokenIssue): boolean {
    return db.transaction(() => {
      const ids = [`client/${token.clientId}`, `key/${token.keyPairId}`];
      if (db.all("SELECT id FROM tombstones WHERE id IN (?, ?)", ...ids).length > 0) return false;
      if (assertionId !== undefined) {
        const { hash, expiresAt } = assertionId;
        if (!previousSql.consume(db, "client-assertion", hash, expiresAt, token.issuedAt)) return false;
      }
      db.run(
        "INSERT INTO tokens (hash, expires_at, record, schema) VALUES (?, ?, ?, ?)",
        ...[reference.hash, token.expiresAt, JSON.stringify(token), 1],
      );
      return true;
    });
  },

  introspect(db: SqlDatabase, hash: string, now: number): TokenRecord | undefined {
    const row = db.all("SELECT record FROM tokens WHERE hash = ? AND expires_at > ?", hash, now)[0];
    if (row === undefined) return undefined;
    const token = JSON.parse(String(row.record)) as TokenRecord;
    const ids = [`token/${token.tokenId}`, `chain/${token.chainId}`, `client-tokens/${token.clientId}`];
    return db.all("SELECT id FROM tombstones WHERE id IN (?, ?, ?)", ...ids).length > 0 ? undefined : token;
  },

  consume(db: SqlDatabase, namespace: string, key: string, expiresAt: number, now: number): boolean {
    return (
      db.all(
        `INSERT INTO single_use (namespace, key, expires_at) VALUES (?, ?, ?)
         ON CONFLICT (namespace, key) DO UPDATE SET expires_at = excluded.expires_at WHERE single_use.expires_at <= ?
         RETURNING 1 AS won`,
        ...[namespace, key, expiresAt, now - MARGIN],
      ).length === 1
    );
  },

  consumeValue(db: SqlDatabase, key: string, expiresAt: number): boolean {
    return previousSql.consume(db, NAMESPACE, key, expiresAt, Date.now());
  },

  createOwner(db: SqlDatabase, { organization, person }: PreviousOwner): void {
    db.run(
      `INSERT INTO organizations (organization_id, name, created_at, schema) VALUES (?, ?, ?, ?)
       ON CONFLICT (organization_id) DO UPDATE SET name = excluded.name`,
      ...[organization.organizationId, organization.name, organization.createdAt, 1],
    );
    db.run(
      "INSERT INTO people (user_id, email, created_at, schema) VALUES (?, ?, ?, ?)",
      ...[person.userId, person.email, person.createdAt, 1],
    );
    db.run(
      "INSERT INTO memberships (user_id, organization_id, role, created_at, schema) VALUES (?, ?, 'owner', ?, ?)",
      ...[person.userId, organization.organizationId, person.createdAt, 1],
    );
  },

  person(db: SqlDatabase, userId: string): PersonRecord | undefined {
    const row = db.all("SELECT * FROM people WHERE user_id = ?", userId)[0];
    return row && { userId, email: String(row.email), createdAt: Number(row.created_at) };
  },

  createLink(db: SqlDatabase, link: SignInLinkRecord): void {
    db.run(
      "INSERT INTO sign_in_links (secret_hash, user_id, expires_at, schema) VALUES (?, ?, ?, ?)",
      ...[link.secretHash, link.userId, link.expiresAt, 1],
    );
  },

  consumeLink(db: SqlDatabase, secretHash: string, now: number): boolean {
    return (
      db.all(
        "DELETE FROM sign_in_links WHERE secret_hash = ? AND expires_at > ? RETURNING user_id, expires_at",
        ...[secretHash, now],
      ).length === 1
    );
  },

  createSession(db: SqlDatabase, session: BrowserSessionRecord): void {
    db.run(
      `INSERT INTO browser_sessions (session_hash, user_id, created_at, last_seen_at, expires_at, schema)
       VALUES (?, ?, ?, ?, ?, ?)`,
      ...[session.sessionHash, session.userId, session.createdAt, session.lastSeenAt, session.expiresAt, 1],
    );
  },

  session(db: SqlDatabase, sessionHash: string): BrowserSessionRecord | undefined {
    const row = db.all("SELECT * FROM browser_sessions WHERE session_hash = ?", sessionHash)[0];
    return (
      row && {
        sessionHash,
        userId: String(row.user_id),
        createdAt: Number(row.created_at),
        lastSeenAt: Number(row.last_seen_at),
        expiresAt: Number(row.expires_at),
      }
    );
  },

  begin(db: SqlDatabase, event: AuditEvent): void {
    db.run(
      `INSERT INTO audit_events (id, organization_id, time, type, outcome, agent, user, tool, record, is_open, schema)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      ...[event.id, event.organizationId ?? "", event.time, event.type, "unknown"],
      ...[event.agent ?? null, event.user ?? null, event.tool ?? null],
      ...[JSON.stringify({ ...event, outcome: "unknown" }), 1, 1],
    );
  },

  event(db: SqlDatabase, { id }: AuditEvent): AuditEvent | undefined {
    const row = db.all("SELECT record FROM audit_events WHERE id = ?", id)[0];
    return row && (JSON.parse(String(row.record)) as AuditEvent);
  },
};
