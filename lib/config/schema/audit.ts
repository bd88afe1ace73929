import { parseDuration } from "../duration.ts";
import { described } from "./described.ts";
import { section } from "./section.ts";
import { choice, text } from "./types.ts";

const RETENTION = "days or a duration, such as 400d or 720h";

/** `audit`. Every call waits for its record, and records are kept, whatever is written (`warnings.ts`). */
export const audit = described(
  section({
    delivery: described(
      choice(["durable", "background"]).default("durable"),
      "Whether a call waits for its audit record. Every call waits: `background` is without effect.",
    ),
    retention: described(
      text(RETENTION).refine(isRetention, { error: RETENTION }).optional(),
      "How long audit records are kept. Not yet in effect: they are kept.",
      "400d",
    ),
  }).prefault({}),
  "The audit log.",
);

function isRetention(value: string): boolean {
  return /^[1-9]\d{0,4}d$/.test(value) || (parseDuration(value) ?? 0) > 0;
}
