import * as z from "zod";
import { nearest } from "../../kernel/suggestions.ts";
import type { About } from "./about.ts";
import { insteadOf } from "./other-products.ts";

// A document is checked once: a parser that is compiled for each mapping costs more than it saves.
z.config({ jitless: true });

/** A mapping with exactly these keys. An unknown one is refused with the nearest known key; several are one line each. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? (issue.keys as string[]).map((key) => refusal(key, known)).join("\n")
        : "a mapping of keys",
  });
}

function refusal(key: string, known: readonly string[]): string {
  const missing = missingSpace(key, known);
  if (missing !== undefined) return `unknown key; ${missing}`;
  const instead = insteadOf(key);
  if (instead !== undefined) return `unknown key; ${instead}`;
  const suggestion = nearest(key, known);
  if (suggestion !== undefined) return `unknown key; did you mean "${suggestion}"?`;
  return `unknown key; accepted: ${known.join(", ")}`;
}

/** Says what a key is for. Outermost, around defaults and `optional()`. */
export function described<Schema extends z.ZodType>(schema: Schema, meaning: About | undefined): Schema {
  return meaning === undefined ? schema : schema.meta({ ...schema.meta(), ...meaning });
}

/** What `key:value` lacks, which is one text to YAML: a question where a known key is in front of the colon. */
export function missingSpace(text: string, known: readonly string[]): string | undefined {
  const key = text.slice(0, Math.max(0, text.indexOf(":")));
  return known.includes(key) ? `is a space missing after "${key}:"?` : undefined;
}
