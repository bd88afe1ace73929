import type { Maintained } from "../../functions/routes.ts";

/** Milliseconds between two checks for due work. */
const INTERVAL = 1_000;

export interface RunningMaintenance {
  /** Also ends work that has begun: nobody waits for it any more. */
  stop(): void;
}

/** Opens and refreshes what the instance needs from elsewhere, such as keys and metadata. It begins at once and does not keep the process alive. */
export function startMaintenance({ refresh }: Pick<Maintained, "refresh">): RunningMaintenance {
  const stopping = new AbortController();
  const look = () => refresh({ waitUntil: () => undefined, signal: stopping.signal });
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
