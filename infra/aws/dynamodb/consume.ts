import { PutItemCommand, type PutItemCommandInput } from "@aws-sdk/client-dynamodb";
import { hex } from "../../../lib/encoding.ts";
import { EXPIRY_MARGIN } from "../../../lib/stores/expiry-margin.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import type { ItemKey } from "./keys.ts";

/** Lets a put succeed where nothing is or where DynamoDB has not yet removed what expired before the margin. */
export function unlessUsed(
  now: number,
): Pick<PutItemCommandInput, "ConditionExpression" | "ExpressionAttributeValues"> {
  return {
    ConditionExpression: "attribute_not_exists(pk) OR expiresAt <= :forgotten",
    ExpressionAttributeValues: { ":forgotten": { N: String(now - EXPIRY_MARGIN) } },
  };
}

/** Takes an item that counts once until the margin after `expiresAt`: true for exactly one caller. Times in milliseconds. */
export async function consume(database: Database, key: ItemKey, expiresAt: number, now: number): Promise<boolean> {
  // When the SDK repeats a write whose answer was lost, the condition fails on our own item: the nonce tells.
  const nonce = hex(database.random.bytes(16));
  const result = await conditional(database, () =>
    database.client.send(
      new PutItemCommand({
        TableName: database.tables.records,
        Item: toItem(key, { expiresAt, nonce }, expiresAt),
        ...unlessUsed(now),
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
  );
  return result.met || result.failure.Item?.nonce?.S === nonce;
}
