import * as z from "zod";
import type { Path } from "../path.ts";
import { below, innerOf } from "./secrecy.ts";

/** The schemas of a place, without defaults around them; several where a union has the place more than once. */
export function schemasAt(schema: z.core.$ZodType, path: Path): readonly z.core.$ZodType[] {
  const inner = innerOf(schema);
  if (inner !== undefined) return schemasAt(inner, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => schemasAt(option, path));
  const [step, ...rest] = path;
  if (step === undefined) return [schema];
  const next = below(schema, step);
  return next === undefined ? [] : schemasAt(next, rest);
}
