import type { Random } from "../../../lib/kernel/random.ts";
import { pause } from "../../../lib/kernel/timers.ts";

/** The items of a call were held by others through all attempts. */
export class ContentionError extends Error {
  override readonly name = "ContentionError";
}

/** Five seconds of waiting on average: what fifty callers want of one item at once is done by then, also where each write takes long. */
const ATTEMPTS = 24;
const FIRST_DELAY_MS = 10;
const LONGEST_DELAY_MS = 500;

/**
 * Runs `attempt` until it returns something else than undefined, waiting longer after each try, each time a random part
 * of the bound, so that those who met once do not meet again. Throws `ContentionError` when all attempts met contention.
 */
export async function untilUncontended<T>(random: Random, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < ATTEMPTS; tries++) {
    if (tries > 0) await pause(delay(tries, random));
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ContentionError(`DynamoDB items stayed contended through ${ATTEMPTS} attempts`);
}

function delay(tries: number, random: Random): number {
  const bound = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
  return (bound * ((random.bytes(1)[0] as number) + 1)) / 256;
}
