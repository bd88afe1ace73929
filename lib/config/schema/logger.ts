import { about } from "#about";
import { TIME_FORMATS } from "../../logging/time-format.ts";
import { described, section } from "./section.ts";
import { choice, flag, path, timerInterval } from "./types.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

const fieldOrdering = section({
  enabled: described(flag().default(false), about("Writes the fields of every log entry in the same order.")),
});

/** `logger`: what log entries look like, and which are written. */
export const logger = described(
  section({
    level: described(choice(LOG_LEVELS).default("info"), about("Lowest level that is logged.")),
    jsonOutput: described(flag().default(false), about("Writes one JSON object per line instead of text.")),
    timeFormat: described(
      choice(TIME_FORMATS).default("RFC3339Nano"),
      about("Time format: the name of a layout from Go's `time` package, or the Unix time in whole units."),
    ),
    logSessionID: described(
      flag().default(false),
      about("Adds the first characters of the session ID's hash to log entries."),
    ),
    fieldOrdering: described(fieldOrdering.prefault({}), about("Order of the fields.")),
  }).prefault({}),
  about("The log."),
);

const heartbeat = section({
  disabled: described(flag().default(false), about("Turns the heartbeat off.")),
  logLevel: described(choice(LOG_LEVELS).default("info"), about("Level of the heartbeat's log entries.")),
  interval: described(timerInterval().prefault("60s"), about("Interval between heartbeats.")),
});

/** `health`: where the health endpoint answers, and the log entry that says regularly how the instance is. */
export const health = described(
  section({
    location: described(path().default("/status"), about("Path of the health endpoint.")),
    heartbeat: described(heartbeat.prefault({}), about("A regular log entry with versions, processors and memory.")),
  }).prefault({}),
  about("The health endpoint and the heartbeat."),
);
