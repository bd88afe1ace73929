import { isJsonObject, type JsonObject } from "../../json.ts";
import type { JsonSchema } from "../catalog.ts";
import { below } from "./document-error.ts";
import { admitsJson, mediaTypes } from "./media-types.ts";
import type { Operation } from "./operations.ts";
import { resolve } from "./reference.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** Beyond this many characters an output schema costs an agent more than it tells. */
const OUTPUT_SCHEMA_LIMIT = 24_000;

export interface SuccessResponses {
  /** Value of the `Accept` header. */
  readonly accept: string;
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
  const successes = isJsonObject(responses)
    ? Object.entries(responses).filter(([status]) => /^2(\d\d|XX)$/i.test(status))
    : [];
  const contents = successes.map(([status, response]) => content(document, response, below(pointer, status)));
  return {
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
  const [only, ...others] = contents;
  if (only === undefined || others.length > 0) return undefined;
  const types = mediaTypes(only.value);
  const [json] = types;
  if (json === undefined || types.length > 1 || !admitsJson(json.name)) return undefined;
  const target = resolve(document, json.definition.schema, below(only.pointer, json.key, "schema"));
  if (!isJsonObject(target.value) || target.value.type !== "object") return undefined;
  const schema = schemas.extract(target.value, target.pointer) as JsonSchema;
  return schemas.textLength(schema) <= OUTPUT_SCHEMA_LIMIT ? schema : undefined;
}
