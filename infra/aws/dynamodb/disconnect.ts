import { DeleteItemCommand, type TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { ulid } from "../../../lib/kernel/ids.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { disconnectPerson } from "./connections.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { disconnectedKey, disconnectedPartition, type ItemKey } from "./keys.ts";
import { readRange } from "./reads.ts";

/** Milliseconds after which the process that began it does not go on with it. */
const SETTLED = 60_000;
const PAGE_SIZE = 100;

/** People who may not act in these organizations any more. */
interface Disconnected {
  readonly organizationIds: readonly string[];
  readonly people: readonly string[];
  readonly at: number;
}

/** To be written together with what ends the people's right, and carried out afterwards. */
export interface Disconnecting {
  readonly write: TransactWriteItem | undefined;
  carryOut(): Promise<void>;
}

/** What is not carried out because this process ends is the sweep's. */
export function disconnecting(database: Database, audit: AuditWriter, people: Disconnected): Disconnecting {
  if (people.people.length === 0 || people.organizationIds.length === 0) {
    return { write: undefined, carryOut: async () => undefined };
  }
  const key = disconnectedKey(people.at, ulid(people.at, database.random));
  return {
    write: { Put: { TableName: database.tables.records, Item: toItem(key, people) } },
    carryOut: () => disconnect(database, audit, key, people),
  };
}

/** Carries out what was begun a while ago. */
export async function sweepDisconnected(database: Database, audit: AuditWriter, now: number): Promise<void> {
  const range = { table: "records", direction: "ascending", pageSize: PAGE_SIZE } as const;
  for await (const item of readRange(database, { ...range, partition: disconnectedPartition })) {
    const people = fromItem<Disconnected>(item);
    if (people.at > now - SETTLED) return;
    await disconnect(database, audit, { pk: disconnectedPartition, sk: item.sk?.S as string }, people);
  }
}

async function disconnect(
  database: Database,
  audit: AuditWriter,
  key: ItemKey,
  { organizationIds, people, at }: Disconnected,
): Promise<void> {
  for (const organizationId of organizationIds) {
    for (const person of people) await disconnectPerson(database, audit, { organizationId, person, at });
  }
  await database.client.send(new DeleteItemCommand({ TableName: database.tables.records, Key: keyAttributes(key) }));
}
