import type { Dependencies } from "../../lib/application/dependencies.ts";
import { heartbeat } from "../../lib/application/heartbeat/heartbeat.ts";
import { paced } from "../../lib/application/heartbeat/pace.ts";
import type { HeartbeatSource } from "../../lib/application/heartbeat/source.ts";
import type { Background } from "../background.ts";

/** To be called with each request: an instance that serves none is asleep, and no timer wakes it. */
export function edgeHeartbeat(
  dependencies: Pick<Dependencies, "configuration" | "logger" | "clock">,
  source: HeartbeatSource,
): (waitUntil: Background["waitUntil"]) => void {
  const { clock, configuration } = dependencies;
  const interval = () => configuration().configuration.health.heartbeat.interval;
  const beat = paced(clock, interval, heartbeat(dependencies, source));
  return (waitUntil) => waitUntil(Promise.resolve().then(beat));
}
