import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Tombstone } from "../../../lib/stores/tombstone.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { tombstoneKey } from "./keys.ts";
import { readItems } from "./reads.ts";

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

/** Which of the ids are ended. */
export async function readTombstones(database: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const items = await readItems(database, "records", [...new Set(ids)].map(tombstoneKey));
  return new Set(items.map((item) => item.id?.S as string));
}
