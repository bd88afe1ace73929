import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { hex } from "../../../lib/encoding.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import type { ItemKey } from "./keys.ts";

/** Lets a put succeed where nothing is or where DynamoDB has not yet removed what expired. Needs `:now`. */
export const UNLESS_ALIVE = "attribute_not_exists(pk) OR expiresAt <= :now";

/** Takes an item that counts once until `expiresAt`: true for exactly one caller. Times in milliseconds. */
export async function consume(database: Database, key: ItemKey, expiresAt: number, now: number): Promise<boolean> {
  // When the SDK repeats a write whose answer was lost, the condition fails on our own item: the nonce tells.
  const nonce = hex(database.random.bytes(16));
  const result = await conditional(database, () =>
    database.client.send(
      new PutItemCommand({
        TableName: database.tables.records,
        Item: toItem(key, { expiresAt, nonce }, expiresAt),
        ConditionExpression: UNLESS_ALIVE,
        ExpressionAttributeValues: { ":now": { N: String(now) } },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
  );
  return result.met || result.failure.Item?.nonce?.S === nonce;
}
