import type { AuditEvent } from "../audit-log.ts";
import { NO_PINS, type PINS, type PinnedDefinition, type PinsKey, type PinsRecord } from "../pins.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, write } from "./operations.ts";

export const sqlPins: SqlOperations<typeof PINS> = {
  readPins: latest(readPins),
  replacePins: change(replacePins, (isReplaced) => isReplaced),
  keepDefinitions: write(keepDefinitions),
  definitions: latest(definitions),
  dropDefinitions: write(dropDefinitions),
};

function readPins(db: SqlDatabase, { organizationId, app }: PinsKey): PinsRecord {
  const [row] = db.all("SELECT record FROM tool_pins WHERE organization_id = ? AND app = ?", organizationId, app);
  return row === undefined ? NO_PINS : (JSON.parse(String(row.record)) as PinsRecord);
}

function replacePins(
  db: SqlDatabase,
  effects: Effects,
  { organizationId, app }: PinsKey,
  record: PinsRecord,
  events: readonly AuditEvent[],
): boolean {
  const { revision } = record;
  const row = [revision, JSON.stringify(record), RECORD_SCHEMA];
  return db.transaction(() => {
    const rows =
      revision === 1
        ? db.all(
            `INSERT INTO tool_pins (organization_id, app, revision, record, schema) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT DO NOTHING RETURNING 1`,
            ...[organizationId, app, ...row],
          )
        : db.all(
            `UPDATE tool_pins SET revision = ?, record = ?, schema = ?
             WHERE organization_id = ? AND app = ? AND revision = ? RETURNING 1`,
            ...[...row, organizationId, app, revision - 1],
          );
    if (rows.length === 0) return false;
    for (const event of events) effects.event(event);
    return true;
  });
}

function keepDefinitions(db: SqlDatabase, { organizationId, app }: PinsKey, kept: readonly PinnedDefinition[]): void {
  db.transaction(() => {
    for (const { digest, text } of kept)
      db.run(
        `INSERT INTO tool_definitions (organization_id, app, digest, text, schema) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        ...[organizationId, app, digest, text, RECORD_SCHEMA],
      );
  });
}

function definitions(
  db: SqlDatabase,
  { organizationId, app }: PinsKey,
  digests: readonly string[],
): readonly PinnedDefinition[] {
  if (digests.length === 0) return [];
  const rows = db.all(
    `SELECT digest, text FROM tool_definitions
     WHERE organization_id = ? AND app = ? AND digest IN (${digests.map(() => "?").join(", ")})`,
    ...[organizationId, app, ...digests],
  );
  return rows.map(({ digest, text }) => ({ digest: String(digest), text: String(text) }));
}

function dropDefinitions(db: SqlDatabase, { organizationId, app }: PinsKey, digests: readonly string[]): void {
  db.transaction(() => {
    for (const digest of digests)
      db.run(
        "DELETE FROM tool_definitions WHERE organization_id = ? AND app = ? AND digest = ?",
        ...[organizationId, app, digest],
      );
  });
}
