import * as z from "zod";
import type { Path } from "../path.ts";
import { documentSchema } from "./document.ts";
import { schemasAt } from "./schemas-at.ts";
import { innerOf, isMarked, isSecretAt } from "./secrecy.ts";

/** Whether text at a place may be a secret: one belongs there, around it or, at any depth, into it. */
export function mayHoldSecret(path: Path): boolean {
  return isSecretAt(documentSchema, path) || schemasAt(documentSchema, path).some(holdsSecret);
}

/** Whether text names a key of a secret as if its value followed; wherever it stands, that may be one. */
export function namesSecret(text: string): boolean {
  return text.includes(":") && SECRET_KEY.test(text);
}

/** The keys of the sections at a place. */
export function keysAt(path: Path): readonly string[] {
  return schemasAt(documentSchema, path).flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  );
}

function holdsSecret(schema: z.core.$ZodType): boolean {
  return isMarked(schema) || partsOf(schema).some(([, part]) => holdsSecret(part));
}

function partsOf(schema: z.core.$ZodType): readonly (readonly [key: string, part: z.core.$ZodType])[] {
  const inner = innerOf(schema);
  if (inner !== undefined) return [["", inner]];
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => ["", option]);
  if (schema instanceof z.ZodArray) return [["", schema.element]];
  if (schema instanceof z.ZodRecord) return [["", schema.valueType]];
  return schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
}

/** What stands for a secret is marked itself or has only defaults around it, so that the key is its name. */
function secretKeys(schema: z.core.$ZodType, key = ""): readonly string[] {
  if (isMarked(schema)) return key === "" ? [] : [key];
  return partsOf(schema).flatMap(([own, part]) => secretKeys(part, own || key));
}

const SECRET_KEY = new RegExp(`(?<![A-Za-z])(?:${[...new Set(secretKeys(documentSchema))].join("|")})\\s*:`);
