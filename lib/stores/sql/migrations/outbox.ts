import type { MigrationSet } from "../migrate.ts";

/** What a committed change still has to tell another database. Only where the sets live in separate databases. */
export const outboxMigrations: MigrationSet = {
  name: "outbox",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE outbox (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          entry TEXT NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT`,
      ],
    },
  ],
};
