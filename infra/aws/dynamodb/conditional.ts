import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";

/** The outcome of a write that carries a condition. */
export type ConditionalResult<T> =
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
