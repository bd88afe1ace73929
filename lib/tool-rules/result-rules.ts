import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { JsonSchema } from "../openapi/catalog.ts";
import { createMasks, type KnownNames, type Masks } from "./mask.ts";
import { maskedSchema, namesIn } from "./masked-schema.ts";
import { EACH, pointerSegments, type Removal, type ResultRule, removalOf, WithheldError } from "./result-rule.ts";
import { brokenReference, targetIn } from "./schema-parts.ts";
import { schemaWithout } from "./schema-without.ts";

/** Rules for the results of a tool, ready for its calls. */
export interface ResultRules {
  /** The output schema as agents see it; absent: there is none. */
  readonly schema?: JsonSchema;
  /** Names of members that agents know of the tool's own schema. */
  readonly names: KnownNames;
  readonly pointers: readonly (readonly string[])[];
  /** Absent: nothing is taken away. */
  readonly removal?: Removal;
  readonly masks?: Masks;
  /** For people. */
  readonly said: string;
}

/** What does not fit the output schema of a tool. */
export interface ResultProblem {
  /** Absent: it is about the tool. */
  readonly pointer?: string;
  readonly message: string;
}

export interface WithheldResults {
  readonly withheld: readonly ResultProblem[];
}

/**
 * Makes rules ready for a tool. Patterns and pointers are valid.
 *
 * @param schema of its structured content; undefined: it has none, or nobody knows it
 */
export function prepareResults(
  { remove = [], mask = [] }: ResultRule,
  schema: JsonSchema | undefined,
): ResultRules | WithheldResults {
  const problems = schema === undefined ? [] : pointerProblems(remove, schema);
  if (problems.length > 0) return { withheld: problems };
  const pointers = remove.map((pointer) => pointerSegments(pointer) ?? []);
  const removal = remove.length === 0 ? undefined : removalOf(pointers);
  const masks = mask.length === 0 ? undefined : createMasks(mask);
  const shown = shownSchema(schema, removal, masks);
  if (shown !== undefined && "message" in shown) return { withheld: [{ message: shown.message }] };
  return {
    ...(shown !== undefined && { schema: shown.schema }),
    names: namesIn(shown?.schema),
    pointers,
    ...(removal !== undefined && { removal }),
    ...(masks !== undefined && { masks }),
    said: [
      ...(remove.length === 0 ? [] : [`without ${remove.join(", ")}`]),
      ...(mask.length === 0 ? [] : [`with ${mask.map(({ match }) => match).join(", ")} masked`]),
    ].join(", "),
  };
}

/** The output schema as agents see it, or why rules cannot follow it. */
function shownSchema(
  schema: JsonSchema | undefined,
  removal: Removal | undefined,
  masks: Masks | undefined,
): { readonly schema: JsonSchema } | { readonly message: string } | undefined {
  if (schema === undefined) return undefined;
  try {
    const rest = removal === undefined ? schema : schemaWithout(schema, removal);
    const shown = masks === undefined ? rest : maskedSchema(rest, masks);
    const broken = brokenReference(shown);
    if (broken === undefined) return { schema: shown };
    return { message: `its output schema refers to ${JSON.stringify(broken)}, which rules cannot follow` };
  } catch (error) {
    if (!(error instanceof WithheldError)) throw error;
    return { message: "its output schema has values that take too long to mask" };
  }
}

/** Pointers that lead to nothing that the schema tells of: what is misspelt would stay in the answer. */
function pointerProblems(remove: readonly string[], schema: JsonSchema): readonly ResultProblem[] {
  return remove.flatMap((pointer) => {
    const segments = pointerSegments(pointer);
    if (segments === undefined || mayHave(schema, segments, schema, new Map())) return [];
    const known = segments.length === 1 ? Object.keys(objectOf(schema.properties)).slice(0, 20) : [];
    const accepted = known.length === 0 ? 'a place in it ("*" stands for each item of a list)' : known.join(", ");
    return [{ pointer, message: `leads to nothing in the output schema of the tool; accepted: ${accepted}` }];
  });
}

/** Schemas that were looked at, with how much of the pointer was left: each once, however often they are referred to. */
type Looked = Map<unknown, Set<number>>;

/** Whether the schema tells of something at a place, or tells nothing of what is around it. */
function mayHave(part: unknown, segments: readonly string[], root: JsonObject, looked: Looked): boolean {
  const [first, ...rest] = segments;
  if (first === undefined) return part !== false;
  if (part === undefined || part === true) return true;
  const lengths = looked.get(part) ?? new Set();
  if (!isJsonObject(part) || lengths.has(segments.length)) return false;
  looked.set(part, lengths.add(segments.length));
  const inPlace = IN_PLACE.flatMap((keyword) => [part[keyword] ?? []].flat());
  const referred = part.$ref === undefined ? [] : [targetIn(root, part.$ref)];
  const conditional = Object.values(objectOf(part.dependentSchemas));
  const beside = [...inPlace, ...referred, ...conditional];
  if (beside.some((one) => one !== true && isTelling(one) && mayHave(one, segments, root, looked))) return true;
  if (beside.length === 0 && !isTelling(part)) return takesParts(part);
  return partsAt(part, first).some((one) => mayHave(one, rest, root, looked));
}

const IN_PLACE = ["allOf", "anyOf", "oneOf", "then", "else"];
const TELLING = [
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "additionalProperties",
  "$ref",
  ...IN_PLACE,
];

function isTelling(part: unknown): boolean {
  return isJsonObject(part) && TELLING.some((keyword) => part[keyword] !== undefined);
}

function takesParts({ type }: JsonObject): boolean {
  return type === undefined || [type].flat().some((one) => one === "object" || one === "array");
}

function partsAt(part: JsonObject, segment: string): readonly unknown[] {
  const { properties, patternProperties, additionalProperties, items, prefixItems } = part;
  const own = objectOf(properties);
  const patterns = Object.entries(objectOf(patternProperties));
  const isOpen = Object.keys(own).length === 0 || !isAnything(additionalProperties);
  const others = additionalProperties === undefined || !isOpen ? [] : [additionalProperties];
  if (segment === EACH) {
    const inLists = [
      ...(Array.isArray(prefixItems) ? prefixItems : []),
      ...(items === undefined ? [] : [items].flat()),
    ];
    return [...inLists, ...Object.values(own), ...patterns.map(([, one]) => one), ...others];
  }
  if (Object.hasOwn(own, segment)) return [own[segment]];
  return [...patterns.map(([, one]) => one), ...others];
}

function isAnything(schema: unknown): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0);
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
