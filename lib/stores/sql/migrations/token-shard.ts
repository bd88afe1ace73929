import type { MigrationSet } from "../migrate.ts";

/**
 * Tokens, used single-use values, tombstones, and all that sign-ins leave: interactions, consents, grants with their codes and
 * refresh tokens, clients that registered themselves. On Cloudflare 256 objects hold a share each.
 */
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
    {
      version: 3,
      statements: [
        `CREATE TABLE interactions (
          interaction_hash TEXT NOT NULL UNIQUE,
          revision INTEGER NOT NULL,
          content TEXT NOT NULL,
          expires_at INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX interactions_by_expiry ON interactions (expires_at)",
        `CREATE TABLE consents (
          subject TEXT NOT NULL,
          client_id TEXT NOT NULL,
          consent_id TEXT NOT NULL,
          scopes TEXT NOT NULL,
          resources TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          schema INTEGER NOT NULL,
          UNIQUE (subject, client_id)
        ) STRICT`,
        `CREATE TABLE grants (
          chain_id TEXT NOT NULL UNIQUE,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX grants_by_expiry ON grants (expires_at)",
        // `used_by`: id of the event of the redemption. One that comes a second time, its answer lost, is known by it.
        `CREATE TABLE authorization_codes (
          hash TEXT NOT NULL UNIQUE,
          chain_id TEXT NOT NULL,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          used_by TEXT,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at)",
        `CREATE TABLE refresh_tokens (
          hash TEXT NOT NULL UNIQUE,
          chain_id TEXT NOT NULL,
          expires_at INTEGER NOT NULL,
          record TEXT NOT NULL,
          rotated_at INTEGER,
          used_by TEXT,
          sealed_successor TEXT,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at)",
        `CREATE TABLE registered_clients (
          client_id TEXT NOT NULL UNIQUE,
          record TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
      ],
    },
    {
      // A release of version 3 notes no use: what it knows of a consent stays as it is.
      version: 4,
      statements: [
        "ALTER TABLE consents ADD COLUMN last_used_at INTEGER",
        "CREATE INDEX consents_by_client ON consents (client_id, subject)",
      ],
    },
    {
      // A release of version 4 writes no names: those that are there stay as they are.
      version: 5,
      statements: ["ALTER TABLE consents ADD COLUMN subject_name TEXT"],
    },
  ],
};
