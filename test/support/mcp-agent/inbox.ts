/** What a server told or asked without being asked itself. */
export interface Told {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export type Fits = (params: Readonly<Record<string, unknown>>) => boolean;

export interface Inbox {
  take(told: Told): void;
  readonly all: readonly Told[];
  /** Resolves with the first that fits, also one that came before. Rejects when none comes within so many milliseconds. */
  find(method: string, fits?: Fits, within?: number): Promise<Told>;
  clear(): void;
}

/** Milliseconds; servers of the field tell some things every five seconds. */
const WITHIN = 15_000;

export function createInbox(): Inbox {
  const all: Told[] = [];
  const watching = new Set<(told: Told) => void>();
  return {
    all,
    take: (told) => {
      all.push(told);
      for (const watch of watching) watch(told);
    },
    find: (method, fits = () => true, within = WITHIN) => {
      const isIt = (told: Told) => told.method === method && fits(told.params ?? {});
      const before = all.find(isIt);
      if (before !== undefined) return Promise.resolve(before);
      return new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          watching.delete(watch);
        };
        const watch = (told: Told): void => {
          if (!isIt(told)) return;
          stop();
          resolve(told);
        };
        const timer = setTimeout(() => {
          stop();
          const came = all.map((told) => told.method).join(", ");
          reject(new Error(`no ${method} as expected within ${within} ms; what came: ${came || "nothing"}`));
        }, within);
        watching.add(watch);
      });
    },
    clear: () => {
      all.length = 0;
    },
  };
}
