import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NodeSqlDatabase, nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import { sessionExpired } from "../../lib/stores/mcp-session-expiry.ts";
import { redeemCode, startChain } from "../../lib/stores/sql/chains.ts";
import { localEffects } from "../../lib/stores/sql/effects.ts";
import { beginInteraction, giveConsent } from "../../lib/stores/sql/grants.ts";
import { cleanTokenShard } from "../../lib/stores/sql/housekeeping.ts";
import {
  createMcpSession,
  endMcpSession,
  expireMcpSessions,
  getMcpSession,
  useMcpSession,
} from "../../lib/stores/sql/mcp-sessions.ts";
import { type MigrationSet, migrate } from "../../lib/stores/sql/migrate.ts";
import { auditMigrations } from "../../lib/stores/sql/migrations/audit.ts";
import { mcpSessionMigrations } from "../../lib/stores/sql/migrations/mcp-sessions.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { stopMigrations } from "../../lib/stores/sql/migrations/stops.ts";
import { tokenShardMigrations } from "../../lib/stores/sql/migrations/token-shard.ts";
import type { Effects } from "../../lib/stores/sql/operations.ts";
import {
  lastPosted,
  outboxEffects,
  pendingOutbox,
  pendingTombstones,
  settleOutbox,
} from "../../lib/stores/sql/outbox.ts";
import { allMigrations } from "../../lib/stores/sql/stores.ts";
import { introspectToken, issueToken, revokeToken } from "../../lib/stores/sql/tokens.ts";
import { addTombstones, firstTombstone } from "../../lib/stores/sql/tombstones.ts";
import { tombstoneId } from "../../lib/stores/tombstone.ts";
import {
  authorizationCode,
  consent,
  consentEvent,
  grantOn,
  interaction,
  redemptionOf,
  referenceOf,
} from "../contract/grant-records.ts";
import { apiClient, auditEvent, MINUTE, mcpSession, mcpSessionEvent, tokenIssue } from "../contract/records.ts";

let folder: string;
let db: NodeSqlDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-details-"));
  db = nodeSqlDatabase(new DatabaseSync(join(folder, "details.db")));
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

test("migrating twice changes nothing, and a later release adds only its own steps", () => {
  const first: MigrationSet = {
    name: "things",
    migrations: [{ version: 1, statements: ["CREATE TABLE things (a)", "INSERT INTO things VALUES (1)"] }],
  };
  const second: MigrationSet = {
    ...first,
    migrations: [...first.migrations, { version: 2, statements: ["ALTER TABLE things ADD COLUMN b DEFAULT 2"] }],
  };
  migrate(db, [first]);
  migrate(db, [first]);
  migrate(db, [second]);
  migrate(db, [first]);
  expect(db.all("SELECT a, b FROM things").map((row) => ({ ...row }))).toEqual([{ a: 1, b: 2 }]);
});

test("a migration that fails leaves the database as it was", () => {
  const broken: MigrationSet = {
    name: "broken",
    migrations: [{ version: 1, statements: ["CREATE TABLE half (a)", "CREATE NONSENSE"] }],
  };
  expect(() => migrate(db, [broken])).toThrow();
  expect(db.all("SELECT name FROM sqlite_master WHERE name = 'half'")).toEqual([]);
});

test("a revoked chain makes its tokens inactive", () => {
  migrate(db, allMigrations);
  const request = tokenIssue(apiClient());
  issueToken(db, localEffects(db), request);
  addTombstones(db, [{ id: tombstoneId.chain(request.token.chainId) }]);
  expect(introspectToken(db, request.reference, request.token.issuedAt)).toBeUndefined();
});

test("housekeeping deletes what expired before the margin, in batches, and nothing else", () => {
  migrate(db, allMigrations);
  const client = apiClient();
  const issuedAt = Date.now();
  const lifetimes = [MINUTE, MINUTE, MINUTE, 60 * MINUTE];
  for (const [i, lifetime] of lifetimes.entries()) {
    const options = { issuedAt, lifetime, assertionId: `a-${i}`, assertionExpiresAt: issuedAt + lifetime };
    const request = tokenIssue(client, options);
    issueToken(db, localEffects(db), request);
    revokeToken(db, localEffects(db), request.reference, issuedAt, auditEvent());
  }
  addTombstones(db, [{ id: tombstoneId.client("client_gone") }]);
  const rows = () => ["tokens", "single_use", "tombstones"].map((table) => db.all(`SELECT 1 FROM ${table}`).length);

  const now = issuedAt + MINUTE + EXPIRY_MARGIN;
  expect(cleanTokenShard(db, now - 1, 2)).toBe(false);
  expect(rows()).toEqual([4, 4, 5]);
  expect(cleanTokenShard(db, now, 2)).toBe(true);
  expect(rows()).toEqual([2, 2, 3]);
  expect(cleanTokenShard(db, now, 2)).toBe(false);
  expect(rows()).toEqual([1, 1, 2]);
  expect(firstTombstone(db, [tombstoneId.client("client_gone")])).toBe("client/client_gone");
});

test("housekeeping deletes interactions, codes, refresh tokens and grants that expired, and leaves consents", () => {
  migrate(db, allMigrations);
  const effects = localEffects(db);
  const createdAt = Date.now();
  for (const lifetime of [MINUTE, 60 * MINUTE]) {
    const expiresAt = createdAt + lifetime;
    beginInteraction(db, interaction({ expiresAt }));
    const given = consent();
    giveConsent(db, effects, given, consentEvent(given, "consent.given"));
    const grant = grantOn(given, { createdAt, expiresAt });
    const reference = referenceOf(grant);
    expect(startChain(db, grant, authorizationCode({ expiresAt }), reference)).toBe(true);
    const redemption = redemptionOf(grant, reference, createdAt);
    const refreshToken = { ...redemption.refreshToken, record: { scopes: [], expiresAt } };
    expect(redeemCode(db, effects, { ...redemption, refreshToken })).toBe("redeemed");
  }
  const tables = ["interactions", "authorization_codes", "refresh_tokens", "grants", "consents"];
  const rows = () => tables.map((table) => db.all(`SELECT 1 FROM ${table}`).length);

  const now = createdAt + MINUTE + EXPIRY_MARGIN;
  cleanTokenShard(db, now - 1, 10);
  expect(rows()).toEqual([2, 2, 2, 2, 2]);
  cleanTokenShard(db, now, 10);
  expect(rows()).toEqual([1, 1, 1, 1, 2]);
  cleanTokenShard(db, now + 60 * MINUTE, 10);
  expect(rows()).toEqual([0, 0, 0, 0, 2]);
});

test("expired sessions are deleted after the margin, in batches, each together with its record, and no other is", () => {
  migrate(db, [mcpSessionMigrations, outboxMigrations]);
  const effects = outboxEffects(db);
  const startedAt = Date.now();
  const sessions = [1, 2, 3, 60].map((minutes) => mcpSession({ startedAt, timeout: minutes * MINUTE }));
  for (const session of sessions) {
    createMcpSession(db, effects, session, mcpSessionEvent(session, "session.started"));
  }
  settleOutbox(
    db,
    pendingOutbox(db, "event", { limit: 10 }).map(({ sequence }) => sequence),
  );
  const expired = () => pendingOutbox(db, "event", { limit: 10 }).map(({ message }) => message.event);
  const kept = () => db.all("SELECT 1 FROM mcp_sessions").length;

  const now = startedAt + 2 * MINUTE + 2_000 + EXPIRY_MARGIN;
  expect(expireMcpSessions(db, effects, now - 1, 2)).toBe(false);
  expect([kept(), expired()]).toEqual([3, sessions.slice(0, 1).map(sessionExpired)]);
  expect(expireMcpSessions(db, effects, now + 10 * MINUTE, 2)).toBe(true);
  expect([kept(), expired()]).toEqual([1, sessions.slice(0, 3).map(sessionExpired)]);
  expect(expireMcpSessions(db, effects, now + 10 * MINUTE, 2)).toBe(false);
  expect([kept(), expired().length]).toEqual([1, 3]);
});

test("a session stays when the record of its expiry cannot be written", () => {
  migrate(db, [mcpSessionMigrations, auditMigrations]);
  const session = mcpSession();
  createMcpSession(db, localEffects(db), session, mcpSessionEvent(session, "session.started"));
  const failing: Effects = {
    ...localEffects(db),
    event: () => {
      throw new Error("full");
    },
  };
  const later = session.startedAt + 120 * MINUTE;
  expect(() => expireMcpSessions(db, failing, later, 10)).toThrow("full");
  expect(getMcpSession(db, session.sessionHash, session.startedAt)).toEqual(session);
  expect(() => endMcpSession(db, failing, session.sessionHash, session.startedAt, auditEvent())).toThrow("full");
  expect(useMcpSession(db, session, session.startedAt)).toEqual(session);
});

test("an outbox keeps effects in order until they are settled, and drops those of an undone change", () => {
  migrate(db, [stopMigrations, stopMigrations, tokenShardMigrations, outboxMigrations]);
  const effects = outboxEffects(db);
  const request = tokenIssue(apiClient(), { assertionId: "one" });
  issueToken(db, effects, request);
  effects.tombstones("client_1", [{ id: "key/key_1" }]);
  expect(issueToken(db, effects, request)).toEqual({ outcome: "refused", reason: "assertion_used" });
  expect(() =>
    db.transaction(() => {
      effects.event(auditEvent());
      throw new Error("undone");
    }),
  ).toThrow("undone");
  const second = tokenIssue(apiClient());
  issueToken(db, effects, second);

  const events = pendingOutbox(db, "event", { limit: 10 });
  const tombstones = pendingOutbox(db, "tombstones", { limit: 10 });
  expect(events.map((entry) => entry.message)).toEqual([
    { kind: "event", event: request.event },
    { kind: "event", event: second.event },
  ]);
  expect(tombstones.map((entry) => entry.message)).toEqual([
    { kind: "tombstones", clientId: "client_1", tombstones: [{ id: "key/key_1" }] },
  ]);
  expect(pendingTombstones(db, "client_1")).toEqual(tombstones);
  expect(pendingTombstones(db, "client_2")).toEqual([]);
  expect(lastPosted(db)).toBe(events[1]?.sequence);

  settleOutbox(
    db,
    events.slice(0, 1).map((entry) => entry.sequence),
  );
  expect(pendingOutbox(db, "event", { limit: 10 })).toEqual(events.slice(1));
  expect(pendingOutbox(db, "event", { after: events[1]?.sequence ?? 0, limit: 10 })).toEqual([]);
  expect(pendingTombstones(db, "client_1")).toEqual(tombstones);
});
