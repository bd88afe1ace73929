import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { isPassing } from "./sqlite/busy.ts";

/** Exit codes of a process that a signal ends (POSIX shells: 128 and the signal's number). */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Ending {
  /** Resolves when the process is to end in good order. */
  readonly begun: Promise<void>;
  /** 0 after a signal alone. */
  exitCode(): 0 | 1;
  /** From now on there is something to be ended in good order; says who is told of errors that nobody caught. */
  started(report: (error: unknown) => void): void;
}

/**
 * Waits for the end of the process: a signal, or an uncaught error or rejection. The first one begins a graceful end. A second
 * signal, a second error, or an error before the start, ends the process at once.
 * @param report receives such an error until something has started
 * @param options `ignoresSignals`: another process, which gets them too, says when this one is to end
 */
export function awaitEnding(report: (error: unknown) => void, { ignoresSignals = false } = {}): Ending {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let [tell, hasStarted, signals, crashes] = [report, false, 0, 0];
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (ignoresSignals) return;
      signals += 1;
      if (signals > 1) process.exit(code);
      resolve();
    });
  }
  // Rejections that nobody handles come here as well.
  process.on("uncaughtException", (error) => {
    tell(error);
    // A defect, but one that leaves nothing behind: a full disk must not become an outage by a forgotten handler.
    if (hasStarted && isOfStore(error)) return;
    crashes += 1;
    if (crashes > 1 || !hasStarted) process.exit(1);
    resolve();
  });
  return {
    begun,
    exitCode: () => (crashes > 0 ? 1 : 0),
    started: (report) => {
      [tell, hasStarted] = [report, true];
    },
  };
}

/** Whether it says that the store cannot do something for now. */
export function isOfStore(error: unknown): boolean {
  return error instanceof StoreUnavailableError || isPassing(error);
}
