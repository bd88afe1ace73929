import type { MigrationSet } from "../migrate.ts";

/**
 * People's accounts at providers. The columns beside the record are what it is found by. On Cloudflare the token shards hold a share
 * each, all of an organization's person in one.
 */
export const connectionMigrations: MigrationSet = {
  name: "connections",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE connections (
          organization_id TEXT NOT NULL,
          person TEXT NOT NULL,
          app TEXT NOT NULL,
          agent TEXT NOT NULL,
          key_id TEXT NOT NULL,
          deleted_at INTEGER,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL,
          UNIQUE (organization_id, person, app, agent)
        ) STRICT`,
        "CREATE INDEX connections_by_key ON connections (key_id, organization_id, person, app, agent)",
        "CREATE INDEX connections_deleted ON connections (deleted_at) WHERE deleted_at IS NOT NULL",
      ],
    },
  ],
};
