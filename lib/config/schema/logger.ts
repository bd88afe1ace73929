import { TIME_FORMATS } from "../../logging/time-format-names.ts";
import { described } from "./described.ts";
import { section } from "./section.ts";
import { choice, flag } from "./types.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

const fieldOrdering = section({
  enabled: described(flag().default(false), "Writes the fields of every log entry in the same order."),
});

/** `logger`: what log entries look like, and which are written. */
export const logger = described(
  section({
    level: described(choice(LOG_LEVELS).default("info"), "The least level that is written."),
    jsonOutput: described(flag().default(false), "Writes one JSON object a line in place of text."),
    timeFormat: described(
      choice(TIME_FORMATS).default("RFC3339Nano"),
      "How times are written: a layout that Go's time package names, or the epoch in whole units.",
    ),
    logSessionID: described(flag().default(false), "Adds the beginning of the session ID's hash to log entries."),
    fieldOrdering: described(fieldOrdering.prefault({}), "The order of fields."),
  }).prefault({}),
  "The log.",
);
