import type { MigrationSet } from "../migrate.ts";

/** Agents' sessions. On Cloudflare an object holds one of them, together with the outbox. */
export const mcpSessionMigrations: MigrationSet = {
  name: "mcp-sessions",
  migrations: [
    {
      version: 1,
      statements: [
        // Records in the order of their arrival: a new one changes few pages. What changes again and again has columns of its own.
        `CREATE TABLE mcp_sessions (
          session_hash TEXT NOT NULL UNIQUE,
          organization_id TEXT,
          started_at INTEGER NOT NULL,
          last_seen_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          log_level TEXT,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX mcp_sessions_by_expiry ON mcp_sessions (expires_at)",
        `CREATE INDEX mcp_sessions_by_organization ON mcp_sessions (organization_id, started_at, session_hash)
         WHERE organization_id IS NOT NULL`,
      ],
    },
    {
      // A release of version 1 leaves them as they are; a session of its own has none.
      version: 2,
      statements: ["ALTER TABLE mcp_sessions ADD COLUMN upstreams TEXT"],
    },
  ],
};
