/** Collects work that may outlive its response, so that whoever ends something can wait for it. */
export interface Background {
  readonly waitUntil: (work: Promise<unknown>) => void;
  /**
   * Resolves when all work is done, also work that was added while waiting, or after the time, milliseconds. Failures are
   * their owners' to report.
   */
  finish(within?: number): Promise<void>;
}

export function background(): Background {
  const running = new Set<Promise<unknown>>();
  return {
    waitUntil: (work) => {
      // Settled from the start: a failure while the response is still being sent must not end the process.
      const settled = Promise.allSettled([work]);
      running.add(settled);
      void settled.then(() => running.delete(settled));
    },
    finish: async (within) => {
      const limit = timeLimit(within);
      while (running.size > 0 && !limit.passed()) await Promise.race([Promise.all(running), limit.promise]);
      limit.clear();
    },
  };
}

interface TimeLimit {
  readonly promise: Promise<void>;
  passed(): boolean;
  clear(): void;
}

function timeLimit(within: number | undefined): TimeLimit {
  const { promise, resolve } = Promise.withResolvers<void>();
  let passed = false;
  const pass = () => {
    passed = true;
    resolve();
  };
  const timer = within === undefined ? undefined : setTimeout(pass, within);
  return { promise, passed: () => passed, clear: () => clearTimeout(timer) };
}
