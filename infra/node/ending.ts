/** Exit codes of a process that a signal ends (POSIX shells: 128 and the signal's number). */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Ending {
  /**
   * Resolves when the process is to end in good order: at the first signal, or when something was thrown or rejected that
   * nobody caught. A second signal, or a second such error, ends the process at once.
   */
  readonly begun: Promise<void>;
  /** 0 after a signal alone. */
  exitCode(): 0 | 1;
  /** Says who is told of such an error. */
  onCrash(report: (error: unknown) => void): void;
}

/** Listens for whatever ends the process, from now on. */
export function awaitEnding(report: (error: unknown) => void): Ending {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  let [tell, signals, crashes] = [report, 0, 0];
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(code);
      resolve();
    });
  }
  // Rejections that nobody handles come here as well.
  process.on("uncaughtException", (error) => {
    crashes += 1;
    tell(error);
    if (crashes > 1) process.exit(1);
    resolve();
  });
  return {
    begun,
    exitCode: () => (crashes > 0 ? 1 : 0),
    onCrash: (report) => {
      tell = report;
    },
  };
}
