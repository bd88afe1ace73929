import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { JsonSchema } from "../catalog.ts";
import { StepLimitError } from "../step-limits.ts";

/** Values held against schemas in one check: more than the largest answer has, and soon done. */
const STEPS = 5_000_000;
const NAME_LENGTH = 100;

/**
 * Where an answer is of another type than its output schema says; undefined when it fits. Knows the keywords that an output
 * schema is made of (`documents/schema-adjustments.ts`) and no others, which makes it many times as fast as a validator: this is
 * done for each value of each answer.
 */
export function misfit(schema: JsonSchema, value: unknown): string | undefined {
  const run: Run = { definitions: isJsonObject(schema.$defs) ? schema.$defs : {}, steps: 0 };
  try {
    return problemOf(schema, value, "", run);
  } catch (cause) {
    // A RangeError is the stack's: definitions may refer to nothing but each other.
    if (!(cause instanceof StepLimitError || cause instanceof RangeError)) throw cause;
    return "is too large or too deeply nested to be checked against its schema";
  }
}

interface Run {
  readonly definitions: JsonObject;
  steps: number;
}

function problemOf(schema: unknown, value: unknown, place: string, run: Run): string | undefined {
  if (++run.steps > STEPS) throw new StepLimitError();
  if (schema === false) return `${at(place)}is not accepted`;
  if (!isJsonObject(schema)) return undefined;
  const { type, $ref, allOf, anyOf } = schema;
  if (type !== undefined && !isOf(type, value))
    return `${at(place)}is ${typeNameOf(value)}, not ${[type].flat().join(" or ")}`;
  if (typeof $ref === "string") {
    const problem = problemOf(run.definitions[$ref.slice("#/$defs/".length)], value, place, run);
    if (problem !== undefined) return problem;
  }
  if (Array.isArray(allOf)) {
    const problem = firstOf(allOf, (part) => problemOf(part, value, place, run));
    if (problem !== undefined) return problem;
  }
  if (Array.isArray(anyOf) && anyOf.every((part) => problemOf(part, value, place, run) !== undefined)) {
    return `${at(place)}fits none of the alternatives`;
  }
  return Array.isArray(value) ? problemOfItems(schema, value, place, run) : problemOfMembers(schema, value, place, run);
}

function problemOfItems(
  { prefixItems, items }: JsonObject,
  value: readonly unknown[],
  place: string,
  run: Run,
): string | undefined {
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  if (first.length === 0 && items === undefined) return undefined;
  return firstOf(value, (item, index) =>
    problemOf(index < first.length ? first[index] : items, item, `${place}.${index}`, run),
  );
}

function problemOfMembers(schema: JsonObject, value: unknown, place: string, run: Run): string | undefined {
  const { properties, additionalProperties } = schema;
  if (!isJsonObject(value) || (properties === undefined && additionalProperties === undefined)) return undefined;
  const declared = isJsonObject(properties) ? properties : {};
  return firstOf(Object.keys(value), (name) =>
    problemOf(
      Object.hasOwn(declared, name) ? declared[name] : additionalProperties,
      value[name],
      `${place}.${name}`,
      run,
    ),
  );
}

function firstOf<T>(
  values: readonly T[],
  problem: (value: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const found = problem(value, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOf(type: unknown, value: unknown): boolean {
  const kind = typeNameOf(value);
  const fits = (one: unknown) => one === kind || (one === "integer" && Number.isInteger(value));
  return Array.isArray(type) ? type.some(fits) : fits(type);
}

function typeNameOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function at(place: string): string {
  if (place === "") return "";
  const path = place.slice(1);
  return `${path.length <= NAME_LENGTH ? path : `${path.slice(0, NAME_LENGTH).toWellFormed()}…`}: `;
}
