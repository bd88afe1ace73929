import { isJsonObject, type JsonObject } from "../../json.ts";
import { DocumentError } from "./document-error.ts";

/** The target of a reference and where it stands in the document. */
export interface Target {
  readonly value: unknown;
  readonly pointer: string;
}

/** Follows `$ref`s of one node until something that is not a reference. Throws a `DocumentError`, also on a loop. */
export function resolve(document: JsonObject, value: unknown, pointer: string): Target {
  const seen = new Set<string>();
  let target: Target = { value, pointer };
  for (let reference = referenceOf(target.value); reference !== undefined; reference = referenceOf(target.value)) {
    if (seen.has(reference)) throw new DocumentError(pointer, `the reference ${reference} leads back to itself`);
    seen.add(reference);
    target = follow(document, reference, target.pointer);
  }
  return target;
}

/** The `$ref` of a Reference Object or a schema; undefined where there is none. */
export function referenceOf(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value.$ref === "string" ? value.$ref : undefined;
}

/** One step: `#/components/…` to what stands there. */
export function follow(document: JsonObject, reference: string, pointer: string): Target {
  if (!reference.startsWith("#")) {
    throw new DocumentError(pointer, `the reference ${reference} leaves the document; only "#/…" is supported`);
  }
  const target = decode(reference.slice(1), pointer);
  let value: unknown = document;
  for (const segment of target.split("/").slice(1)) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    value = step(value, name);
    if (value === undefined) throw new DocumentError(pointer, `the reference ${reference} leads nowhere`);
  }
  return { value, pointer: target };
}

function step(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function decode(fragment: string, pointer: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new DocumentError(pointer, `the reference #${fragment} has an invalid percent-encoding`);
  }
}
