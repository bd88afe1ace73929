import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Definitions, JsonSchema } from "../catalog.ts";
import { namesReachable } from "../definitions.ts";
import { below, type ProblemList } from "./document-error.ts";
import { isValidDataKeyword, SUBSCHEMA, SUBSCHEMA_LIST, SUBSCHEMA_MAP } from "./keywords.ts";
import { bounded } from "./plain.ts";
import { follow, referenceOf, resolve } from "./reference.ts";

/** Which side sends the value: `readOnly` members are no part of a request, `writeOnly` ones none of a response. */
export type Direction = "request" | "response";

const DESCRIPTION_LIMIT = 600;

/** Takes schemas out of one document so that they stand alone: references become `$defs`, cycles stay cycles. */
export interface SchemaExtractor {
  /** The schema, with references into what `definitions` returns. */
  extract(schema: unknown, pointer: string): JsonSchema | boolean;
  /** JSON texts of the definitions that these extracted schemas need. */
  definitionsOf(schemas: readonly unknown[]): Definitions;
  /** How long the JSON text of an extracted schema is together with the definitions that it needs. */
  textLength(schema: unknown): number;
}

export function createSchemaExtractor(
  document: JsonObject,
  direction: Direction,
  { report, attempt }: ProblemList,
): SchemaExtractor {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const definitions = new Map<string, unknown>();
  const texts = new Map<string, string>();
  const hidden = direction === "request" ? "readOnly" : "writeOnly";

  function extract(schema: unknown, pointer: string): JsonSchema | boolean {
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) {
      report(pointer, "a schema is an object or a boolean");
      return true;
    }
    const members = Object.entries(schema).flatMap(([keyword, value]) => extractKeyword(keyword, value, pointer));
    const result = Object.fromEntries(members);
    return isJsonObject(schema.properties) ? withoutHidden(result, schema.properties, pointer) : result;
  }

  function extractKeyword(keyword: string, value: unknown, pointer: string): [string, unknown][] {
    const here = below(pointer, keyword);
    if (keyword === "$ref" && typeof value === "string") {
      return attempt(() => [["$ref", `#/$defs/${define(value, pointer)}`]], []);
    }
    if (SUBSCHEMA.has(keyword)) return [[keyword, extract(value, here)]];
    if (SUBSCHEMA_LIST.has(keyword)) return [[keyword, list(value, here)]];
    if (SUBSCHEMA_MAP.has(keyword)) return [[keyword, map(value, here)]];
    if (keyword === "description")
      return typeof value === "string" ? [[keyword, bounded(value, DESCRIPTION_LIMIT)]] : [];
    // A format is an annotation (JSON Schema 2020-12 §7.2.1), and what services answer often breaks it.
    if (keyword === "format" && direction === "response") return [];
    return isValidDataKeyword(keyword, value) ? [[keyword, value]] : [];
  }

  function list(value: unknown, pointer: string): unknown[] {
    if (!Array.isArray(value)) report(pointer, "must be an array of schemas");
    return (Array.isArray(value) ? value : []).map((schema, index) => extract(schema, below(pointer, String(index))));
  }

  function map(value: unknown, pointer: string): JsonObject {
    if (!isJsonObject(value)) report(pointer, "must be an object of schemas");
    return Object.fromEntries(
      Object.entries(isJsonObject(value) ? value : {}).map(([name, schema]) => [
        name,
        extract(schema, below(pointer, name)),
      ]),
    );
  }

  function withoutHidden(result: JsonObject, declared: JsonObject, pointer: string): JsonSchema {
    const gone = new Set(
      Object.entries(declared)
        .filter(([name, property]) => isHidden(property, below(pointer, "properties", name)))
        .map(([name]) => name),
    );
    if (gone.size === 0) return result;
    const properties = Object.entries(result.properties as JsonObject).filter(([name]) => !gone.has(name));
    const required = Array.isArray(result.required) ? result.required.filter((name) => !gone.has(name)) : [];
    const { required: _, ...rest } = result;
    return { ...rest, properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
  }

  function isHidden(property: unknown, pointer: string): boolean {
    if (isJsonObject(property) && property[hidden] === true) return true;
    const value = attempt(() => resolve(document, property, pointer).value, undefined);
    return isJsonObject(value) && value[hidden] === true;
  }

  function define(reference: string, pointer: string): string {
    const target = follow(document, reference, pointer);
    const known = names.get(target.pointer);
    if (known !== undefined) return known;
    if (referenceOf(target.value) !== undefined) resolve(document, target.value, target.pointer);
    const name = freeName(target.pointer, taken);
    taken.add(name);
    names.set(target.pointer, name);
    definitions.set(name, extract(target.value, target.pointer));
    return name;
  }

  function definitionsOf(schemas: readonly unknown[]): Definitions {
    const names = namesReachable(schemas, (name) => definitions.get(name));
    return Object.fromEntries([...names].map((name) => [name, textOf(name)]));
  }

  function textLength(schema: unknown): number {
    const needed = Object.values(definitionsOf([schema]));
    return needed.reduce((length, text) => length + text.length, JSON.stringify(schema).length);
  }

  function textOf(name: string): string {
    const text = texts.get(name) ?? JSON.stringify(definitions.get(name));
    texts.set(name, text);
    return text;
  }

  return { extract, definitionsOf, textLength };
}

function freeName(pointer: string, taken: ReadonlySet<string>): string {
  const base = (pointer.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9_.-]+/g, "_") || "schema";
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  return name;
}
