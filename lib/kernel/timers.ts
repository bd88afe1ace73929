/** Before the second look, milliseconds; then a quarter of the time so far, so that many who wait for long cost little. */
const FIRST_STEP = 10;

/** What does something again and again. A dependency, so that tests need not wait. */
export interface Timers {
  /** @returns ends it */
  every(milliseconds: number, act: () => void): () => void;
}

export const systemTimers: Timers = {
  every: (milliseconds, act) => {
    const timer = setInterval(act, milliseconds);
    return () => clearInterval(timer);
  },
};

/** Resolves so many milliseconds later, or at once when the signal aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    resolve();
  };
  const timer = setTimeout(end, milliseconds);
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  return promise;
}

/**
 * Waits until something holds, at most so many milliseconds, by looking at it now and then: what brings it about may
 * belong to another request, whose promises this one must not wait for (D29). Resolves to whether it holds.
 */
export async function pollUntil(holds: () => boolean, limit: number): Promise<boolean> {
  for (let waited = 0; waited < limit && !holds(); ) {
    const step = Math.min(Math.max(FIRST_STEP, waited / 4), limit - waited);
    await pause(step);
    waited += step;
  }
  return holds();
}

/**
 * Settles as the work does, or rejects when it has not settled within so many milliseconds. The work is not ended by that.
 *
 * @param late makes the error; unless given, its message is `no answer within 500 ms`
 */
export async function withTimeout<T>(
  limit: number,
  work: Promise<T>,
  late: () => Error = () => new Error(`no answer within ${limit} ms`),
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), limit);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
