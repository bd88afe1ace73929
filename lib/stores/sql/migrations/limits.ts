import type { MigrationSet } from "../migrate.ts";

/** Counts of limits, in the databases of tokens: many callers have one each. */
export const limitMigrations: MigrationSet = {
  name: "limits",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE limits (
          key TEXT PRIMARY KEY,
          value REAL NOT NULL,
          expires_at INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
        "CREATE INDEX limits_by_expiry ON limits (expires_at)",
      ],
    },
  ],
};
