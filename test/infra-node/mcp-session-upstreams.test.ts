import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NodeSqlDatabase, nodeSqlDatabase } from "../../infra/node/sqlite/database.ts";
import { sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import { getMcpSession, setMcpSessionUpstream } from "../../lib/stores/sql/mcp-sessions.ts";
import { migrate } from "../../lib/stores/sql/migrate.ts";
import { mcpSessionMigrations } from "../../lib/stores/sql/migrations/mcp-sessions.ts";
import { mcpSession, upstreamSession } from "../contract/records.ts";

let db: NodeSqlDatabase;

beforeEach(() => {
  db = nodeSqlDatabase(new DatabaseSync(":memory:"));
});

afterEach(() => db.close());

test("sessions of schema version 1, also those that its release writes on, get sessions at upstreams and keep them", () => {
  migrate(db, [{ ...mcpSessionMigrations, migrations: mcpSessionMigrations.migrations.slice(0, 1) }]);
  const [before, after] = [mcpSession(), mcpSession()];
  insertAsVersion1(before);
  migrate(db, [mcpSessionMigrations]);
  insertAsVersion1(after);
  for (const session of [before, after]) {
    const { sessionHash, startedAt } = session;
    expect(getMcpSession(db, sessionHash, startedAt)).toEqual(session);
    const upstream = upstreamSession();
    const kept = { ...session, upstreams: { library: upstream } };
    const change = { app: "library", upstream, replaces: undefined };
    expect(setMcpSessionUpstream(db, session, change, startedAt)).toEqual(kept);
    useAsVersion1(session, startedAt + 1);
    expect(getMcpSession(db, sessionHash, startedAt)).toEqual({ ...kept, lastSeenAt: startedAt + 1 });
  }
});

/** As the release without a column of upstreams does. */
function insertAsVersion1({ lastSeenAt, ...constant }: McpSessionRecord): void {
  db.run(
    `INSERT INTO mcp_sessions
       (session_hash, organization_id, started_at, last_seen_at, expires_at, log_level, record, schema)
     VALUES (?, ?, ?, ?, ?, NULL, ?, 1)`,
    ...[constant.sessionHash, constant.organizationId ?? null, constant.startedAt, lastSeenAt],
    ...[sessionExpiresAt({ ...constant, lastSeenAt }), JSON.stringify(constant)],
  );
}

function useAsVersion1({ sessionHash }: McpSessionRecord, lastSeenAt: number): void {
  db.run("UPDATE mcp_sessions SET last_seen_at = ? WHERE session_hash = ?", lastSeenAt, sessionHash);
}
