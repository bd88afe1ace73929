import * as z from "zod";
import { list, text } from "./types.ts";

/** `caches[]`: accepted because published files carry it; state lives in the runtime's store (`warnings.ts`). */
export const caches = list(
  z.looseObject({ name: text().optional(), type: text().optional() }, { error: "a mapping of keys" }),
).optional();
