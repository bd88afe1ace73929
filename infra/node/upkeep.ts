import type { Tended } from "../../functions/routes.ts";

/** Milliseconds between two looks at what is due. */
const INTERVAL = 1_000;

export interface RunningUpkeep {
  /** Ends what is under way, too: nobody waits for it any more. */
  stop(): void;
}

/** Brings up, and up to date, what the instance depends on elsewhere. It begins at once and keeps no process alive. */
export function startUpkeep({ tend }: Pick<Tended, "tend">): RunningUpkeep {
  const stopping = new AbortController();
  const look = () => tend({ waitUntil: () => undefined, signal: stopping.signal });
  const timer = setInterval(look, INTERVAL);
  timer.unref();
  look();
  return {
    stop: () => {
      clearInterval(timer);
      stopping.abort();
    },
  };
}
