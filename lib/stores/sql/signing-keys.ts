import type { AuditEvent } from "../audit-log.ts";
import type { KeySet, SigningKeyRecord } from "../signing-keys.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";

export function readSigningKeys(db: SqlDatabase): KeySet {
  const row = db.all("SELECT revision, keys FROM signing_keys")[0];
  if (row === undefined) return { revision: 0, keys: [] };
  return { revision: Number(row.revision), keys: JSON.parse(String(row.keys)) as readonly SigningKeyRecord[] };
}

export function replaceSigningKeys(
  db: SqlDatabase,
  consequences: Consequences,
  expectedRevision: number,
  keys: readonly SigningKeyRecord[],
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    if (readSigningKeys(db).revision !== expectedRevision) return false;
    db.run(
      `INSERT INTO signing_keys (id, revision, keys, schema) VALUES (1, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, keys = excluded.keys, schema = excluded.schema`,
      expectedRevision + 1,
      JSON.stringify(keys),
      RECORD_SCHEMA,
    );
    consequences.event(event);
    return true;
  });
}
