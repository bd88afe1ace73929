import * as z from "zod";
import { missingSpace } from "../missing-space.ts";
import { nearest } from "../suggest.ts";

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
  const suggestion = nearest(key, known);
  if (suggestion !== undefined) return `unknown key; did you mean "${suggestion}"?`;
  return `unknown key; accepted: ${known.join(", ")}`;
}
