import * as z from "zod";
import { about } from "#about";
import { parseDuration } from "../duration.ts";
import { described, section } from "./section.ts";
import { choice, list, text } from "./types.ts";

/** `store`: where the embedded server keeps its database. Workers and Lambda have their own stores. */
export const store = described(
  section({
    path: described(
      text("a folder").default("./data"),
      about(
        "Folder of the embedded database, relative to the working directory of the process.",
        "/var/lib/countersign",
      ),
    ),
    region: described(text().optional(), about("No effect yet. The store belongs to `oidcProvider.region`.", "us")),
  }).prefault({}),
  about("The store of the embedded server."),
);

const cache = z.looseObject(
  {
    name: described(text().optional(), about("Accepted, no effect.", "shared")),
    type: described(text().optional(), about("Accepted, no effect.", "redis")),
  },
  { error: "a mapping of keys" },
);

/** `caches[]`: accepted because published files carry it; state lives in the runtime's store (`warnings.ts`). */
export const caches = described(
  list(cache).optional(),
  about("Accepted, no effect, with any further keys. State lives in the runtime's store."),
);

const RETENTION = "days or a duration, at least 2d, such as 400d or 720h";

/** `audit`. Every call waits for its record, whatever is written (`warnings.ts`). */
export const audit = described(
  section({
    delivery: described(
      choice(["durable", "background"]).default("durable"),
      about("Whether a call waits for its audit record. Every call waits; `background` has no effect."),
    ),
    retention: described(
      text(RETENTION)
        // What is still open, or on its way into a store, is younger.
        .refine((value) => parseRetention(value) >= 2 * DAY, { error: RETENTION })
        .optional(),
      about("How long audit records are kept; then only their numbers are. Without it they are kept for good.", "400d"),
    ),
    proxy: described(
      choice(["all", "denied", "off"]).default("denied"),
      about(
        "Which requests for web apps (`type: proxy`) leave a record: all, those that were denied, or none. Sign-ins always do.",
      ),
    ),
  }).prefault({}),
  about("The audit log."),
);

/** Milliseconds; 0 for what is no retention. */
export function parseRetention(value: string): number {
  return /^[1-9]\d{0,4}d$/.test(value) ? Number.parseInt(value, 10) * DAY : (parseDuration(value) ?? 0);
}

const DAY = 86_400_000;
