import { section } from "./section.ts";
import { choice } from "./types.ts";

/** `audit`. Every call waits for its record, whatever `delivery` says (`warnings.ts`). */
export const audit = section(
  { delivery: choice(["durable", "background"]).optional() },
  { retention: "deleting audit records after a time; they are kept" },
).optional();
