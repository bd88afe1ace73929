import { VERSION } from "../../kernel/version.ts";
import type { Dependencies } from "../dependencies.ts";
import type { HeartbeatSource } from "./source.ts";

/** Writes the heartbeat entry of an instance (`health.heartbeat`), at the level that the configuration says now. */
export function heartbeat(
  { configuration, logger }: Pick<Dependencies, "configuration" | "logger">,
  source: HeartbeatSource,
): () => void {
  return () => {
    const { version, health } = configuration().configuration;
    const { disabled, level } = health.heartbeat;
    if (disabled) return;
    const { cpuCount, cpuUsage, totalMemory, memoryUsage, activeResources } = source.measure();
    // The names are the specification's; goroutines are what its original counts. What is undefined is left out.
    logger[level]("heartbeat", {
      orchestrator_version: VERSION,
      config_version: version,
      cpu_count: cpuCount,
      cpu_usage: cpuUsage,
      total_memory: totalMemory,
      memory_usage: memoryUsage,
      active_goroutines: activeResources,
    });
  };
}
