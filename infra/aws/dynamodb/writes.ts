import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { uuid } from "../../../lib/kernel/ids.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import type { ItemKey } from "./keys.ts";
import { PASSING_REASONS } from "./passing.ts";

/** The writes of one transaction by name; an undefined one is left out. */
export type NamedWrites<Name extends string> = Readonly<Record<Name, TransactWriteItem | undefined>>;

/**
 * Writes all or nothing. Resolves to the names of the writes whose condition failed: none means committed. Retries when
 * other transactions held one of the items; everything else that DynamoDB reports is thrown.
 */
export function transact<Name extends string>(
  database: Database,
  writes: NamedWrites<Name>,
): Promise<ReadonlySet<Name>> {
  const named = (Object.entries(writes) as [Name, TransactWriteItem | undefined][]).flatMap(([name, write]) =>
    write === undefined ? [] : [{ name, write }],
  );
  // DynamoDB executes a token once: an attempt whose answer was lost is repeated with it and does not write twice.
  let token = uuid(database.random);
  return untilUncontended<ReadonlySet<Name>>(database.random, async () => {
    try {
      const TransactItems = named.map(({ write }) => write);
      await database.client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: token }));
      return new Set();
    } catch (error) {
      if (error instanceof TransactionInProgressException) return undefined;
      if (!(error instanceof TransactionCanceledException)) throw error;
      token = uuid(database.random);
      return judge(named, error);
    }
  });
}

/** The writes whose condition failed; undefined when only contention was met. A failed condition decides, whatever else was met. */
function judge<Name>(
  writes: readonly { readonly name: Name }[],
  error: TransactionCanceledException,
): ReadonlySet<Name> | undefined {
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
  const failed = writes.filter((_, index) => codes[index] === "ConditionalCheckFailed").map(({ name }) => name);
  if (failed.length > 0) return new Set(failed);
  const met = codes.filter((code) => code !== "None");
  if (met.length > 0 && met.every((code) => PASSING_REASONS.includes(code))) return undefined;
  throw error;
}

/** The outcome of a write that carries a condition. */
type ConditionalResult<T> =
  | { readonly met: true; readonly output: T }
  | { readonly met: false; readonly failure: ConditionalCheckFailedException };

/** Sends a single-item write: a failed condition is a result, a conflict with a transaction is retried, the rest throws. */
export function conditional<T>(database: Database, send: () => Promise<T>): Promise<ConditionalResult<T>> {
  return untilUncontended<ConditionalResult<T>>(database.random, async () => {
    try {
      return { met: true, output: await send() };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { met: false, failure: error };
      if (error instanceof TransactionConflictException) return undefined;
      throw error;
    }
  });
}

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
