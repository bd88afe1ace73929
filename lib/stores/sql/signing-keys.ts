import type { AuditEvent } from "../audit-log.ts";
import type { KeySet, SIGNING_KEYS, SigningKeyRecord } from "../signing-keys.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { change, type Effects, latest, type SqlOperations } from "./operations.ts";

export const sqlSigningKeys: SqlOperations<typeof SIGNING_KEYS> = {
  read: latest(readSigningKeys),
  replace: change(replaceSigningKeys),
};

function readSigningKeys(db: SqlDatabase): KeySet {
  const row = db.all("SELECT revision, keys FROM signing_keys")[0];
  if (row === undefined) return { revision: 0, keys: [] };
  return { revision: Number(row.revision), keys: JSON.parse(String(row.keys)) as readonly SigningKeyRecord[] };
}

export function replaceSigningKeys(
  db: SqlDatabase,
  effects: Effects,
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
    effects.event(event);
    return true;
  });
}
