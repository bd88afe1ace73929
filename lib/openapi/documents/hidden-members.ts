import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { below, DocumentError } from "./document-error.ts";
import { referenceOf, resolve } from "./reference.ts";

/** Which side sends the value: `readOnly` members are no part of a request, `writeOnly` ones none of a response. */
export type Direction = "request" | "response";

/** Finds the members of objects that one side does not send. */
export interface HiddenMembers {
  /** Of a schema and of all that holds for the same value: what it refers to and its `allOf`. */
  names(schema: JsonObject, pointer: string): ReadonlySet<string>;
  /** Whether what holds for the same value asks for one of the names, or describes it, without being hidden there itself. */
  mentions(schema: unknown, pointer: string, names: ReadonlySet<string>): boolean;
}

const NONE: ReadonlySet<string> = new Set();
/** Properties that are looked at again. */
const FEW = 20;

export function createHiddenMembers(document: JsonObject, direction: Direction): HiddenMembers {
  const keyword = direction === "request" ? "readOnly" : "writeOnly";
  const known = new WeakMap<JsonObject, ReadonlySet<string>>();

  function names(schema: JsonObject, pointer: string): ReadonlySet<string> {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const { properties } = schema;
    const members = Object.entries(isJsonObject(properties) ? properties : {});
    const own = members.filter(([, property]) => isHidden(property));
    const parts = sameValue(schema, pointer);
    // Most schemas are of this kind, and to look again costs less than to remember it.
    if (own.length === 0 && parts.length === 0 && members.length < FEW) return NONE;
    // A circle adds nothing to itself.
    known.set(schema, NONE);
    const inside = parts.flatMap((part) => [...names(part.schema, part.pointer)]);
    const found = new Set([...own.map(([name]) => name), ...inside]);
    known.set(schema, found.size === 0 ? NONE : found);
    return found;
  }

  function isHidden(schema: unknown, seen: Set<unknown> = new Set()): boolean {
    if (!isJsonObject(schema) || seen.has(schema)) return false;
    if (schema[keyword] === true) return true;
    if (schema.$ref === undefined && schema.allOf === undefined) return false;
    seen.add(schema);
    return sameValue(schema, "").some((part) => isHidden(part.schema, seen));
  }

  function mentions(schema: unknown, pointer: string, wanted: ReadonlySet<string>, seen = new Set<unknown>()): boolean {
    if (!isJsonObject(schema) || seen.has(schema)) return false;
    seen.add(schema);
    const own = names(schema, pointer);
    const { properties, required } = schema;
    const found = [
      ...(isJsonObject(properties) ? Object.keys(properties) : []),
      ...(Array.isArray(required) ? required : []),
    ];
    if (found.some((name) => wanted.has(name) && !own.has(name))) return true;
    return sameValue(schema, pointer).some((part) => mentions(part.schema, part.pointer, wanted, seen));
  }

  function sameValue(schema: JsonObject, pointer: string): { readonly schema: JsonObject; readonly pointer: string }[] {
    const all = Array.isArray(schema.allOf) ? schema.allOf : [];
    const parts = all.map((part, index) => ({ value: part, pointer: below(pointer, "allOf", String(index)) }));
    if (referenceOf(schema) !== undefined) parts.push(target({ $ref: schema.$ref }, pointer));
    return parts.flatMap(({ value, pointer }) => (isJsonObject(value) ? [{ schema: value, pointer }] : []));
  }

  /** A reference that leads nowhere is told of where the schema is taken out. */
  function target(reference: JsonObject, pointer: string): { readonly value: unknown; readonly pointer: string } {
    try {
      return resolve(document, reference, pointer);
    } catch (cause) {
      if (cause instanceof DocumentError) return { value: undefined, pointer };
      throw cause;
    }
  }

  return { names, mentions };
}
