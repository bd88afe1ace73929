import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { essence, isJson } from "../../protocol/http/media-type.ts";
import type { JsonSchema, LeftOutReason, OperationBody, ParameterStyle, PropertyEncoding } from "../catalog.ts";
import { kindOf } from "../response/kind.ts";
import { below, DocumentError } from "./document-error.ts";
import { fileAlone, fileSchema, holdsFile, holdsOnlyFiles, isFileSchema, withFiles } from "./file-schema.ts";
import { type FlatObject, flatObject, requiresItself } from "./flat-object.ts";
import type { Operation } from "./operations.ts";
import { member, text } from "./plain.ts";
import { resolve } from "./reference.ts";
import { described } from "./schema-adjustments.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** A request body, before its properties are given the names of their arguments. */
export interface SupportedBody extends Pick<OperationBody, "contentType" | "kind" | "required" | "encodings"> {
  readonly schema: JsonSchema | boolean;
  /** Present when the body is an object that its properties describe completely, so that they can be arguments. */
  readonly object?: FlatObject;
  /** The API takes the request without it as well. The tool sends it, so that its required properties are required arguments. */
  readonly isLeftOutElsewhere?: true;
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
  // Documents leave `required` out for bodies that nobody leaves out: what an object requires tells what is meant.
  const asks = !required && (body.object?.required.length ?? 0) > 0;
  const isMeant = asks && !requiresItself(document, best.definition.schema, below(best.pointer, "schema"));
  const { object, ...whole } = body;
  return {
    ...whole,
    ...(object !== undefined && (isMeant || !asks) && { object }),
    schema: described(body.schema, text(value.description)),
    ...((required || isMeant) && { required: true }),
    ...(isMeant && { isLeftOutElsewhere: true }),
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
    kind === "multipart" ? partsOf(document, definition, at) : { schema: definition.schema, files: new Set<string>() };
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

/** The name of a part that the document gives none: what APIs that are described so take. */
const UNNAMED_PART = "file";

/**
 * The parts of a multipart body. Some documents describe a form with files by its file alone, or by a list of them: that is the
 * one part of it.
 */
function partsOf(document: JsonObject, definition: JsonObject, pointer: string): ReturnType<typeof withFiles> {
  const { schema, encoding } = definition;
  const typesOf = (property: string) => contentTypes(definition, property);
  if (!holdsOnlyFiles(document, schema, pointer)) return withFiles(document, schema, pointer, typesOf);
  const [name = UNNAMED_PART, ...others] = isJsonObject(encoding) ? Object.keys(encoding) : [];
  return fileAlone(document, schema, pointer, others.length === 0 ? name : UNNAMED_PART, typesOf);
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

/** A media type that a body can have, and how it is written. */
interface BodyMediaType {
  readonly kind: NonNullable<OperationBody["kind"]> | "json";
  /** As the document spells it. */
  readonly key: string;
  readonly definition: JsonObject;
  readonly pointer: string;
}

/** What a call can write best comes first. */
const ORDER = ["json", "form", "multipart", "text", "binary"];

/** The media types of a `content` object, best first; those that cannot be written are left out. */
function bodyMediaTypes(document: JsonObject, content: JsonObject, pointer: string): readonly BodyMediaType[] {
  const types = Object.entries(content).flatMap(([key, entry]) => {
    const { value, pointer: at } = resolve(document, entry, below(pointer, key));
    const definition = isJsonObject(value) ? value : {};
    const kind = bodyKind(document, essence(key), definition, at);
    return kind === undefined ? [] : [{ kind, key, definition, pointer: at }];
  });
  if (types.length < 2) return types;
  return types
    .map((type) => ({ type, rank: rank(document, type) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ type }) => type);
}

function bodyKind(
  document: JsonObject,
  name: string,
  { schema }: JsonObject,
  pointer: string,
): BodyMediaType["kind"] | undefined {
  const { value } = resolve(document, schema, below(pointer, "schema"));
  const shape = isJsonObject(value) ? value : {};
  if (isJson(name) || name === "text/json") return "json";
  if (name === "*/*" || name === "application/*") return isFileSchema(shape, []) ? "binary" : "json";
  if (name === "application/x-www-form-urlencoded") return "form";
  // OpenAPI 3.2 has parts without names, by their place in a list.
  if (name.startsWith("multipart/")) {
    return shape.type !== "array" || holdsOnlyFiles(document, shape, below(pointer, "schema"))
      ? "multipart"
      : undefined;
  }
  if (!/^[^/\s]+\/[^/\s]+$/.test(name)) return undefined;
  return ["text", "lines", "events"].includes(kindOf(name)) ? "text" : "binary";
}

/** JSON has no place for a file: where a multipart body is offered beside it, that one is meant for files. */
function rank(document: JsonObject, { kind, key, definition, pointer }: BodyMediaType): number {
  const name = essence(key);
  if (kind !== "json") return ORDER.indexOf(kind);
  if (holdsFile(document, definition.schema, below(pointer, "schema"))) return ORDER.indexOf("multipart") + 0.5;
  if (name === "application/json") return 0;
  return isJson(name) ? 0.2 : 0.4;
}

const STYLES: ReadonlySet<unknown> = new Set<ParameterStyle>(["form", "spaceDelimited", "pipeDelimited", "deepObject"]);

/** The Encoding Objects of a Media Type Object, and which properties may hold files; undefined when there is nothing to say. */
function encodingsOf(
  { encoding }: JsonObject,
  files: ReadonlySet<string>,
): Readonly<Record<string, PropertyEncoding>> | undefined {
  const names = new Set([...(isJsonObject(encoding) ? Object.keys(encoding) : []), ...files]);
  const encodings = [...names].flatMap((name) => {
    const one = propertyEncoding(member(encoding, name), files.has(name));
    return Object.keys(one).length === 0 ? [] : [[name, one] as const];
  });
  return encodings.length === 0 ? undefined : Object.fromEntries(encodings);
}

/** The media types and ranges of a property (Encoding Object, `contentType`). */
function contentTypes({ encoding }: JsonObject, property: string): readonly string[] {
  const list = member(member(encoding, property), "contentType");
  if (typeof list !== "string") return [];
  return list
    .split(",")
    .map((type) => type.trim())
    .filter((type) => /^[!#$&^_.+*A-Za-z0-9-]+\/[\x21-\x7e ]+$/.test(type));
}

function propertyEncoding(definition: unknown, isFile: boolean): PropertyEncoding {
  const { style, explode, allowReserved } = isJsonObject(definition) ? definition : {};
  const [contentType] = contentTypes({ encoding: { property: definition } }, "property").filter(isConcrete);
  return {
    ...(contentType !== undefined && { contentType }),
    ...(STYLES.has(style) && { style: style as ParameterStyle }),
    ...(typeof explode === "boolean" && { explode }),
    ...(allowReserved === true && { allowReserved }),
    ...(isFile && { file: true }),
  };
}

function isConcrete(type: string): boolean {
  return !type.includes("*");
}
