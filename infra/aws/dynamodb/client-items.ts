import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import type { Item } from "./attributes.ts";
import type { Database } from "./database.ts";
import { fromItem, toItem } from "./items.ts";
import { clientKey, clientUsesKey } from "./keys.ts";
import { readItems } from "./reads.ts";

/** A strongly consistent read of one client. */
export async function readClient(database: Database, clientId: string): Promise<ApiClientRecord | undefined> {
  return (await readClients(database, [clientId])).get(clientId);
}

/** Strongly consistent reads of many clients by id; what does not exist is left out. The ids are distinct. */
export async function readClients(
  database: Database,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, ApiClientRecord>> {
  const keys = clientIds.flatMap((clientId) => [clientKey(clientId), clientUsesKey(clientId)]);
  const items = new Map((await readItems(database, "records", keys)).map((item) => [item.pk?.S, item]));
  const found = clientIds.flatMap((clientId): [string, ApiClientRecord][] => {
    const item = items.get(clientKey(clientId).pk);
    return item === undefined ? [] : [[clientId, clientOf(item, items.get(clientUsesKey(clientId).pk))]];
  });
  return new Map(found);
}

/** The client's own item. When its key pairs were used is in another one, which changes without the client. */
export function toClientItem(record: ApiClientRecord): Item {
  const keyPairs = record.keyPairs.map(({ lastUsedAt: _, ...keyPair }) => keyPair);
  return toItem(clientKey(record.clientId), { ...record, keyPairs });
}

/** Items of releases that knew no `grantRevision` read as the first one. */
function clientOf(item: Item, usesItem: Item | undefined): ApiClientRecord {
  const record = fromItem<ApiClientRecord>(item);
  const hours = usesItem === undefined ? {} : fromItem<Readonly<Record<string, number>>>(usesItem);
  const keyPairs = record.keyPairs.map((keyPair) => {
    const lastUsedAt = hours[keyPair.keyPairId];
    return lastUsedAt === undefined ? keyPair : { ...keyPair, lastUsedAt };
  });
  return { ...record, grantRevision: record.grantRevision ?? 1, keyPairs };
}
