import { essence } from "../../http/media-type.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { JsonSchema, LeftOutReason, OperationBody } from "../catalog.ts";
import { type BodyMediaType, bodyMediaTypes } from "./body-media-type.ts";
import { described } from "./described.ts";
import { below, DocumentError } from "./document-error.ts";
import { contentTypes, encodingsOf } from "./encodings.ts";
import { fileSchema } from "./file-schema.ts";
import { type FlatObject, flatObject } from "./flat-object.ts";
import type { Operation } from "./operations.ts";
import { text } from "./plain.ts";
import { resolve } from "./reference.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";
import { withFiles } from "./with-files.ts";

/** A request body, before its properties are given the names of their arguments. */
export interface SupportedBody extends Pick<OperationBody, "contentType" | "kind" | "required" | "encodings"> {
  readonly schema: JsonSchema | boolean;
  /** Present when the body is an object that its properties describe completely, so that they can be arguments. */
  readonly object?: FlatObject;
}

/** The operation's body; undefined when it takes none; or why the operation cannot be a tool. */
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
  // What fetch cannot send.
  if (operation.method === "GET" || operation.method === "HEAD") {
    return required ? "unsupported request body" : undefined;
  }
  const offered = bodyMediaTypes(document, value.content, below(pointer, "content"));
  const [best] = offered;
  if (best === undefined) return required ? "unsupported request body" : undefined;
  const body = bodyOf(document, best, offered, { schemas, isOptional: !required });
  // Arguments of an optional body cannot be required without requiring the body.
  const { object, ...whole } = body;
  return {
    ...whole,
    schema: described(body.schema, text(value.description)),
    ...(required && { required }),
    ...(object !== undefined && (required || object.required.length === 0) && { object }),
  };
}

/** What is not supported about a body, for people: its media types, or that the method has none. */
export function unsupportedBody(document: JsonObject, operation: Operation): string {
  if (operation.method === "GET" || operation.method === "HEAD") return `${operation.method} with a body`;
  const { value } = resolve(document, operation.definition.requestBody, below(operation.pointer, "requestBody"));
  const names = isJsonObject(value) && isJsonObject(value.content) ? Object.keys(value.content).map(essence) : [];
  return names.length === 0 ? "no media type" : names.join(", ");
}

type Body = Omit<SupportedBody, "required">;

function bodyOf(
  document: JsonObject,
  type: BodyMediaType,
  offered: readonly BodyMediaType[],
  context: { readonly schemas: SchemaExtractor; readonly isOptional: boolean },
): Body {
  const { schemas } = context;
  const { kind, definition, pointer } = type;
  const contentType = contentTypeOf(type);
  const at = below(pointer, "schema");
  if (kind === "text") return { kind, contentType, schema: textSchema(schemas.extract(definition.schema ?? {}, at)) };
  if (kind === "binary") {
    const types = offered.filter((one) => one.kind === kind).map(({ key }) => essence(key));
    return { kind, contentType, schema: fileSchema(descriptionOf(document, type), types, false) };
  }
  const { schema, files } =
    kind === "multipart"
      ? withFiles(document, definition.schema, at, (property) => contentTypes(definition, property))
      : { schema: definition.schema, files: new Set<string>() };
  const encodings = kind === "json" ? undefined : encodingsOf(definition, files);
  const object = flatObject(document, schema, at, context);
  return {
    contentType,
    ...(kind !== "json" && { kind }),
    ...(encodings && { encodings }),
    schema: kind === "json" ? schemas.extract(schema ?? {}, at) : anObject(schemas.extract(schema ?? {}, at)),
    ...(object && { object }),
  };
}

/** As the document spells it, version parameters and all, where it is one type and can be a header. */
function contentTypeOf({ kind, key }: BodyMediaType): string {
  const name = essence(key);
  if (kind === "multipart") return name.includes("*") ? "multipart/form-data" : name;
  if (!name.includes("*"))
    return /^[\x21-\x3a\x3c-\x7e]+( ?; ?[\x21-\x3a\x3c-\x7e]+)*$/.test(key.trim()) ? key.trim() : name;
  if (kind === "json") return "application/json";
  return kind === "text" ? "text/plain" : "application/octet-stream";
}

/** What is no string in the document, an object as XML for example, is for the agent to write down. */
function textSchema(schema: JsonSchema | boolean): JsonSchema {
  if (isJsonObject(schema) && schema.type === "string") return schema;
  const description = isJsonObject(schema) ? text(schema.description) : undefined;
  return { type: "string", ...(description !== undefined && { description }) };
}

/** A form without an object is none. */
function anObject(schema: JsonSchema | boolean): JsonSchema | boolean {
  return isJsonObject(schema) && Object.keys(schema).length > 0 ? schema : { type: "object" };
}

function descriptionOf(document: JsonObject, { definition, pointer }: BodyMediaType): string | undefined {
  const { value } = resolve(document, definition.schema, below(pointer, "schema"));
  return isJsonObject(value) ? text(value.description) : undefined;
}
