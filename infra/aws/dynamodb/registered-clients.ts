import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { RegisteredClientRecord, RegisteredClients } from "../../../lib/stores/registered-clients.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { registeredClientKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { putNew, transact } from "./writes.ts";

/** Metadata is kept as the text it is: JSON has nulls, numbers and depths that attributes have not. */
type ItemOfClient = Omit<RegisteredClientRecord, "metadata"> & { readonly metadata: string };

/** Clients that registered themselves, one item each in the records table. No read is cached. */
export function dynamoRegisteredClients(database: Database, audit: AuditWriter): RegisteredClients {
  return {
    create: (record, event) => create(database, audit, record, event),
    get: (clientId) => get(database, clientId),
  };
}

async function create(
  database: Database,
  audit: AuditWriter,
  record: RegisteredClientRecord,
  event: AuditEvent,
): Promise<void> {
  const item: ItemOfClient = { ...record, metadata: JSON.stringify(record.metadata) };
  const failed = await transact(database, {
    client: putNew(database, registeredClientKey(record.clientId), item),
    event: await audit.write(event),
  });
  if (failed.size > 0) throw new Error(`client ${record.clientId} exists`);
}

async function get(database: Database, clientId: string): Promise<RegisteredClientRecord | undefined> {
  const item = await readRecord<ItemOfClient>(database, "records", registeredClientKey(clientId));
  return item && { ...item, metadata: JSON.parse(item.metadata) as JsonObject };
}
