import { availableParallelism, totalmem } from "node:os";
import type { HeartbeatSource } from "../../lib/heartbeat/source.ts";

/** What this process uses, all its threads together. */
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

/** Lambda tells megabytes in its environment; elsewhere the container's limit counts, when it is one. */
function memoryLimit({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE }: Readonly<Record<string, string | undefined>>): number {
  const megabytes = Number(AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 0);
  if (megabytes > 0) return megabytes * 1024 * 1024;
  const constrained = process.constrainedMemory();
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}
