import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { wakeBy } from "./wake.ts";

/** Expired rows a table that one statement deletes. */
const BATCH = 500;
/** Batches that one alarm deletes at most: requests wait while it does. */
const BATCHES_AN_ALARM = 20;
/** From an alarm that left expired rows to the next one, milliseconds. */
const CONTINUATION = 1000;
/** Between two alarms that only clean, milliseconds: an object that is in use is not woken for every single row. */
const PAUSE = 10 * 60_000;

/** What an object cleans: at most `limit` expired rows a table, true when there may be more. */
export interface Cleaning {
  readonly clean: (db: SqlDatabase, now: number, limit: number) => boolean;
  readonly tables: readonly string[];
}

/** Deletes what has expired and sets the alarm for the rest: soon when rows are left, else when the next one expires. */
export async function cleanExpired(
  storage: DurableObjectStorage,
  db: SqlDatabase,
  { clean, tables }: Cleaning,
): Promise<void> {
  const now = Date.now();
  for (let batch = 0; batch < BATCHES_AN_ALARM; batch++) {
    if (clean(db, now, BATCH)) continue;
    const next = nextExpiry(db, tables);
    if (next !== undefined) await wakeBy(storage, cleaningTime(next, now));
    return;
  }
  await wakeBy(storage, now + CONTINUATION);
}

/** When an alarm should delete what expires then. */
export function cleaningTime(expiry: number, now: number): number {
  return Math.max(expiry + EXPIRY_MARGIN, now + PAUSE);
}

/** When the next row of the tables expires, milliseconds since the epoch; undefined when none ever does. */
function nextExpiry(db: SqlDatabase, tables: readonly string[]): number | undefined {
  const times = tables
    .map((table) => db.all(`SELECT MIN(expires_at) AS expiry FROM ${table}`)[0]?.expiry)
    .filter((time) => typeof time === "number");
  return times.length === 0 ? undefined : Math.min(...times);
}
