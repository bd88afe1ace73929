import { pause } from "./timers.ts";

/** Runs work that keeps the thread busy for long: one piece at a time, those who ask in turn. */
export type Turns = <T>(who: string, work: () => T | Promise<T>) => Promise<T>;

/** After each piece the thread is left to everybody else for so many times as long as it took. */
const REST = 3;
/** Work that waits, for a lock or a disk, takes no time of the thread; then nobody rests for as long, milliseconds. */
const LONGEST_REST = 200;

/**
 * One line for an instance. A request that has nothing to do with it finds the thread free three quarters of the time,
 * whatever stands in the line. On Workers a request cannot wait for what another one does (D29): there is no line there.
 */
export function createTurns(): Turns {
  const queues = new Map<string, (() => Promise<void>)[]>();
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    for (let [first] = queues; first !== undefined; [first] = queues) {
      const [who, queue] = first;
      // Whoever else waits comes before the same one again.
      queues.delete(who);
      const work = queue.shift();
      if (queue.length > 0) queues.set(who, queue);
      const startedAt = performance.now();
      await work?.();
      // What follows without waiting for anything is part of it.
      await pause(0);
      await pause(Math.min(Math.ceil((performance.now() - startedAt) * REST), LONGEST_REST));
    }
    isRunning = false;
  };
  return (who, work) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(who) ?? [];
      queues.set(who, queue);
      queue.push(async () => {
        try {
          resolve(await work());
        } catch (cause) {
          reject(cause);
        }
      });
      if (!isRunning) void run();
    });
}
