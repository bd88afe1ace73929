import { PutItemCommand, type PutItemCommandInput } from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../../lib/kernel/clock.ts";
import { hex } from "../../../lib/kernel/encoding.ts";
import { EXPIRY_MARGIN } from "../../../lib/stores/expiry-margin.ts";
import type { SingleUse } from "../../../lib/stores/single-use.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import { type ItemKey, singleUseKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { conditional } from "./writes.ts";

/** Values that count once, in the records table. */
export function dynamoSingleUse(database: Database, clock: Clock): SingleUse {
  return {
    consume: (namespace, key, expiresAt) => consume(database, singleUseKey(namespace, key), expiresAt, clock.now()),
    isUsed: async (namespace, key) => {
      const used = await readRecord<{ readonly expiresAt: number }>(database, "records", singleUseKey(namespace, key));
      return used !== undefined && used.expiresAt > clock.now() - EXPIRY_MARGIN;
    },
  };
}

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
