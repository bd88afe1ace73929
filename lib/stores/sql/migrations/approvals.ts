import type { MigrationSet } from "../migrate.ts";

/**
 * Calls that people approve. The columns beside the record are what it is found and counted by. On Cloudflare the token shards hold a
 * share each, all of an organization in one.
 */
export const approvalMigrations: MigrationSet = {
  name: "approvals",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE approvals (
          approval_id TEXT PRIMARY KEY,
          organization_id TEXT NOT NULL,
          digest TEXT NOT NULL,
          caller TEXT NOT NULL,
          state TEXT NOT NULL,
          live_until INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX approvals_of_organization ON approvals (organization_id, approval_id)",
        "CREATE INDEX approvals_by_digest ON approvals (organization_id, digest)",
        "CREATE INDEX approvals_live ON approvals (organization_id, live_until)",
        "CREATE INDEX approvals_by_expiry ON approvals (expires_at)",
      ],
    },
  ],
};
