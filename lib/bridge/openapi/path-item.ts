import { isJsonObject, type JsonObject } from "../../json.ts";
import { below, DocumentError } from "./document-error.ts";
import { follow, referenceOf, type Target } from "./reference.ts";

/** The members of a Path Item Object and where they stand. */
export type PathItem = ReadonlyMap<string, Target>;

/**
 * A Path Item with what it refers to; its own members win (OpenAPI leaves open which do). Throws a `DocumentError` when
 * it cannot be read.
 */
export function pathItem(document: JsonObject, value: unknown, pointer: string): PathItem {
  const members = new Map<string, Target>();
  const seen = new Set<string>();
  // A key without value, as YAML has them, is an item without members.
  let target: Target = { value: value ?? {}, pointer };
  for (;;) {
    if (!isJsonObject(target.value)) throw new DocumentError(target.pointer, "a Path Item is an object");
    for (const [name, member] of Object.entries(target.value)) {
      if (!members.has(name) && member !== null)
        members.set(name, { value: member, pointer: below(target.pointer, name) });
    }
    const reference = referenceOf(target.value);
    if (reference === undefined) return members;
    if (seen.has(reference)) throw new DocumentError(pointer, `the reference ${reference} leads back to itself`);
    seen.add(reference);
    target = follow(document, reference, target.pointer);
  }
}
