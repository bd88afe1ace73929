import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/sql/housekeeping.ts";

/** Expired rows a table that one alarm deletes. */
export const CLEANING_BATCH = 500;
/** Between two alarms that only clean, milliseconds: an object that is in use is not woken for every single row. */
const CLEANING_PAUSE = 10 * 60_000;

/** When the next row of the tables expires, milliseconds since the epoch; undefined when none ever does. */
export function nextExpiry(db: SqlDatabase, tables: readonly string[]): number | undefined {
  const times = tables
    .map((table) => db.all(`SELECT MIN(expires_at) AS expiry FROM ${table}`)[0]?.expiry)
    .filter((time) => typeof time === "number");
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When an alarm should delete what expires then. */
export function cleaningTime(expiry: number, now: number): number {
  return Math.max(expiry + EXPIRY_MARGIN, now + CLEANING_PAUSE);
}
