import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { JsonSchema } from "./catalog.ts";

/** Problems of a value under a schema, as sentences without the value; empty when it is valid. */
export type SchemaCheck = (schema: JsonSchema, value: unknown) => readonly string[];

/** Validators are built once a schema and live as long as it does. Nothing is generated at run time (D17). */
export function createSchemaCheck(): SchemaCheck {
  const validators = new WeakMap<JsonSchema, Validator>();
  return (schema, value) => {
    let validator = validators.get(schema);
    if (validator === undefined) {
      validator = new Validator(structuredClone(schema) as Schema, "2020-12", false);
      validators.set(schema, validator);
    }
    const { valid, errors } = validator.validate(value);
    return valid ? [] : sentences(errors);
  };
}

/** Keywords that only say that something below them failed. */
const ENVELOPES = new Set([
  "properties",
  "$ref",
  "items",
  "prefixItems",
  "allOf",
  "anyOf",
  "oneOf",
  "additionalProperties",
]);

function sentences(errors: readonly OutputUnit[]): readonly string[] {
  const causes = errors.filter(({ keyword }) => !ENVELOPES.has(keyword));
  const told = (causes.length > 0 ? causes : errors).map(sentence);
  return [...new Set(told)].slice(0, 5);
}

function sentence({ instanceLocation, keyword, error }: OutputUnit): string {
  const name = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
  const where = name === "" ? "" : `${name}: `;
  if (keyword === "false") return `${where}is not accepted`;
  return `${where}${error.replace(/^Instance /, "").replace(/^"(.*?)" /, "")}`;
}
