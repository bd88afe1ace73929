import type { AuditEvent } from "../audit-log.ts";
import type { RegisteredClientRecord } from "../registered-clients.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";

export function createRegisteredClient(
  db: SqlDatabase,
  consequences: Consequences,
  record: RegisteredClientRecord,
  event: AuditEvent,
): void {
  db.transaction(() => {
    db.run(
      "INSERT INTO registered_clients (client_id, record, schema) VALUES (?, ?, ?)",
      record.clientId,
      JSON.stringify(record),
      RECORD_SCHEMA,
    );
    consequences.event(event);
  });
}

export function getRegisteredClient(db: SqlDatabase, clientId: string): RegisteredClientRecord | undefined {
  const row = db.all("SELECT record FROM registered_clients WHERE client_id = ?", clientId)[0];
  return row && (JSON.parse(String(row.record)) as RegisteredClientRecord);
}
