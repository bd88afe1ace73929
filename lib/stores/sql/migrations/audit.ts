import type { MigrationSet } from "../migrate.ts";

/** Adds a finished record to its sum. Whoever writes records, in whichever release, does so in the same transaction. */
function summing(name: string, event: string, when: string): string {
  return `CREATE TRIGGER ${name} AFTER ${event} ON audit_events
    WHEN ${when} AND NEW.organization_id <> ''
      AND NEW.type IN ('tool.invoked', 'token.issued', 'token.exchanged', 'token.refused')
    BEGIN
      INSERT INTO audit_sums
        (organization_id, start, type, outcome, app, tool, reason, limit_name, count, timed, duration_ms, longest_ms)
      VALUES (
        NEW.organization_id, NEW.time - NEW.time % 300000, NEW.type, NEW.outcome,
        CAST(COALESCE(json_extract(NEW.record, '$.app'), '') AS TEXT),
        COALESCE(NEW.tool, ''),
        CAST(COALESCE(json_extract(NEW.record, '$.reason'), '') AS TEXT),
        CAST(COALESCE(json_extract(NEW.record, '$.details.limit'), '') AS TEXT),
        NEW.count,
        json_extract(NEW.record, '$.durationMs') IS NOT NULL,
        CAST(COALESCE(json_extract(NEW.record, '$.durationMs'), 0) AS INTEGER),
        CAST(COALESCE(json_extract(NEW.record, '$.durationMs'), 0) AS INTEGER)
      )
      ON CONFLICT (organization_id, start, type, outcome, app, tool, reason, limit_name) DO UPDATE SET
        count = count + excluded.count,
        timed = timed + excluded.timed,
        duration_ms = duration_ms + excluded.duration_ms,
        longest_ms = MAX(longest_ms, excluded.longest_ms);
    END`;
}

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
    {
      // What finished records of some types come to, by five minutes, later by longer times (D268).
      version: 4,
      statements: [
        `CREATE TABLE audit_sums (
          organization_id TEXT NOT NULL,
          start INTEGER NOT NULL,
          type TEXT NOT NULL,
          outcome TEXT NOT NULL,
          app TEXT NOT NULL,
          tool TEXT NOT NULL,
          reason TEXT NOT NULL,
          limit_name TEXT NOT NULL,
          count INTEGER NOT NULL,
          timed INTEGER NOT NULL,
          duration_ms INTEGER NOT NULL,
          longest_ms INTEGER NOT NULL,
          PRIMARY KEY (organization_id, start, type, outcome, app, tool, reason, limit_name)
        ) STRICT, WITHOUT ROWID`,
        "CREATE INDEX audit_sums_of_minutes ON audit_sums (start) WHERE start % 3600000 <> 0",
        "CREATE INDEX audit_sums_of_hours ON audit_sums (start) WHERE start % 21600000 <> 0",
        "CREATE INDEX audit_sums_of_quarters ON audit_sums (start) WHERE start % 86400000 <> 0",
        "CREATE INDEX audit_sums_of_days ON audit_sums (start) WHERE start % 86400000 = 0",
        summing("audit_sums_written", "INSERT", "NEW.is_open = 0"),
        summing("audit_sums_completed", "UPDATE OF is_open", "OLD.is_open = 1 AND NEW.is_open = 0"),
        // Records from before are in no sum: sums tell of the time after the last of them.
        "CREATE TABLE audit_sums_since (time INTEGER NOT NULL) STRICT",
        `INSERT INTO audit_sums_since
         SELECT COALESCE((SELECT time + 1 FROM audit_events ORDER BY id DESC LIMIT 1), 0)`,
      ],
    },
  ],
};
