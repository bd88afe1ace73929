/** Work that outlives its response, so that stopping can wait for it. */
export interface Background {
  waitUntil(work: Promise<unknown>): void;
  /** Resolves when none is left, or after the time, milliseconds. */
  finish(within: number): Promise<void>;
}

export function background(): Background {
  const running = new Set<Promise<unknown>>();
  return {
    waitUntil: (work) => {
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

function timeLimit(within: number): TimeLimit {
  let passed = false;
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      passed = true;
      resolve();
    }, within);
  });
  return { promise, passed: () => passed, clear: () => clearTimeout(timer) };
}
