/** Collects work that may outlive its response. */
export interface BackgroundWork {
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Resolves when all work is done, also work that was added while waiting. Failures are their owners' to report. */
  settled(): Promise<void>;
}

export function backgroundWork(): BackgroundWork {
  const pending = new Set<Promise<unknown>>();
  return {
    waitUntil: (work) => {
      // Settled from the start: a failure while the response is still being sent must not end the process.
      pending.add(Promise.allSettled([work]));
    },
    async settled() {
      while (pending.size > 0) {
        const works = [...pending];
        await Promise.all(works);
        for (const work of works) pending.delete(work);
      }
    },
  };
}
