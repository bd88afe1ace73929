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
    {
      // Records in the order of their arrival, found through an index of their hashes: a new one changes few pages, where
      // records ordered by random hashes changed many. Columns stay, so that the former release goes on with this table.
      version: 2,
      statements: [
        `CREATE TABLE tokens_by_arrival (
          hash TEXT NOT NULL UNIQUE,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        `INSERT INTO tokens_by_arrival (hash, expires_at, record, schema)
         SELECT hash, expires_at, record, schema FROM tokens ORDER BY expires_at`,
        "DROP TABLE tokens",
        "ALTER TABLE tokens_by_arrival RENAME TO tokens",
        "CREATE INDEX tokens_by_expiry ON tokens (expires_at)",
      ],
    },
  ],
};
