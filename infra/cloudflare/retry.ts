import { pause } from "../../lib/kernel/timers.ts";

/** Longest pause before each further attempt, milliseconds. A random part of it is waited. */
const PAUSES = [50, 200, 800];
/** After so many milliseconds there is no further attempt: the runtime has repeated by itself what never arrived. */
const NO_ATTEMPT_AFTER = 5000;

/**
 * Makes a call to another object, again when it failed in passing: the connection was lost, or the object was restarted or
 * moved (Cloudflare's guide for errors of Durable Objects). It may then have run already, so only what may happen twice and
 * is answered alike is called this way. An object that has too much to do, or no room for more, is not asked again.
 *
 * @param call makes its own stub: many errors leave one useless
 */
export async function withRetries<T>(call: () => Promise<T>): Promise<T> {
  const end = Date.now() + NO_ATTEMPT_AFTER;
  for (const longest of PAUSES) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || isOverloaded(error) || isStorageFailure(error) || Date.now() > end) throw error;
    }
    await pause(Math.random() * longest);
  }
  return call();
}

/** What the runtime writes on the errors of calls to objects. */
interface CallError extends Error {
  readonly retryable?: unknown;
  readonly overloaded?: unknown;
  /** The object was ended during the call. */
  readonly durableObjectReset?: unknown;
}

/**
 * Whether a call failed for reasons that go away: the connection, the end of an object, too much to do for it, or storage that
 * keeps nothing for now.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retryable, durableObjectReset }: CallError = error;
  return retryable === true || durableObjectReset === true || isOverloaded(error) || isStorageFailure(error);
}

function isOverloaded(error: unknown): boolean {
  return error instanceof Error && (error as CallError).overloaded === true;
}

/** SQLite's result codes as the runtime writes them into messages, which is all that crosses from one object to another. */
const STORAGE_FAILURE = /\bSQLITE_(?:BUSY|CANTOPEN|FULL|IOERR|NOMEM|PROTOCOL|READONLY)\b/;

function isStorageFailure(error: unknown): boolean {
  return error instanceof Error && STORAGE_FAILURE.test(error.message);
}
