import { dereference, encodePointer, type OutputUnit, type Schema, validate } from "@cfworker/json-schema";
import { isJsonObject } from "../kernel/json.ts";
import { lruCache } from "../kernel/lru-cache.ts";
import { boundedSchema } from "./bounded-schema.ts";
import type { JsonSchema } from "./catalog.ts";
import { createSentences, place } from "./problem-sentences.ts";
import { countUses, metered, nodeCount, StepLimitError, type Uses } from "./step-limits.ts";
import { repeatedItems } from "./unique-items.ts";

/**
 * Problems of a value under a schema, as sentences that name the property and not the value; empty when it is valid. Never
 * throws, and does bounded work whatever the value is: one that takes too much is a problem, too.
 */
export type SchemaCheck = (schema: JsonSchema, value: unknown) => readonly string[];

/** Reads of members during one check, and uses of schemas. A schema reads each member a few times, for itself and for each branch. */
const STEPS = 100_000;
const STEPS_PER_NODE = 20;

/**
 * Schemas that validators are kept for, those inside of others included: each takes half a kilobyte, and a thousand tools may
 * lead to the same thousands.
 */
const KEPT_SCHEMAS = 50_000;

/** Validators are built when a schema is used, and those used last are kept. Nothing is generated at run time (D17). */
export function createSchemaCheck(): SchemaCheck {
  const checks = lruCache<JsonSchema, Check>(KEPT_SCHEMAS, ({ weight }) => weight);
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
  try {
    const surplus = surplusMembers(value, prepared);
    if (surplus.length > 0) return surplus;
    const steps = STEPS + STEPS_PER_NODE * nodeCount(value);
    uses.left = steps;
    const read = metered(value, steps);
    const { valid, errors } = validate(read, bounded, "2020-12", lookup, true);
    if (!valid) return problemsOf(errors, read, prepared);
    const repeated = asksForUniqueItems ? repeatedItems(schema, value) : undefined;
    return repeated === undefined ? [] : [`${place(repeated)}has equal items`];
  } catch (cause) {
    if (isTooMuch(cause)) {
      return ["is too large or too deeply nested to be checked against its schema"];
    }
    // It writes names of members as URIs, which half a surrogate pair has no place in.
    if (cause instanceof URIError) return ["has a name that is not valid Unicode text"];
    throw cause;
  }
}

/**
 * The members that a closed object does not accept, when it has more than are declared; else none. Counting costs next to
 * nothing, however many somebody sends, and what they hold is not looked at.
 */
function surplusMembers(value: unknown, { bounded, lookup }: Check): readonly string[] {
  const { properties, additionalProperties, patternProperties } = bounded;
  if (additionalProperties !== false || patternProperties !== undefined) return [];
  if (!isJsonObject(value) || !isJsonObject(properties)) return [];
  const names = Object.keys(value);
  if (names.length <= Object.keys(properties).length) return [];
  const sentences = createSentences();
  for (const name of names) {
    if (sentences.isFull()) break;
    if (Object.hasOwn(properties, name)) continue;
    sentences.add(validate(null, false, "2020-12", lookup, true, null, `#/${encodePointer(name)}`).errors);
  }
  return sentences.tell(Object.keys(properties).filter((name) => properties[name] !== false));
}

/**
 * All of what is wrong with an object that somebody reads: the validator stops at the first wrong member of an object or
 * array (not of a map), so that the members are checked once more, each on its own. They are metered as before.
 */
function problemsOf(errors: readonly OutputUnit[], value: unknown, { bounded, lookup }: Check): readonly string[] {
  const sentences = createSentences();
  sentences.add(errors);
  const { properties, additionalProperties } = bounded;
  if (!isJsonObject(properties) || !isJsonObject(value)) return sentences.tell(undefined);
  const accepted = Object.keys(properties).filter((name) => properties[name] !== false);
  try {
    for (const name of Object.keys(value)) {
      if (sentences.isFull()) break;
      const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (schema === undefined) continue;
      const location = `#/${encodePointer(name)}`;
      sentences.add(validate(value[name], schema as Schema | boolean, "2020-12", lookup, true, null, location).errors);
    }
  } catch (cause) {
    // What is known already says enough.
    if (!isTooMuch(cause) && !(cause instanceof URIError)) throw cause;
  }
  return sentences.tell(accepted);
}

/** A RangeError is the stack's: the validator recurses over the value, and passes errors on as arguments. */
function isTooMuch(cause: unknown): boolean {
  return cause instanceof StepLimitError || cause instanceof RangeError;
}
