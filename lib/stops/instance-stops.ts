import type { Clock } from "../kernel/clock.ts";
import type { WaitUntil } from "../kernel/refreshing-cache.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import { indexStops, type StopIndex } from "../stores/stop-subjects.ts";
import type { Stops, StopsRecord } from "../stores/stops.ts";
import { StoreUnavailableError } from "../stores/unavailable.ts";

/** What is stopped, as this instance knows it (D173). */
export interface InstanceStops {
  /**
   * What is stopped, as it was at most `limit` ago. Mostly it is at hand; else the store is asked.
   *
   * @throws StoreUnavailableError when the store cannot be asked: nothing goes on by what was known long ago
   */
  current(waitUntil?: WaitUntil): StopIndex | Promise<StopIndex>;
  /** Milliseconds after a change until no instance accepts what it stops. */
  readonly settlesWithin: number;
  /** Of what is known. What was kept under another one is not used any more. */
  revision(): number;
  /**
   * Takes what was just written or read, unless it knows of later changes, and ends here what is stopped by it. A promise where
   * other processes are told as well.
   */
  use(record: StopsRecord): void | Promise<void>;
  /**
   * Looks at each change, and every `interval` for one, until the function that it returns is called.
   *
   * @param isStopped of what goes on
   * @param end ends it. Called once at most
   */
  watch(isStopped: (index: StopIndex) => boolean, end: () => void): () => void;
}

export interface InstanceStopsOptions {
  /** Milliseconds after which the store is asked again, beside what goes on. */
  readonly interval: number;
  /** Milliseconds after which nothing goes on before the store has answered. */
  readonly limit: number;
  /**
   * Whether requests may end one another's work, as they may where they share a process. On Workers each has to look for itself
   * (D29).
   */
  readonly isShared: boolean;
  /** Milliseconds, see `InstanceStops`. */
  readonly settlesWithin: number;
}

export interface InstanceStopsPorts {
  readonly stores: { readonly stops: Pick<Stops, "readStops"> };
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
}

/** Where one process has the store for itself. Calls end within a second. */
export const IN_PROCESS: InstanceStopsOptions = {
  interval: 250,
  limit: 750,
  isShared: true,
  settlesWithin: 1_000,
};
/** Where there are many instances of which none knows the others. Calls end within five seconds. */
export const ON_THE_EDGE: InstanceStopsOptions = {
  interval: 2_000,
  limit: 4_500,
  isShared: false,
  settlesWithin: 5_000,
};

interface Watcher {
  readonly isStopped: (index: StopIndex) => boolean;
  readonly end: () => void;
}

export function createInstanceStops(
  { stores, clock, logger }: InstanceStopsPorts,
  { interval, limit, isShared, settlesWithin }: InstanceStopsOptions,
): InstanceStops {
  let revision = -1;
  let index: StopIndex = new Map();
  /** When the last reading that is over began; before it nothing was read. */
  let readAt = Number.NEGATIVE_INFINITY;
  /** The same of the one under way. Whose request was ended may have left it open. */
  let askedAt = Number.NEGATIVE_INFINITY;
  const watchers = new Set<Watcher>();
  let ticking: ReturnType<typeof setInterval> | undefined;

  // A clock that was set back makes everything old.
  const isWithin = (time: number, since: number) => Math.abs(clock.now() - since) < time;

  function take(record: StopsRecord): void {
    if (record.revision <= revision) return;
    revision = record.revision;
    index = indexStops(record.stops);
    if (isShared) for (const watcher of [...watchers]) endIfStopped(watcher);
  }

  function endIfStopped(watcher: Watcher): void {
    if (!watchers.has(watcher) || !watcher.isStopped(index)) return;
    forget(watcher);
    watcher.end();
  }

  function forget(watcher: Watcher): void {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  async function read(): Promise<void> {
    const began = clock.now();
    askedAt = began;
    const record = await stores.stops.readStops();
    take(record);
    readAt = began;
  }

  async function readLater(): Promise<void> {
    try {
      await read();
    } catch (cause) {
      logger.warn("what is stopped could not be read", { cause: causeOf(cause) });
    }
  }

  async function readNow(): Promise<StopIndex> {
    try {
      await read();
    } catch (cause) {
      throw cause instanceof StoreUnavailableError ? cause : new StoreUnavailableError(cause);
    }
    return index;
  }

  /** Nobody waits: at most one a time. */
  function readIfDue(waitUntil: WaitUntil = ignore): void {
    if (isWithin(interval, readAt) || isWithin(interval, askedAt)) return;
    waitUntil(readLater());
  }

  async function look(watcher: Watcher): Promise<void> {
    if (!isWithin(interval, readAt)) await readLater();
    endIfStopped(watcher);
  }

  return {
    current(waitUntil) {
      if (!isWithin(limit, readAt)) return readNow();
      readIfDue(waitUntil);
      return index;
    },
    settlesWithin,
    revision: () => revision,
    use: take,
    watch(isStopped, end) {
      const watcher = { isStopped, end };
      watchers.add(watcher);
      // It may have been stopped since it was looked up.
      endIfStopped(watcher);
      if (!watchers.has(watcher)) return ignore;
      if (isShared) {
        ticking ??= setInterval(readIfDue, interval);
        return () => forget(watcher);
      }
      const looking = setInterval(() => void look(watcher), interval);
      return () => {
        clearInterval(looking);
        forget(watcher);
      };
    },
  };
}

/** For those who decide without a store, as commands do. */
export const NOTHING_STOPPED: InstanceStops = {
  current: () => new Map(),
  settlesWithin: 0,
  revision: () => 0,
  use: ignore,
  watch: () => ignore,
};

function ignore(): void {
  // Nothing is to be done.
}
