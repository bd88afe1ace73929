import * as z from "zod";
import type { Path } from "../path.ts";

/** Whether the schema marks the place, or something around it, as secret. */
export function isSecretAt(schema: z.core.$ZodType, path: Path): boolean {
  if (isMarked(schema)) return true;
  const inner = innerOf(schema);
  if (inner !== undefined) return isSecretAt(inner, path);
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => isSecretAt(option, path));
  const [step, ...rest] = path;
  if (step === undefined) return false;
  const next = below(schema, step);
  return next !== undefined && isSecretAt(next, rest);
}

/** Whether the schema itself is marked, and not what it is a part of. */
export function isMarked(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(schema)?.secret === true;
}

/** What a default or an optional value is around. */
export function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = schema._zod as { readonly def: { readonly innerType?: z.core.$ZodType } };
  return def.innerType;
}

/** The schema of a key or of the entries of a list. */
function below(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodObject && Object.hasOwn(schema.shape, step)) return schema.shape[step];
  return undefined;
}

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
