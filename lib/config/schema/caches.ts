import * as z from "zod";
import { described } from "./described.ts";
import { list, text } from "./types.ts";

const cache = z.looseObject(
  {
    name: described(text().optional(), "Accepted, without effect.", "shared"),
    type: described(text().optional(), "Accepted, without effect.", "redis"),
  },
  { error: "a mapping of keys" },
);

/** `caches[]`: accepted because published files carry it; state lives in the runtime's store (`warnings.ts`). */
export const caches = described(
  list(cache).optional(),
  "Accepted, without effect, with any further keys: state lives in the runtime's store.",
);
