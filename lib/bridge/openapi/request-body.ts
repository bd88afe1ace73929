import type { JsonSchema, LeftOutReason } from "../catalog.ts";
import { below, DocumentError } from "./document-error.ts";
import { isJson, mediaTypes } from "./media-types.ts";
import type { Operation } from "./operations.ts";
import { isObject, type PlainObject } from "./plain.ts";
import { resolve } from "./reference.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** A JSON request body, before its properties are given the names of their arguments. */
export interface SupportedBody {
  readonly contentType: string;
  readonly required: boolean;
  readonly schema: JsonSchema | boolean;
  /** Present when the body is an object that its properties describe completely, so that they can be arguments. */
  readonly object?: { readonly properties: PlainObject; readonly required: readonly string[] };
}

/** Keywords of an object schema that a list of arguments still expresses. */
const FLAT_KEYWORDS = new Set(["type", "properties", "required", "title", "description", "additionalProperties"]);

/** The operation's JSON body; undefined when it takes none; or why the operation cannot be a tool. */
export function supportedBody(
  document: PlainObject,
  operation: Operation,
  schemas: SchemaExtractor,
): SupportedBody | undefined | LeftOutReason {
  const { requestBody } = operation.definition;
  if (requestBody === undefined) return undefined;
  const { value, pointer } = resolve(document, requestBody, below(operation.pointer, "requestBody"));
  if (!isObject(value) || !isObject(value.content))
    throw new DocumentError(pointer, "a request body has a content object");
  const required = value.required === true;
  if (operation.method === "GET" || operation.method === "HEAD") {
    return required ? "unsupported request body" : undefined;
  }
  const json = mediaTypes(value.content).find(({ name }) => isJson(name));
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

function flatObject(
  document: PlainObject,
  schema: unknown,
  pointer: string,
  schemas: SchemaExtractor,
): SupportedBody["object"] {
  const target = resolve(document, schema, pointer);
  const extracted = schemas.extract(target.value ?? {}, target.pointer);
  if (!isObject(extracted) || (extracted.type ?? "object") !== "object" || !isObject(extracted.properties))
    return undefined;
  if (Object.keys(extracted).some((keyword) => !FLAT_KEYWORDS.has(keyword))) return undefined;
  if (extracted.additionalProperties !== undefined && extracted.additionalProperties !== false) return undefined;
  const { properties } = extracted;
  const required = Array.isArray(extracted.required)
    ? extracted.required.filter((name) => Object.hasOwn(properties, name))
    : [];
  return { properties, required };
}
