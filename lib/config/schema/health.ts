import { described } from "./described.ts";
import { LOG_LEVELS } from "./logger.ts";
import { section } from "./section.ts";
import { choice, flag, path, timerInterval } from "./types.ts";

const heartbeat = section({
  disabled: described(flag().default(false), "Turns the heartbeat off."),
  logLevel: described(choice(LOG_LEVELS).default("info"), "Level of the heartbeat's log entries."),
  interval: described(timerInterval().prefault("60s"), "Time from one heartbeat to the next."),
});

/** `health`: where the health endpoint answers, and the log entry that says regularly how the instance is. */
export const health = described(
  section({
    location: described(path().default("/status"), "Path of the health endpoint."),
    heartbeat: described(heartbeat.prefault({}), "A regular log entry with versions, processors and memory."),
  }).prefault({}),
  "The health endpoint and the heartbeat.",
);
