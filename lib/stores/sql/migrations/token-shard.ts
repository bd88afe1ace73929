import type { MigrationSet } from "../migrate.ts";

/** Tokens, used single-use values and tombstones. On Cloudflare 256 objects hold a share each. */
export const tokenShardMigrations: MigrationSet = {
  name: "token-shard",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE tokens (
          hash TEXT PRIMARY KEY,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`,
        "CREATE INDEX tokens_by_expiry ON tokens (expires_at)",
        `CREATE TABLE single_use (
          namespace TEXT NOT NULL,
          key TEXT NOT NULL,
          expires_at INTEGER NOT NULL,
          PRIMARY KEY (namespace, key)
        ) STRICT, WITHOUT ROWID`,
        "CREATE INDEX single_use_by_expiry ON single_use (expires_at)",
        `CREATE TABLE tombstones (
          id TEXT PRIMARY KEY,
          expires_at INTEGER
        ) STRICT, WITHOUT ROWID`,
        "CREATE INDEX tombstones_by_expiry ON tombstones (expires_at) WHERE expires_at IS NOT NULL",
      ],
    },
  ],
};
