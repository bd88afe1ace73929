import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { JsonSchema } from "../catalog.ts";
import { kindOf } from "../response/kind.ts";
import { below } from "./document-error.ts";
import { bounded, member, text } from "./plain.ts";
import { resolve } from "./reference.ts";

/** Keywords whose schemas are alternatives or additions of the one that has them. */
const BRANCHES = ["allOf", "anyOf", "oneOf"];

/** Bytes: `format: binary` (OpenAPI 3.0), or a media type without an encoding that makes text of it (OpenAPI 3.1). */
export function isFileSchema(
  { type, format, contentMediaType, contentEncoding, ...rest }: JsonObject,
  types: readonly string[],
) {
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  if (contentEncoding !== undefined || (type !== undefined && !isText)) return false;
  if (format === "binary") return true;
  if (BRANCHES.some((key) => rest[key] !== undefined) || rest.enum !== undefined) return false;
  const declared = typeof contentMediaType === "string" ? [contentMediaType] : types;
  return declared.length > 0 && declared.every(isBinary);
}

export function isBinary(mediaType: string): boolean {
  return ["image", "audio", "other"].includes(kindOf(mediaType));
}

/**
 * What an agent gives for a file. `types` are the media types and ranges of which it is one: of a single one there is
 * nothing to say, and where there are only ranges the agent has to.
 */
export function fileSchema(description: string | undefined, types: readonly string[], isNamed = true): JsonSchema {
  const isOpen = types.length === 0 || types.some(isAnything);
  const concrete = types.filter((type) => !type.includes("*"));
  const contentType = concrete.length === 1 && concrete.length === types.length ? undefined : typeSchema(types, isOpen);
  const needed = isOpen || concrete.length > 0 ? [] : ["contentType"];
  return {
    type: "object",
    ...(description !== undefined && { description: bounded(description, 600) }),
    properties: {
      data: { type: "string", contentEncoding: "base64", description: "The file in base64." },
      text: { type: "string", description: "The file, if it is text, in place of data." },
      ...(isNamed && { filename: { type: "string" } }),
      ...(contentType && { contentType }),
    },
    oneOf: [{ required: ["data", ...needed] }, { required: ["text", ...needed] }],
    additionalProperties: false,
  };
}

function isAnything(range: string): boolean {
  return range === "*/*" || range === "application/*";
}

function typeSchema(types: readonly string[], isOpen: boolean): JsonSchema {
  if (isOpen) return { type: "string", pattern: "^[A-Za-z0-9_.+-]+/[A-Za-z0-9_.+-]+$" };
  if (types.every((type) => !type.includes("*"))) return { type: "string", enum: types };
  const starts = types.map((type) =>
    type.endsWith("/*") ? `${literal(type.slice(0, -1))}[A-Za-z0-9_.+-]+` : literal(type),
  );
  return { type: "string", pattern: `^(${starts.join("|")})$` };
}

function literal(type: string): string {
  return type.replaceAll(/[^A-Za-z0-9/_-]/g, (character) => `\\${character}`);
}

/** Levels of alternatives and lists that a file is looked for in. */
const MAX_DEPTH = 6;
/** Schemas that are looked at for one body: what refers to another several times leads to it as often. */
const MAX_SCHEMAS = 2_000;

/** The schema of a multipart body in which each file is what an agent can give, and the properties that may hold one. */
interface SchemaWithFiles {
  readonly schema: unknown;
  readonly files: ReadonlySet<string>;
}

/** Schemas of the document's own kind, still with references: only what leads to a file is written out. */
export function withFiles(
  document: JsonObject,
  schema: unknown,
  pointer: string,
  typesOf: (property: string) => readonly string[],
): SchemaWithFiles {
  const files = new Set<string>();
  let looked = 0;
  const isOver = (depth: number) => depth > MAX_DEPTH || ++looked > MAX_SCHEMAS;

  function objectWithFiles(schema: unknown, pointer: string, depth: number): unknown {
    const { value, pointer: at } = resolve(document, schema, pointer);
    if (!isJsonObject(value) || isOver(depth)) return schema;
    const { properties } = value;
    const changed = isJsonObject(properties) ? changedProperties(properties, below(at, "properties")) : {};
    const branches = changedBranches(value, (branch, key, index) => {
      return objectWithFiles(branch, below(at, key, String(index)), depth + 1);
    });
    if (Object.keys(changed).length === 0 && Object.keys(branches).length === 0) return schema;
    return {
      ...value,
      ...(isJsonObject(properties) && { properties: { ...properties, ...changed } }),
      ...branches,
    };
  }

  function changedProperties(properties: JsonObject, pointer: string): JsonObject {
    const changed = Object.entries(properties).flatMap(([name, property]) => {
      const file = propertyWithFiles(property, below(pointer, name), typesOf(name), 0);
      return file === property ? [] : [[name, file] as const];
    });
    for (const [name] of changed) files.add(name);
    return Object.fromEntries(changed);
  }

  function propertyWithFiles(schema: unknown, pointer: string, types: readonly string[], depth: number): unknown {
    const { value, pointer: at } = resolve(document, schema, pointer);
    if (!isJsonObject(value) || isOver(depth)) return schema;
    if (isFileSchema(value, types)) return fileSchema(text(value.description), types);
    const items = propertyWithFiles(value.items, below(at, "items"), types, depth + 1);
    const branches = changedBranches(value, (branch, key, index) => {
      return propertyWithFiles(branch, below(at, key, String(index)), types, depth + 1);
    });
    const isSame = items === value.items && Object.keys(branches).length === 0;
    return isSame ? schema : { ...value, ...branches, ...(items !== value.items && { items }) };
  }

  return { schema: objectWithFiles(schema, pointer, 0), files };
}

type Change = (branch: unknown, key: string, index: number) => unknown;

function changedBranches(schema: JsonObject, change: Change): JsonObject {
  return Object.fromEntries(
    BRANCHES.flatMap((key) => {
      const branches = schema[key];
      if (!Array.isArray(branches)) return [];
      const changed = branches.map((branch, index) => change(branch, key, index));
      return changed.some((branch, index) => branch !== branches[index]) ? [[key, changed]] : [];
    }),
  );
}

/** Whether a body is a file itself or a list of files, and no object with properties. */
export function holdsOnlyFiles(document: JsonObject, schema: unknown, pointer: string): boolean {
  const { value, pointer: at } = resolve(document, schema, pointer);
  if (!isJsonObject(value)) return false;
  if (value.type !== "array") return isFileSchema(value, []);
  const items = resolve(document, value.items, below(at, "items")).value;
  return isJsonObject(items) && (isFileSchema(items, []) || isUpload(items));
}

/** The class that Java's frameworks have for an uploaded file, which tools that read code describe member by member. */
function isUpload({ properties }: JsonObject): boolean {
  return ["originalFilename", "bytes"].every((name) => member(properties, name) !== undefined);
}

/** A form whose one part is the file, or each of the files, that the schema stands for. */
export function fileAlone(
  document: JsonObject,
  schema: unknown,
  pointer: string,
  name: string,
  typesOf: (property: string) => readonly string[],
): SchemaWithFiles {
  const value = resolve(document, schema, pointer).value as JsonObject;
  const description = text(value.description) ?? `Sent as the part ${name} of a form.`;
  const isList = value.type === "array";
  const file = fileSchema(isList ? undefined : description, typesOf(name));
  const { minItems, maxItems } = value;
  const files = {
    type: "array",
    description,
    items: file,
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
  };
  const form = { type: "object", properties: { [name]: isList ? files : file }, required: [name] };
  return { schema: form, files: new Set([name]) };
}

/** Whether any property of the body can only hold a file. */
export function holdsFile(document: JsonObject, schema: unknown, pointer: string): boolean {
  const { value, pointer: at } = resolve(document, schema, pointer);
  const properties = member(value, "properties");
  if (!isJsonObject(properties)) return false;
  const referred = (name: string, property: unknown) =>
    resolve(document, property, below(at, "properties", name)).value;
  return Object.entries(properties).some(([name, property]) => {
    const target = isJsonObject(property) && property.$ref === undefined ? property : referred(name, property);
    return isJsonObject(target) && isFileSchema(target, []);
  });
}
