import type { AuditEvent } from "../audit-log.ts";
import type { SETTINGS, SettingsRecord } from "../settings.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { change, type Effects, latest, type SqlOperations } from "./operations.ts";

export const sqlSettings: SqlOperations<typeof SETTINGS> = {
  readSettings: latest(readSettings),
  replaceSettings: change(replaceSettings),
};

export function readSettings(db: SqlDatabase): SettingsRecord {
  const row = db.all("SELECT record FROM settings")[0];
  return row === undefined ? { revision: 0, values: {} } : (JSON.parse(String(row.record)) as SettingsRecord);
}

export function replaceSettings(db: SqlDatabase, effects: Effects, record: SettingsRecord, event: AuditEvent): boolean {
  return db.transaction(() => {
    if (readSettings(db).revision !== record.revision - 1) return false;
    db.run(
      `INSERT INTO settings (id, revision, record, schema) VALUES (1, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, record = excluded.record, schema = excluded.schema`,
      record.revision,
      JSON.stringify(record),
      RECORD_SCHEMA,
    );
    effects.event(event);
    return true;
  });
}
