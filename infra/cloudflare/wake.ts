import type { DeliveryFailure, ObjectLog } from "./log.ts";

/** How soon an alarm tries again what could not be delivered, milliseconds. */
export const REDELIVERY_DELAY = 10_000;

/** Makes sure that the object's alarm rings at `time` or before. */
export async function wakeBy(storage: DurableObjectStorage, time: number): Promise<void> {
  const set = await storage.getAlarm();
  if (set === null || set > time) await storage.setAlarm(time);
}

/**
 * Runs a change. If it left something to deliver, the alarm that delivers it after a crash is set in the same turn, and so
 * in the same commit: what a Durable Object writes between two awaits is durable together. Otherwise no alarm is paid for.
 */
export async function changeAndWake<T>(
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
export async function ring(
  log: ObjectLog,
  storage: DurableObjectStorage,
  work: () => Promise<readonly DeliveryFailure[]>,
): Promise<void> {
  const failures = await work().catch((cause: unknown) => [{ kind: "alarm", cause }]);
  log.failures(failures);
  if (failures.length > 0) await wakeBy(storage, Date.now() + REDELIVERY_DELAY);
}
