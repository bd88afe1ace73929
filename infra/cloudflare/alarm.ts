import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import type { DeliveryFailure, ObjectLog } from "./log.ts";

/** How soon an alarm tries again what could not be delivered, milliseconds. */
export const REDELIVERY_DELAY = 10_000;

/** Makes sure that the object's alarm rings at `time` or before. */
export async function setAlarmBy(storage: DurableObjectStorage, time: number): Promise<void> {
  const set = await storage.getAlarm();
  if (set === null || set > time) await storage.setAlarm(time);
}

/**
 * Runs a change. If it left something to deliver, the alarm that delivers it after a crash is set in the same turn, and so
 * in the same commit: what a Durable Object writes between two awaits is durable together. Otherwise no alarm is paid for.
 */
export async function changeWithAlarm<T>(
  storage: DurableObjectStorage,
  change: () => T,
  isToDeliver: (result: T) => boolean,
): Promise<T> {
  const set = await storage.getAlarm();
  const result = change();
  const time = Date.now() + REDELIVERY_DELAY;
  if (isToDeliver(result) && (set === null || set > time)) await storage.setAlarm(time);
  return result;
}

/**
 * What an alarm does. Cloudflare rings again for an alarm that threw, six times within minutes, and then never; what it
 * could not do may have to wait longer. So nothing is thrown, and the alarm is set again.
 */
export async function runAlarm(
  log: ObjectLog,
  storage: DurableObjectStorage,
  work: () => Promise<readonly DeliveryFailure[]>,
): Promise<void> {
  const failures = await work().catch((cause: unknown) => [{ kind: "alarm", cause }]);
  log.failures(failures);
  if (failures.length > 0) await setAlarmBy(storage, Date.now() + REDELIVERY_DELAY);
}

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
    if (next !== undefined) await setAlarmBy(storage, cleaningTime(next, now));
    return;
  }
  await setAlarmBy(storage, now + CONTINUATION);
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
