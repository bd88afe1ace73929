import { setImmediate } from "node:timers/promises";
import type { Stores } from "../../lib/stores/stores.ts";

/** Callers at a time, half of them in each of two processes. */
const CALLERS = 8;

export type Processes = readonly [Stores, Stores];

export interface Call<T> {
  /** Places in the order of all beginnings and ends. */
  readonly began: number;
  readonly ended: number;
  /** Began after the end had been acknowledged. */
  readonly isLate: boolean;
  readonly answer: T;
}

/**
 * Many callers call again and again; once there are so many answers, `end` runs. The moment that it is acknowledged, as
 * many callers come anew, and each of the others goes on for one more call.
 */
export async function whileEnding<T>(
  processes: Processes,
  call: (stores: Stores) => Promise<T>,
  answersBefore: number,
  end: () => Promise<unknown>,
): Promise<readonly Call<T>[]> {
  const calls: Call<T>[] = [];
  let order = 0;
  let isEnded = false;
  const enough = Promise.withResolvers<void>();
  const callUntilLate = async (stores: Stores): Promise<void> => {
    for (let isLate = false; !isLate; ) {
      isLate = isEnded;
      const began = order++;
      const answer = await call(stores);
      calls.push({ began, ended: order++, isLate, answer });
      if (calls.length >= answersBefore) enough.resolve();
      // Reads of a store in this thread end in the same turn and would never let the end begin.
      await setImmediate();
    }
  };
  const callers = () =>
    Promise.all(Array.from({ length: CALLERS }, (_, i) => callUntilLate(processes[i % processes.length] as Stores)));
  const first = callers();
  first.catch(enough.reject);
  await enough.promise;
  await end();
  isEnded = true;
  await Promise.all([first, callers()]);
  return calls;
}
