import { PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { type ItemKey, organizationsCountedKey, severalOrganizationsKey } from "./keys.ts";
import { readRecord } from "./reads.ts";

/** How far the table was looked through. */
interface Progress {
  /** The end was reached, and there is one organization at most. Milliseconds since the epoch. */
  readonly at?: number;
  /** The last key that was read. */
  readonly after?: ItemKey;
  /** The organization that was found. */
  readonly seen?: string;
}

/** Sweeps until it is known; then nothing is read any more by this instance. True when there is more to read. */
export function organizationSweep(database: Database): (now: number) => Promise<boolean> {
  let isKnown = false;
  return async (now) => {
    if (isKnown) return false;
    const isOpen = await sweepOrganizations(database, now);
    isKnown = !isOpen;
    return isOpen;
  };
}

/**
 * Looks for an organization beyond the first: whoever makes one writes an item that says so, but a former release wrote none. Reads one
 * page of the table, at most 1 MB, where the last sweep of any instance ended. What was found is kept. True when there is more to read.
 */
async function sweepOrganizations(database: Database, now: number): Promise<boolean> {
  const [several, progress] = await Promise.all([
    readRecord(database, "records", severalOrganizationsKey),
    readRecord<Progress>(database, "records", organizationsCountedKey),
  ]);
  if (several !== undefined || progress?.at !== undefined) return false;
  const { Items = [], LastEvaluatedKey: last } = await database.client.send(
    new ScanCommand({
      TableName: database.tables.records,
      FilterExpression: "sk = :organization",
      ExpressionAttributeValues: { ":organization": { S: "organization" } },
      ProjectionExpression: "pk",
      ...(progress?.after !== undefined && { ExclusiveStartKey: keyAttributes(progress.after) }),
    }),
  );
  const found = new Set([
    ...(progress?.seen === undefined ? [] : [progress.seen]),
    ...Items.flatMap(({ pk }) => pk?.S ?? []),
  ]);
  if (found.size > 1) {
    await keep(database, severalOrganizationsKey, {});
    return false;
  }
  if (last === undefined) {
    await keep(database, organizationsCountedKey, { at: now } satisfies Progress);
    return false;
  }
  const [seen] = found;
  const after = { pk: last.pk?.S ?? "", sk: last.sk?.S ?? "" };
  await keep(database, organizationsCountedKey, { after, ...(seen !== undefined && { seen }) } satisfies Progress);
  return true;
}

async function keep(database: Database, key: ItemKey, record: object): Promise<void> {
  await database.client.send(new PutItemCommand({ TableName: database.tables.records, Item: toItem(key, record) }));
}
