import { section } from "./section.ts";
import { choice, flag, text } from "./types.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** `logger`. The keys about format are checked; they change nothing yet (`warnings.ts`). */
export const logger = section({
  level: choice(LOG_LEVELS).default("info"),
  jsonOutput: flag().default(false),
  timeFormat: text().optional(),
  logSessionID: flag().optional(),
  fieldOrdering: section({ enabled: flag().optional() }).optional(),
}).prefault({});
