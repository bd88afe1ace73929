import { reserveUse } from "../../../lib/stores/reserve.ts";
import { isBusy, isStorageFailure } from "../sqlite/busy.ts";
import type { Reserve } from "../sqlite/reserve.ts";

/** Whether what is written is kept. `reason`: why it is not, in the words of SQLite or the system. */
export type Keeping = { readonly kept: true } | { readonly kept: false; readonly reason: string };

export interface KeepingOptions {
  readonly reserve: Reserve;
  /** Bytes of the store's files. */
  readonly size: () => number;
  /** Moves the log into the database and gives back its space, as far as that is possible; never throws. */
  readonly compact: () => void;
  /** Commits something; rejects when that is not kept. */
  readonly probe: () => Promise<void>;
  /** Told of each change. */
  readonly changed: (keeping: Keeping) => void;
}

export interface KeepingWatch {
  /** Takes the reserve. Without room for it the store counts as full from the start. */
  start(): Promise<void>;
  /** Whether an operation is tried now. While the store is full, only what `lib/stores/reserve.ts` names. */
  admits(store: string, operation: string): boolean;
  /**
   * What was written could not be kept. True: room was made for it, and it may be tried again.
   *
   * @param attempts how often room was made for it before
   */
  failed(error: unknown, attempts?: number): boolean;
  /** Something was kept: nobody holds a lock. */
  committed(): void;
  stop(): void;
}

/** Between two attempts to keep something again, milliseconds: the first and the longest. */
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 8_000;

/** Bytes by which the files have to shrink for another attempt. */
const WORTHWHILE = 1024 * 1024;

/**
 * Watches whether the store keeps what is written. When it does not, the reserve is given up for what ends something, and
 * everything else is refused at once. It looks again by itself until something is kept.
 */
export function watchKeeping({ reserve, size, compact, probe, changed }: KeepingOptions): KeepingWatch {
  let state: "kept" | "locked" | "full" = "kept";
  let delay = FIRST_DELAY;
  let timer: NodeJS.Timeout | undefined;
  /** Bytes of the files when the reserve was given up. */
  let before = 0;

  const enter = (next: "locked" | "full", reason: string): void => {
    if (state === next || state === "full") return;
    state = next;
    if (next === "full") before = size();
    changed({ kept: false, reason });
    timer ??= setTimeout(look, delay).unref();
  };
  const leave = (): void => {
    clearTimeout(timer);
    timer = undefined;
    [state, delay] = ["kept", FIRST_DELAY];
    changed({ kept: true });
  };
  const look = (): void => {
    timer = undefined;
    void again().then((isKept) => {
      if (isKept) return leave();
      // A lock costs nothing to try; making the reserve writes all of it.
      if (state === "full") delay = Math.min(2 * delay, LONGEST_DELAY);
      timer = setTimeout(look, delay).unref();
    });
  };
  const again = async (): Promise<boolean> => {
    try {
      const taken = state === "full" ? await reserve.take() : "impossible";
      if (taken === "no_room") return false;
      await probe();
      // The probe itself may have needed the reserve.
      return taken === "impossible" || reserve.isWhole();
    } catch {
      if (state === "full") reserve.giveUp();
      return false;
    }
  };
  const shrinks = (): boolean => {
    const former = size();
    compact();
    return former - size() >= WORTHWHILE;
  };
  return {
    start: async () => {
      if ((await reserve.take()) === "no_room") enter("full", "there is no room on the disk for the reserve");
    },
    admits: (store, operation) => {
      const use = state === "full" ? reserveUse(store, operation) : "all";
      return use === "all" || (use === "half" && size() - before < reserve.size / 2);
    },
    failed: (error, attempts = 0) => {
      if (isBusy(error)) enter("locked", messageOf(error));
      if (!isStorageFailure(error)) return false;
      // The log may be many times as long as what is in it. Copying it may need room itself. Only once for the same writes:
      // what they left in the log when they failed is cut, too, and looks like room that was made.
      if (attempts === 0 && shrinks()) return true;
      const hadRoom = reserve.giveUp();
      if (hadRoom) compact();
      enter("full", messageOf(error));
      return hadRoom;
    },
    committed: () => {
      if (state === "locked") leave();
    },
    stop: () => clearTimeout(timer),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
