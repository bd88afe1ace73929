import type { Dependencies } from "../../lib/dependencies.ts";
import { heartbeat } from "../../lib/heartbeat/heartbeat.ts";
import type { HeartbeatSource } from "../../lib/heartbeat/source.ts";

/** What a timer can wait for, milliseconds: more would be no time at all. */
const LONGEST = 2 ** 31 - 1;

export interface RunningHeartbeat {
  stop(): void;
}

/** Beats at once and then every interval; a new interval counts from the next beat on. It keeps no process alive. */
export function startHeartbeat(
  dependencies: Pick<Dependencies, "configuration" | "logger">,
  source: HeartbeatSource,
): RunningHeartbeat {
  const beat = heartbeat(dependencies, source);
  let timer: NodeJS.Timeout | undefined;
  const beatOn = (): void => {
    beat();
    const { interval } = dependencies.configuration().configuration.health.heartbeat;
    timer = setTimeout(beatOn, Math.min(interval, LONGEST)).unref();
  };
  beatOn();
  return { stop: () => clearTimeout(timer) };
}
