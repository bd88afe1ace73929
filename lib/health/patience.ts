/** Between the first two looks, milliseconds; then a quarter of the time so far, so that many who wait for long cost little. */
const FIRST_STEP = 10;

/**
 * Waits until something holds, at most so many milliseconds, by looking at it now and then: what brings it about may
 * belong to another request, whose promises this one must not wait for (D29). Resolves to whether it holds.
 */
export async function until(holds: () => boolean, limit: number): Promise<boolean> {
  for (let waited = 0; waited < limit && !holds(); ) {
    const step = Math.min(Math.max(FIRST_STEP, waited / 4), limit - waited);
    await pause(step);
    waited += step;
  }
  return holds();
}

/** Settles as the work does, or rejects when it has not settled within so many milliseconds. The work is not ended by that. */
export async function within<T>(limit: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limit} ms`)), limit);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
