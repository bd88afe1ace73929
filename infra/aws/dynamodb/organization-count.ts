import { PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../../lib/kernel/clock.ts";
import type { Database } from "./database.ts";
import { type Item, toItem } from "./items.ts";
import { type ItemKey, organizationsCountedKey, severalOrganizationsKey } from "./keys.ts";
import { readRecord } from "./reads.ts";

/** Pages of at most 1 MB that are read of the table at a time: nobody waits for all of a large one. */
const PAGES = 10;
/** How long it is believed that there is one organization, milliseconds: only a former release makes another without the item. */
const LOOK_AGAIN = 86_400_000;

/**
 * Whether there is an organization beyond the first. Who makes one writes an item that says so. Where a former release has made
 * them there is none: then the table is looked through, over several calls where it is large, and what was found is kept.
 */
export function severalOrganizations(database: Database, clock: Clock): () => Promise<boolean> {
  const found = new Set<string>();
  let after: Item | undefined;
  let quietUntil = 0;

  /** Reads on from where the last call ended. True: it has come to the end. */
  async function lookOn(): Promise<boolean> {
    let start = after;
    for (let page = 0; page < PAGES && found.size < 2; page++) {
      const { Items = [], LastEvaluatedKey } = await database.client.send(
        new ScanCommand({
          TableName: database.tables.records,
          FilterExpression: "sk = :organization",
          ExpressionAttributeValues: { ":organization": { S: "organization" } },
          ProjectionExpression: "pk",
          ...(start !== undefined && { ExclusiveStartKey: start }),
        }),
      );
      for (const { pk } of Items) if (pk?.S !== undefined) found.add(pk.S);
      start = LastEvaluatedKey;
      after = start;
      if (start === undefined) return true;
    }
    return false;
  }

  return async () => {
    if ((await readRecord(database, "records", severalOrganizationsKey)) !== undefined) return true;
    const now = clock.now();
    if (now < quietUntil) return false;
    const counted = await readRecord<{ at: number }>(database, "records", organizationsCountedKey);
    quietUntil = (counted?.at ?? 0) + LOOK_AGAIN;
    if (now < quietUntil) return false;
    const isAtEnd = await lookOn();
    if (found.size > 1) await keep(database, severalOrganizationsKey, {});
    else if (isAtEnd) await keep(database, organizationsCountedKey, { at: now });
    return found.size > 1;
  };
}

async function keep(database: Database, key: ItemKey, record: object): Promise<void> {
  await database.client.send(new PutItemCommand({ TableName: database.tables.records, Item: toItem(key, record) }));
}
