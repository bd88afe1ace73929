import * as z from "zod";
import { lazy } from "../kernel/lazy.ts";
import { nearest } from "../kernel/suggestions.ts";
import type { Path } from "./path.ts";
import { documentSchema } from "./schema/document.ts";
import { innerOf, isMarked, isSecretAt, schemasAt } from "./schema/secrecy.ts";

const LONGEST = 60;
const PLACEHOLDER_ALONE = /^(?:\{\{[^{}]*\}\}|<[^<>]*>)$/;

/**
 * How a refused value is named in a message. What a placeholder brought, what the schema marks as secret, text in the
 * place of a section with secrets and what may hold a credential are described and never shown.
 */
export function found(value: unknown, path: Path, written: string | undefined): string {
  if (written !== undefined) {
    const name = PLACEHOLDER_ALONE.test(written) || !mayHoldSecret(path) ? written : "text with a placeholder";
    if (value === null) return name;
    return value === "" ? `an empty value of ${name}` : `the value of ${name}`;
  }
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (value === "") return "empty text";
  const isSecret = mayHoldSecret(path);
  if (typeof value !== "string") return isSecret ? `a ${typeof value}` : `the ${typeof value} ${String(value)}`;
  const isHidden = isSecret || namesSecret(value) || /[@?]/.test(value) || value.length > LONGEST;
  return isHidden ? "text" : JSON.stringify(value);
}

/** A place as a message names it: it ends in front of a key that may be a secret, as `{setupToken:value}` is one key to YAML. */
export function shownPath(path: Path): Path {
  const end = path.findIndex((step, index) => typeof step === "string" && isHidden(step, path.slice(0, index)));
  return end < 0 ? path : path.slice(0, end);
}

/** Every text in a filled document that the schema marks as secret, or that stands in something that it marks so. */
export function secretTexts(document: unknown, path: Path = []): readonly string[] {
  if (typeof document === "string") return isSecretAt(documentSchema, path) ? [document] : [];
  if (Array.isArray(document)) return document.flatMap((item, index) => secretTexts(item, [...path, index]));
  if (typeof document !== "object" || document === null) return [];
  return Object.entries(document).flatMap(([key, value]) => secretTexts(value, [...path, key]));
}

/** The keys of the sections at a place. */
export function keysAt(path: Path): readonly string[] {
  return schemasAt(documentSchema, path).flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  );
}

function isHidden(key: string, around: Path): boolean {
  if (key.includes(":")) return namesSecret(key) || mayHoldSecret(around);
  if (!isSecretAt(documentSchema, around)) return false;
  const known = keysAt(around);
  return known.length > 0 && nearest(key, known) === undefined;
}

/** Whether text at a place may be a secret: one belongs there, around it or, at any depth, into it. */
function mayHoldSecret(path: Path): boolean {
  return isSecretAt(documentSchema, path) || schemasAt(documentSchema, path).some(holdsSecret);
}

/** Whether text names a key of a secret as if its value followed; wherever it stands, that may be one. */
function namesSecret(text: string): boolean {
  return text.includes(":") && secretKey().test(text);
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

const secretKey = lazy(() => new RegExp(`(?<![A-Za-z])(?:${[...new Set(secretKeys(documentSchema))].join("|")})\\s*:`));
