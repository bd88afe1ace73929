import { isJsonObject, type JsonObject } from "../../json.ts";
import type { JsonSchema, LeftOutReason } from "../catalog.ts";
import { below, DocumentError } from "./document-error.ts";
import { admitsJson, mediaTypes } from "./media-types.ts";
import type { Operation } from "./operations.ts";
import { resolve } from "./reference.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** A JSON request body, before its properties are given the names of their arguments. */
export interface SupportedBody {
  readonly contentType: string;
  readonly required: boolean;
  readonly schema: JsonSchema | boolean;
  /** Present when the body is an object that its properties describe completely, so that they can be arguments. */
  readonly object?: { readonly properties: JsonObject; readonly required: readonly string[] };
}

/** Keywords of an object schema that a list of arguments still expresses. */
const FLAT_KEYWORDS = new Set(["type", "properties", "required", "title", "description", "additionalProperties"]);

/** The operation's JSON body; undefined when it takes none; or why the operation cannot be a tool. */
export function supportedBody(
  document: JsonObject,
  operation: Operation,
  schemas: SchemaExtractor,
): SupportedBody | undefined | LeftOutReason {
  const { requestBody } = operation.definition;
  if (requestBody === undefined) return undefined;
  const { value, pointer } = resolve(document, requestBody, below(operation.pointer, "requestBody"));
  if (!isJsonObject(value) || !isJsonObject(value.content))
    throw new DocumentError(pointer, "a request body has a content object");
  const required = value.required === true;
  if (operation.method === "GET" || operation.method === "HEAD") {
    return required ? "unsupported request body" : undefined;
  }
  const json = mediaTypes(value.content).find(({ name }) => admitsJson(name));
  if (json === undefined) return "unsupported request body";
  const at = below(pointer, "content", json.key, "schema");
  const schema = schemas.extract(json.definition.schema ?? {}, at);
  const object = flatObject(document, json.definition.schema, at, schemas);
  // Arguments of an optional body cannot be required without requiring the body.
  const flat = object !== undefined && (required || object.required.length === 0);
  return {
    contentType: json.name.includes("*") ? "application/json" : json.name,
    required,
    schema,
    ...(flat && { object }),
  };
}

/** What is not supported about a body, for people: its media types, or that the method has none. */
export function unsupportedBody(document: JsonObject, operation: Operation): string {
  if (operation.method === "GET" || operation.method === "HEAD") return `${operation.method} with a body`;
  const { value } = resolve(document, operation.definition.requestBody, below(operation.pointer, "requestBody"));
  if (!isJsonObject(value) || !isJsonObject(value.content)) return "no media type";
  const names = mediaTypes(value.content).map(({ name }) => name);
  return names.length === 0 ? "no media type" : names.join(", ");
}

function flatObject(
  document: JsonObject,
  schema: unknown,
  pointer: string,
  schemas: SchemaExtractor,
): SupportedBody["object"] {
  const target = resolve(document, schema, pointer);
  const extracted = schemas.extract(target.value ?? {}, target.pointer);
  if (!isJsonObject(extracted) || (extracted.type ?? "object") !== "object" || !isJsonObject(extracted.properties))
    return undefined;
  if (Object.keys(extracted).some((keyword) => !FLAT_KEYWORDS.has(keyword))) return undefined;
  if (extracted.additionalProperties !== undefined && extracted.additionalProperties !== false) return undefined;
  const { properties } = extracted;
  const required = Array.isArray(extracted.required)
    ? extracted.required.filter((name) => Object.hasOwn(properties, name))
    : [];
  return { properties, required };
}
