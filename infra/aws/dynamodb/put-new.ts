import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import type { ItemKey } from "./keys.ts";

/** Writes a record where none is; `expiresAt` (milliseconds) lets DynamoDB remove it some time later. */
export function putNew(database: Database, key: ItemKey, record: object, expiresAt?: number): TransactWriteItem {
  return {
    Put: {
      TableName: database.tables.records,
      Item: toItem(key, record, expiresAt),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
