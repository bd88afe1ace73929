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
    {
      // What must be delivered first is found although much else waits.
      version: 2,
      statements: [
        "ALTER TABLE outbox ADD COLUMN kind TEXT GENERATED ALWAYS AS (json_extract(entry, '$.kind')) VIRTUAL",
        "CREATE INDEX outbox_by_kind ON outbox (kind, sequence)",
      ],
    },
  ],
};
