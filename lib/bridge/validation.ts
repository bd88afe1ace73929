import { dereference, type OutputUnit, type Schema, validate } from "@cfworker/json-schema";
import { weighedMap } from "../weighed-map.ts";
import { boundedSchema } from "./bounded-schema.ts";
import type { JsonSchema } from "./catalog.ts";
import { countUses, type Uses } from "./counted-uses.ts";
import { metered, nodeCount, StepLimitError } from "./metered.ts";
import { repeatedItems } from "./unique-items.ts";

/**
 * Problems of a value under a schema, as sentences that name the property and not the value; empty when it is valid. Never
 * throws, and does bounded work whatever the value is: one that takes too much is a problem, too.
 */
export type SchemaCheck = (schema: JsonSchema, value: unknown) => readonly string[];

/** Reads of members during one check, and uses of schemas. A schema reads each member a few times, for itself and for each branch. */
const STEPS = 100_000;
const STEPS_PER_NODE = 20;
const MAX_SENTENCES = 5;
const MAX_NAME_LENGTH = 100;
const MAX_SENTENCE_LENGTH = 600;

/**
 * Schemas that validators are kept for, those inside of others included: each takes half a kilobyte, and a thousand tools may
 * lead to the same thousands.
 */
const KEPT_SCHEMAS = 50_000;

/** Validators are built when a schema is used, and those used last are kept. Nothing is generated at run time (D17). */
export function createSchemaCheck(): SchemaCheck {
  const checks = weighedMap<JsonSchema, Check>(KEPT_SCHEMAS, ({ weight }) => weight);
  return (schema, value) => {
    const known = checks.get(schema);
    if (known !== undefined) return check(known, schema, value);
    const prepared = prepare(schema);
    checks.put(schema, prepared);
    return check(prepared, schema, value);
  };
}

interface Check {
  readonly bounded: Schema;
  /** The schemas in it by their URIs. */
  readonly lookup: Readonly<Record<string, Schema | boolean>>;
  readonly uses: Uses;
  /** How many schemas there are. */
  readonly weight: number;
  readonly asksForUniqueItems: boolean;
}

function prepare(schema: JsonSchema): Check {
  const bounded = boundedSchema(schema);
  const lookup = dereference(bounded);
  const uses = { left: 0 };
  const schemas = Object.values(lookup);
  countUses(schemas, uses);
  return {
    bounded,
    lookup,
    uses,
    weight: schemas.length,
    asksForUniqueItems: JSON.stringify(schema).includes('"uniqueItems":true'),
  };
}

function check(prepared: Check, schema: JsonSchema, value: unknown): readonly string[] {
  const { bounded, lookup, uses, asksForUniqueItems } = prepared;
  const steps = STEPS + STEPS_PER_NODE * nodeCount(value);
  uses.left = steps;
  try {
    const { valid, errors } = validate(metered(value, steps), bounded, "2020-12", lookup, true);
    if (!valid) return sentences(errors);
    const repeated = asksForUniqueItems ? repeatedItems(schema, value) : undefined;
    return repeated === undefined ? [] : [`${place(repeated)}has equal items`];
  } catch (cause) {
    // A RangeError is the stack's: the validator recurses over the value, and passes errors on as arguments.
    if (cause instanceof StepLimitError || cause instanceof RangeError) {
      return ["is too large or too deeply nested to be checked against its schema"];
    }
    // It writes names of members as URIs, which half a surrogate pair has no place in.
    if (cause instanceof URIError) return ["has a name that is not valid Unicode text"];
    throw cause;
  }
}

/** Keywords that only say that something below them failed. */
const ENVELOPES = new Set([
  "properties",
  "patternProperties",
  "propertyNames",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "unevaluatedItems",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas",
]);

/** The first few: the validator stops at the first wrong member of an object or array, but not of a map. */
function sentences(errors: readonly OutputUnit[]): readonly string[] {
  const told = new Set<string>();
  for (const error of errors) {
    if (!ENVELOPES.has(error.keyword)) told.add(sentence(error));
    if (told.size === MAX_SENTENCES) break;
  }
  return told.size > 0 ? [...told] : errors.slice(0, 1).map(sentence);
}

function sentence({ instanceLocation, keyword, error }: OutputUnit): string {
  const where = place(instanceLocation.split("/").slice(1).map(nameOf));
  if (keyword === "false") return `${where}is not accepted`;
  return cut(`${where}${error.replace(/^Instance /, "").replace(/^"(.*?)" /, "")}`, MAX_SENTENCE_LENGTH);
}

/** The validator's locations are JSON Pointers in a URI fragment (RFC 6901 §6). */
function nameOf(token: string): string {
  return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
}

function place(path: readonly string[]): string {
  return path.length === 0 ? "" : `${cut(path.join("."), MAX_NAME_LENGTH)}: `;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}
