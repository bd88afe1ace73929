import { LOG_LEVELS } from "./logger.ts";
import { section } from "./section.ts";
import { choice, flag, path, positiveDuration } from "./types.ts";

/** `health`: where the health endpoint answers. The heartbeat's keys are checked; it does not beat yet (`warnings.ts`). */
export const health = section({
  location: path().default("/status"),
  heartbeat: section({
    disabled: flag().optional(),
    logLevel: choice(LOG_LEVELS).optional(),
    interval: positiveDuration().optional(),
  }).optional(),
}).prefault({});
