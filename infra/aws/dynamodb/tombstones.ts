import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { StoppableRecord } from "../../../lib/stores/stop-subjects.ts";
import type { Tombstone } from "../../../lib/stores/tombstone.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { stopRevisionKey, tombstoneKey } from "./keys.ts";
import { readItems } from "./reads.ts";
import { isStopped, REVISION_ITEMS, revisionOf } from "./stops.ts";

/** A tombstone on an id (D24). With `expiresAt` it goes when nothing it ends can be alive any more. */
export function tombstoneWrite(
  database: Database,
  { id, expiresAt }: Tombstone,
  options: { readonly unlessPresent?: boolean } = {},
): TransactWriteItem {
  return {
    Put: {
      TableName: database.tables.records,
      Item: toItem(tombstoneKey(id), { id }, expiresAt),
      ...(options.unlessPresent && { ConditionExpression: "attribute_not_exists(pk)" }),
    },
  };
}

/** Makes a transaction fail once the id is ended, so that of the two one is first. */
export function unlessEnded(database: Database, id: string): TransactWriteItem {
  return {
    ConditionCheck: {
      TableName: database.tables.records,
      Key: keyAttributes(tombstoneKey(id)),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** Among the ids that are ended: what they are of is stopped (D171). */
export const STOPPED = "stopped";

/** Which of the ids are ended, and `STOPPED` where one of the records that they are of is. */
export async function readTombstones(
  database: Database,
  ids: readonly string[],
  ...of: readonly StoppableRecord[]
): Promise<ReadonlySet<string>> {
  const [byte = 0] = database.random.bytes(1);
  const keys = [...[...new Set(ids)].map(tombstoneKey), stopRevisionKey(byte % REVISION_ITEMS)];
  const items = await readItems(database, "records", keys);
  const revision = Math.max(...items.map(revisionOf), 0);
  const ended = items.flatMap((item) => item.id?.S ?? []);
  return new Set((await isStopped(database, revision, of)) ? [...ended, STOPPED] : ended);
}
