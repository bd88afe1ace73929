import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import type { IdentityRecord } from "../../../lib/stores/identities.ts";
import { deleteBrowserSession } from "./browser-sessions.ts";
import type { Database } from "./database.ts";
import { fromItem, type Item, keyAttributes } from "./items.ts";
import {
  browserSessionListPartition,
  forgottenPartition,
  type ItemKey,
  identityKey,
  identityListPartition,
  linkKey,
  linkListPartition,
  passkeyKey,
  passkeyListPartition,
  positionAt,
} from "./keys.ts";
import { readRange } from "./reads.ts";
import type { TableRole } from "./tables.ts";
import { conditional } from "./writes.ts";

/** Milliseconds after which nothing that a person had begun before they were forgotten can still arrive. */
const SETTLED = 60_000;
const PAGE_SIZE = 100;

/**
 * Deletes what a person without any membership left behind: passkeys, identities, sign-in links, browser sessions. Each
 * listing goes after what it names, so that it can be done again after a failure.
 */
export async function forget(database: Database, userId: string): Promise<void> {
  const everyOne = async (table: TableRole, partition: string, named: (item: Item) => ItemKey): Promise<void> => {
    for await (const item of itemsOf(database, table, partition)) {
      await deleteOwn(database, table, named(item), userId);
      await deleteItem(database, table, { pk: partition, sk: item.sk?.S as string });
    }
  };
  await everyOne("records", passkeyListPartition(userId), (item) =>
    passkeyKey(fromItem<{ credentialId: string }>(item).credentialId),
  );
  await everyOne("records", identityListPartition(userId), (item) => identityKey(fromItem<IdentityRecord>(item)));
  await everyOne("records", linkListPartition(userId), (item) => linkKey(item.sk?.S as string));
  for await (const item of itemsOf(database, "sessions", browserSessionListPartition(userId))) {
    await deleteBrowserSession(database, fromItem<{ sessionHash: string }>(item).sessionHash);
    await deleteItem(database, "sessions", { pk: browserSessionListPartition(userId), sk: item.sk?.S as string });
  }
}

/** Looks once more after everybody who was forgotten a while ago: their removal may have failed half-way, or met a sign-in. */
export async function sweepForgotten(database: Database, now: number): Promise<void> {
  for await (const item of itemsOf(database, "records", forgottenPartition)) {
    const position = item.sk?.S as string;
    if (position >= positionAt(Math.max(now - SETTLED, 0))) return;
    await forget(database, fromItem<{ userId: string }>(item).userId);
    await deleteItem(database, "records", { pk: forgottenPartition, sk: position });
  }
}

function itemsOf(database: Database, table: TableRole, partition: string): AsyncGenerator<Item, undefined> {
  return readRange(database, { table, partition, direction: "ascending", pageSize: PAGE_SIZE });
}

/** Unless somebody else has it by now. */
async function deleteOwn(database: Database, table: TableRole, key: ItemKey, userId: string): Promise<void> {
  await conditional(database, () =>
    database.client.send(
      new DeleteItemCommand({
        TableName: database.tables[table],
        Key: keyAttributes(key),
        ConditionExpression: "userId = :userId",
        ExpressionAttributeValues: { ":userId": { S: userId } },
      }),
    ),
  );
}

async function deleteItem(database: Database, table: TableRole, key: ItemKey): Promise<void> {
  const TableName = database.tables[table];
  await conditional(database, () =>
    database.client.send(new DeleteItemCommand({ TableName, Key: keyAttributes(key) })),
  );
}
