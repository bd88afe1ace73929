import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { bundleOf, sourceOf, UNREAD } from "./bundle-shape.ts";
import { below, DocumentError } from "./document-error.ts";
import { nameOf, withoutQuery } from "./document-uri.ts";

/** The target of a reference and where it stands in the document. */
export interface Target {
  readonly value: unknown;
  readonly pointer: string;
}

/** How often the way to one target may lead over other references, those on their ways included. */
const MAX_DETOURS = 50;

/** Follows `$ref`s of one node until something that is not a reference. Throws a `DocumentError`, also on a loop. */
export function resolve(document: JsonObject, value: unknown, pointer: string): Target {
  const seen = new Set<string>();
  let target: Target = { value, pointer };
  for (let reference = referenceOf(target.value); reference !== undefined; reference = referenceOf(target.value)) {
    if (seen.has(reference)) {
      throw new DocumentError(pointer, `the reference ${shown(document, reference)} leads back to itself`);
    }
    seen.add(reference);
    target = follow(document, reference, target.pointer);
  }
  return target;
}

/** The `$ref` of a Reference Object or a schema; undefined where there is none. */
export function referenceOf(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;
}

/** Where the references of a document lead: hundreds of operations have the same. Nothing changes a document that is read. */
const followed = new WeakMap<JsonObject, Map<string, Target>>();

/** One step: `#/components/…` to what stands there, also where something on the way is a reference itself. */
export function follow(document: JsonObject, reference: string, pointer: string): Target {
  const known = followed.get(document) ?? new Map<string, Target>();
  followed.set(document, known);
  const target = known.get(reference) ?? followAnew(document, reference, pointer, { left: MAX_DETOURS });
  known.set(reference, target);
  return target;
}

function followAnew(document: JsonObject, reference: string, pointer: string, detours: { left: number }): Target {
  const fragment = reference.startsWith("#") ? fragmentNames(reference) : undefined;
  if (fragment === undefined) throw notThere(document, reference, pointer);
  let target: Target = { value: document, pointer: "" };
  for (const name of fragment) {
    let value = step(target.value, name);
    while (value === undefined && detours.left > 0) {
      const through = referenceOf(target.value);
      if (through === undefined) break;
      detours.left--;
      target = followAnew(document, through, target.pointer, detours);
      value = step(target.value, name);
    }
    if (value === undefined) {
      throw new DocumentError(pointer, `the reference ${shown(document, reference)} leads nowhere`);
    }
    target = { value, pointer: below(target.pointer, name) };
  }
  return target;
}

/** The value at a JSON Pointer, taken as a fragment; undefined where there is none. */
export function valueAt(content: unknown, fragment: string): unknown {
  const names = fragmentNames(`#${fragment}`);
  return names?.reduce(step, content);
}

/** A JSON Pointer as a URI fragment (RFC 6901 §6). */
export function encodeFragment(pointer: string): string {
  return pointer.split("/").map(encodeURIComponent).join("/");
}

function step(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The names in a fragment; undefined when its percent-encoding is invalid. */
function fragmentNames(reference: string): readonly string[] | undefined {
  try {
    const pointer = decodeURIComponent(reference.slice(1));
    return pointer
      .split("/")
      .slice(1)
      .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    // The caller says what is wrong with it.
    return undefined;
  }
}

function notThere(document: JsonObject, reference: string, pointer: string): DocumentError {
  if (reference.startsWith("#")) {
    return new DocumentError(pointer, `the reference ${reference} has an invalid percent-encoding`);
  }
  const index = reference.startsWith(UNREAD) ? Number(reference.slice(UNREAD.length)) : -1;
  const entry = bundleOf(document).unread?.[index];
  if (entry === undefined) return new DocumentError(pointer, `the reference ${reference} leads nowhere`);
  const { uri, reason } = entry;
  const name = uri && nameOf(uri);
  const written = withoutQuery(entry.reference);
  const isNamed = name === undefined || name === written.split("#", 1)[0];
  const what = isNamed ? `a document that ${reason}` : `${name}, which ${reason}`;
  return new DocumentError(pointer, `the reference ${written} leads to ${what}`, uri);
}

/** A reference as people know it: with the document that it leads to by name. */
function shown(document: JsonObject, reference: string): string {
  const { index, pointer } = sourceOf(reference.slice(1));
  if (index === undefined) return `#${pointer}`;
  return `${nameOf(bundleOf(document).uris?.[index] ?? "")}#${pointer}`;
}
