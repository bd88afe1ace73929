import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { essence, isJson } from "../../protocol/http/media-type.ts";
import type { JsonSchema } from "../catalog.ts";
import { below } from "./document-error.ts";
import type { Operation } from "./operations.ts";
import { resolve, type Target } from "./reference.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** Beyond this many characters an output schema costs an agent more than it tells. */
const OUTPUT_SCHEMA_LIMIT = 24_000;

export interface SuccessResponses {
  /** Value of the `Accept` header. */
  readonly accept: string;
  /** No success is declared but a redirect: whoever calls is to go there. */
  readonly redirects: boolean;
  /** Only when every success answers with a JSON object of one schema; without its `$defs`. */
  readonly outputSchema: JsonSchema | undefined;
}

export function successResponses(
  document: JsonObject,
  operation: Operation,
  schemas: SchemaExtractor,
): SuccessResponses {
  const pointer = below(operation.pointer, "responses");
  const { responses } = operation.definition;
  const declared = isJsonObject(responses) ? Object.entries(responses) : [];
  const successes = declared.filter(([status]) => /^2(\d\d|XX)$/i.test(status));
  const contents = successes.map(([status, response]) => content(document, response, below(pointer, status)));
  return {
    redirects: successes.length === 0 && declared.some(([status]) => /^3(0[12378]|XX)$/i.test(status)),
    accept: acceptOf(contents.map(({ value }) => value)),
    outputSchema: outputSchemaOf(document, contents, schemas),
  };
}

interface Content {
  readonly value: JsonObject;
  readonly pointer: string;
}

function content(document: JsonObject, response: unknown, pointer: string): Content {
  const target = resolve(document, response, pointer);
  const value = isJsonObject(target.value) && isJsonObject(target.value.content) ? target.value.content : {};
  return { value, pointer: below(target.pointer, "content") };
}

function acceptOf(contents: readonly JsonObject[]): string {
  const names = contents.flatMap((value) => mediaTypes(value).map(({ name }) => name));
  const wanted = [...new Set(names)].filter((name) => /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+$/.test(name));
  wanted.sort((a, b) => Number(admitsJson(b)) - Number(admitsJson(a)));
  return wanted.length > 0 ? wanted.join(", ") : "application/json, */*;q=0.5";
}

function outputSchemaOf(
  document: JsonObject,
  contents: readonly Content[],
  schemas: SchemaExtractor,
): JsonSchema | undefined {
  const targets = contents.map((content) => jsonObjectSchema(document, content));
  const [target, ...others] = targets;
  if (target === undefined || others.some((other) => other?.pointer !== target.pointer)) return undefined;
  const extracted = schemas.extract(target.value, target.pointer) as JsonSchema;
  // MCP, Tools, Output Schema: its root is that of an object.
  const schema = { ...extracted, type: "object" };
  return schemas.isLongerThan(OUTPUT_SCHEMA_LIMIT, schema) ? undefined : schema;
}

/** The schema of a content that is JSON alone, where it is that of an object. */
function jsonObjectSchema(document: JsonObject, { value, pointer }: Content): Target | undefined {
  const types = mediaTypes(value);
  const [json] = types;
  if (json === undefined || types.length > 1 || !admitsJson(json.name)) return undefined;
  const target = resolve(document, json.definition.schema, below(pointer, json.key, "schema"));
  return isObjectSchema(document, target) ? { value: target.value as JsonObject, pointer: target.pointer } : undefined;
}

/** Objects are often put together of others, without a type of their own. Each is looked at once: references can go round in circles. */
function isObjectSchema(
  document: JsonObject,
  { value, pointer }: { readonly value: unknown; readonly pointer: string },
  seen = new Set<unknown>(),
): boolean {
  if (!isJsonObject(value) || seen.has(value)) return false;
  seen.add(value);
  if (value.type !== undefined) return value.type === "object";
  if (!Array.isArray(value.allOf)) return false;
  return value.allOf.some((part, index) =>
    isObjectSchema(document, resolve(document, part, below(pointer, "allOf", String(index))), seen),
  );
}

interface MediaType {
  /** As the document spells it. */
  readonly key: string;
  /** Lower case, without parameters. */
  readonly name: string;
  readonly definition: JsonObject;
}

/** The entries of a `content` object, JSON first. */
function mediaTypes(content: JsonObject): readonly MediaType[] {
  return Object.entries(content)
    .map(([key, definition]) => ({ key, name: essence(key), definition: isJsonObject(definition) ? definition : {} }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** A JSON type, or a wildcard that admits one. */
function admitsJson(name: string): boolean {
  return rank(name) < 3;
}

function rank(name: string): number {
  if (name === "application/json") return 0;
  if (isJson(name)) return 1;
  return name === "*/*" || name === "application/*" ? 2 : 3;
}
