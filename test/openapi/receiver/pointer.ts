import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";

/** What a JSON Pointer in a URI fragment (RFC 6901 §6) leads to; references on the way are followed. */
export function at(document: JsonObject, reference: string, hops = 0): unknown {
  if (hops > 100) throw new Error(`${reference} leads round in circles`);
  let value: unknown = document;
  for (const token of reference.replace(/^#/, "").split("/").slice(1)) {
    const name = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = resolved(document, value, hops + 1);
    value = typeof holder === "object" && holder !== null ? (holder as JsonObject)[name] : undefined;
  }
  return value;
}

/** The value itself, or what its `$ref` leads to. */
export function resolved(document: JsonObject, value: unknown, hops = 0): unknown {
  if (!isJsonObject(value) || typeof value.$ref !== "string") return value;
  return resolved(document, at(document, value.$ref, hops + 1), hops + 1);
}
