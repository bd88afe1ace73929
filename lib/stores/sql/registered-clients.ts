import type { AuditEvent } from "../audit-log.ts";
import type { REGISTERED_CLIENTS, RegisteredClientRecord } from "../registered-clients.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { change, type Effects, latest, type SqlOperations } from "./operations.ts";

export const sqlRegisteredClients: SqlOperations<typeof REGISTERED_CLIENTS> = {
  create: change(createRegisteredClient),
  get: latest(getRegisteredClient),
};

export function createRegisteredClient(
  db: SqlDatabase,
  effects: Effects,
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
    effects.event(event);
  });
}

function getRegisteredClient(db: SqlDatabase, clientId: string): RegisteredClientRecord | undefined {
  const row = db.all("SELECT record FROM registered_clients WHERE client_id = ?", clientId)[0];
  return row && (JSON.parse(String(row.record)) as RegisteredClientRecord);
}
