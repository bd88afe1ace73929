/** Between two looks, milliseconds. */
const STEP = 10;

/**
 * Waits until something holds, at most so many milliseconds, by looking at it now and then: what brings it about may
 * belong to another request, whose promises this one must not wait for (D29). Resolves to whether it holds.
 */
export async function until(holds: () => boolean, limit: number): Promise<boolean> {
  for (let waited = 0; waited < limit && !holds(); waited += STEP) await pause(STEP);
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
