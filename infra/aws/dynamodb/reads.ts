import { BatchGetItemCommand, GetItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { base64url, fromBase64url, utf8 } from "../../../lib/kernel/encoding.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { fromItem, type Item, keyAttributes } from "./items.ts";
import type { ItemKey } from "./keys.ts";
import type { TableRole } from "./tables.ts";

/** DynamoDB's limit for one BatchGetItem. */
const BATCH_LIMIT = 100;

/** A strongly consistent read of one record. */
export async function readRecord<T extends object>(
  database: Database,
  table: TableRole,
  key: ItemKey,
): Promise<T | undefined> {
  const { Item: item } = await database.client.send(
    new GetItemCommand({ TableName: database.tables[table], Key: keyAttributes(key), ConsistentRead: true }),
  );
  return item === undefined ? undefined : fromItem<T>(item);
}

/** Strongly consistent reads of many items, in no order; what does not exist is left out. The keys are distinct. */
export async function readItems(
  database: Database,
  table: TableRole,
  keys: readonly ItemKey[],
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let start = 0; start < keys.length; start += BATCH_LIMIT) {
    items.push(...(await readBatch(database, table, keys.slice(start, start + BATCH_LIMIT))));
  }
  return items;
}

async function readBatch(database: Database, table: TableRole, keys: readonly ItemKey[]): Promise<readonly Item[]> {
  const name = database.tables[table];
  const items: Item[] = [];
  let rest: Item[] = keys.map(keyAttributes);
  return untilUncontended(database.random, async () => {
    const answer = await database.client.send(
      new BatchGetItemCommand({ RequestItems: { [name]: { Keys: rest, ConsistentRead: true } } }),
    );
    items.push(...(answer.Responses?.[name] ?? []));
    rest = answer.UnprocessedKeys?.[name]?.Keys ?? [];
    return rest.length === 0 ? items : undefined;
  });
}

interface RangeRequest {
  readonly table: TableRole;
  readonly partition: string;
  /** Exclusive start in reading direction; not empty. */
  readonly after?: string;
  readonly direction: "ascending" | "descending";
  /** Items DynamoDB reads at a time. */
  readonly pageSize: number;
}

/** A partition's items in the order of their sort keys, strongly consistent, read page by page as they are taken. */
export async function* readRange(database: Database, request: RangeRequest): AsyncGenerator<Item, undefined> {
  const beyond = request.direction === "ascending" ? ">" : "<";
  let start: Item | undefined;
  do {
    const page = await database.client.send(
      new QueryCommand({
        TableName: database.tables[request.table],
        KeyConditionExpression:
          request.after === undefined ? "pk = :partition" : `pk = :partition AND sk ${beyond} :after`,
        ExpressionAttributeValues: {
          ":partition": { S: request.partition },
          ...(request.after !== undefined && { ":after": { S: request.after } }),
        },
        ConsistentRead: true,
        ScanIndexForward: request.direction === "ascending",
        Limit: request.pageSize,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      }),
    );
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return undefined;
}

/** An opaque page cursor for a position: the text of an item's key. */
export function encodeCursor(position: string): string {
  return base64url(utf8(position));
}

/** The position in a cursor. A text that holds none of the given form reads as the beginning. */
export function decodeCursor(cursor: string | undefined, form: RegExp): string | undefined {
  const bytes = cursor === undefined ? undefined : fromBase64url(cursor);
  const position = bytes && new TextDecoder().decode(bytes);
  return position !== undefined && form.test(position) ? position : undefined;
}
