import { availableParallelism, totalmem } from "node:os";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { heartbeat } from "../../lib/application/heartbeat/heartbeat.ts";
import type { HeartbeatSource, Measurement } from "../../lib/application/heartbeat/source.ts";

/** The longest delay of a timer, milliseconds. A timer with a longer delay fires at once. */
const LONGEST = 2 ** 31 - 1;

export interface RunningHeartbeat {
  stop(): void;
}

/** What the other processes of the server use is added to what this one does. Never rejects. */
export type OtherUsage = (own: Measurement) => Promise<Measurement>;

/** Beats at once and then every interval. A new interval applies from the next beat on. It does not keep the process alive. */
export function startHeartbeat(
  dependencies: Pick<Dependencies, "configuration" | "logger">,
  source: HeartbeatSource,
  others?: OtherUsage,
): RunningHeartbeat {
  let timer: NodeJS.Timeout | undefined;
  const beatOn = (): void => {
    if (others === undefined) heartbeat(dependencies, source)();
    else void others(source.measure()).then((all) => heartbeat(dependencies, { measure: () => all })());
    const { interval } = dependencies.configuration().configuration.health.heartbeat;
    timer = setTimeout(beatOn, Math.min(interval, LONGEST)).unref();
  };
  beatOn();
  return { stop: () => clearTimeout(timer) };
}

/** The resources that this process uses, with all its threads. */
export function processSource(environment: Readonly<Record<string, string | undefined>> = {}): HeartbeatSource {
  const cpuShare = cpuMeter();
  return {
    measure: () => ({
      cpuCount: availableParallelism(),
      cpuUsage: cpuShare(),
      totalMemory: memoryLimit(environment),
      memoryUsage: process.memoryUsage.rss(),
      activeResources: process.getActiveResourcesInfo().length,
    }),
  };
}

/** The share of all CPUs since it was last asked, at first since the process began. */
function cpuMeter(): () => number {
  // Microseconds.
  let last = { used: 0, at: (performance.now() - process.uptime() * 1e3) * 1e3 };
  return () => {
    const { user, system } = process.cpuUsage();
    const now = { used: user + system, at: performance.now() * 1e3 };
    const available = (now.at - last.at) * availableParallelism();
    const share = available > 0 ? (now.used - last.used) / available : 0;
    last = now;
    return Math.min(1, Math.max(0, Math.round(share * 1e4) / 1e4));
  };
}

/** Lambda has the megabytes in its environment. Elsewhere it is the limit of the container, if there is one. */
function memoryLimit({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE }: Readonly<Record<string, string | undefined>>): number {
  const megabytes = Number(AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 0);
  if (megabytes > 0) return megabytes * 1024 * 1024;
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}
