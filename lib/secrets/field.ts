import { isJsonObject } from "../kernel/json.ts";

/** What a reference asks a store of named entries for. */
export interface EntryField {
  readonly entry: string;
  /** A field of the JSON object that the entry holds; absent: the entry as it stands. */
  readonly field?: string;
}

/**
 * `<name>` is the entry `name`; `<ns.key>` the field `key` of the entry `ns`. The first dot divides, so that a field may
 * have dots (`<certificates.tls.key>` is `tls.key` of `certificates`) and an entry may not.
 */
export function entryField(reference: string): EntryField {
  const dot = reference.indexOf(".");
  return dot === -1 ? { entry: reference } : { entry: reference.slice(0, dot), field: reference.slice(dot + 1) };
}

/** A secret's text, or why there is none, to be put behind what was read: `has no field x`. */
export type Picked = { readonly value: string } | { readonly reason: string };

/** The part of an entry's text that `field` names; all of it without. An empty secret is none. */
export function pickField(text: string, field: string | undefined): Picked {
  if (field === undefined) return text === "" ? { reason: "is empty" } : { value: text };
  const object = parsed(text);
  return isJsonObject(object) ? pickMember(object, field) : { reason: `is no JSON object with a field ${field}` };
}

/** Bytes that are a secret as they stand, not a member of JSON. */
export function textIn(bytes: Uint8Array): Picked {
  try {
    const value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return value === "" ? { reason: "is empty" } : { value };
  } catch {
    return { reason: "is no text in UTF-8" };
  }
}

/** A member of parsed JSON as text; numbers and booleans become it. */
export function pickMember(object: Readonly<Record<string, unknown>>, field: string): Picked {
  const value = Object.hasOwn(object, field) ? object[field] : undefined;
  if (value === undefined || value === null) return { reason: `has no field ${field}` };
  if (value === "") return { reason: `has nothing in its field ${field}` };
  if (typeof value === "string") return { value };
  if (typeof value === "boolean" || isExact(value)) return { value: String(value) };
  return { reason: `has neither text, number nor boolean in its field ${field}` };
}

/** Whole numbers beyond 2^53 were changed by parsing. */
function isExact(value: unknown): boolean {
  return typeof value === "number" && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
