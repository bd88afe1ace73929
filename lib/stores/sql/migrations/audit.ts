import type { MigrationSet } from "../migrate.ts";

/** Audit records. The ULID orders them by time; instance-wide ones have the organization ''. */
export const auditMigrations: MigrationSet = {
  name: "audit",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE audit_events (
          id TEXT PRIMARY KEY,
          organization_id TEXT NOT NULL,
          time INTEGER NOT NULL,
          type TEXT NOT NULL,
          outcome TEXT NOT NULL,
          agent TEXT,
          user TEXT,
          tool TEXT,
          record TEXT NOT NULL,
          is_open INTEGER NOT NULL,
          schema INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID`,
        "CREATE INDEX audit_events_by_organization ON audit_events (organization_id, id)",
      ],
    },
    {
      // How many facts a record stands for (D157). A release of version 1 inserts the default.
      version: 2,
      statements: ["ALTER TABLE audit_events ADD COLUMN count INTEGER NOT NULL DEFAULT 1"],
    },
    {
      // What is left of records that were deleted by their age (D158): how many there were on a day.
      version: 3,
      statements: [
        `CREATE TABLE audit_counts (
          organization_id TEXT NOT NULL,
          day TEXT NOT NULL,
          type TEXT NOT NULL,
          outcome TEXT NOT NULL,
          count INTEGER NOT NULL,
          PRIMARY KEY (organization_id, day, type, outcome)
        ) STRICT, WITHOUT ROWID`,
      ],
    },
  ],
};
