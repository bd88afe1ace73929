import * as z from "zod";
import { nearest } from "../suggest.ts";

/** Keys that the documentation names and this version refuses, each with what it would do. */
export type LaterKeys = Readonly<Record<string, string>>;

/**
 * A mapping with exactly these keys. An unknown one is refused with the nearest known key; one of `later` is refused
 * as not supported, so that nobody believes in protection that is not there. The text for several keys is one line each.
 */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape, later: LaterKeys = {}) {
  const known = [...Object.keys(shape), ...Object.keys(later)];
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? (issue.keys as string[]).map((key) => refusal(key, known, later)).join("\n")
        : "a mapping of keys",
  });
}

function refusal(key: string, known: readonly string[], later: LaterKeys): string {
  if (Object.hasOwn(later, key)) return `not supported by this version: ${later[key]}`;
  const suggestion = nearest(key, known);
  if (suggestion !== undefined) return `unknown key; did you mean "${suggestion}"?`;
  return `unknown key; accepted: ${known.filter((name) => !Object.hasOwn(later, name)).join(", ")}`;
}
