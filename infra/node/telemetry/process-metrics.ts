import { performance } from "node:perf_hooks";
import type { Observations } from "../../../lib/telemetry/sdk/meter.ts";

/** What this process uses of the machine. */
export function processObservations(): Observations {
  return {
    "process.memory.usage": () => [{ value: process.memoryUsage.rss(), attributes: {} }],
    "nodejs.eventloop.time": () => {
      const { active, idle } = performance.eventLoopUtilization();
      return [
        { value: active / 1_000, attributes: { "nodejs.eventloop.state": "active" } },
        { value: idle / 1_000, attributes: { "nodejs.eventloop.state": "idle" } },
      ];
    },
  };
}
