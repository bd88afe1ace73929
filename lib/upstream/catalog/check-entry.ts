import { isJsonObject, type JsonObject, jsonExceeds } from "../../kernel/json.ts";
import { isPlainName } from "../../kernel/plain-name.ts";
import type { Generation } from "../generations.ts";
import { hasDotSegments } from "../names/dot-segments.ts";
import { KINDS, type ListKind } from "./kinds.ts";
import type { MalformedReason } from "./malformed.ts";
import { readableOutputSchema, withPropertyObjects } from "./output-schema.ts";

/** Characters. Clients show names and send them back in headers; URIs may hold more. */
const LONGEST_NAME = 1_000;
const LONGEST_URI = 8_000;
/** Levels: an argument of an argument takes two. */
const DEEPEST = 200;

/** An entry as clients read it: they refuse a whole list for one member that is not as they know it. */
export type CheckedEntry =
  | { readonly wrong: MalformedReason; readonly definition?: never; readonly without?: never }
  | {
      readonly wrong?: never;
      readonly definition: JsonObject;
      /** Names of members that are left out of it. */
      readonly without: readonly string[];
    };

export function checkEntry(kind: ListKind, entry: unknown, agent: Generation): CheckedEntry {
  if (!isJsonObject(entry)) return { wrong: "not an object" };
  const wrong = wrongWith(kind, entry);
  if (wrong !== undefined) return { wrong };
  const without = wrongMembers(entry, OPTIONAL[kind]);
  const rest = without.length === 0 ? entry : withoutMembers(entry, without);
  return kind === "tools" ? withReadableSchemas(rest, without, agent) : { definition: rest, without };
}

/** Undefined: nothing that its members could not be left out for. */
function wrongWith(kind: ListKind, entry: JsonObject): MalformedReason | undefined {
  if (jsonExceeds(entry, { depth: DEEPEST })) return "nested too deeply";
  if (!isTextUpTo(LONGEST_NAME, entry.name)) return "no usable name";
  const { identifier } = KINDS[kind];
  // What a resource is called besides its URI is for people to read.
  if (identifier === "name" && !isPlainName(entry.name)) return "characters in its name that nobody sees";
  if (identifier !== "name") {
    const uri = entry[identifier];
    if (!isTextUpTo(LONGEST_URI, uri)) return "no usable URI";
    if (!isPlainName(uri)) return "characters in its URI that nobody sees";
    if (hasDotSegments(uri)) return "dot segments in its URI";
  }
  if (kind === "tools" && !isSchemaOfObject(entry.inputSchema)) return "inputSchema is no schema of an object";
  return wrongMembers(entry, MEANINGFUL[kind]).length === 0 ? undefined : "a member of the wrong type";
}

function withReadableSchemas(tool: JsonObject, without: readonly string[], agent: Generation): CheckedEntry {
  const inputSchema = withPropertyObjects(tool.inputSchema as JsonObject);
  const same = inputSchema === tool.inputSchema ? tool : { ...tool, inputSchema };
  if (!Object.hasOwn(tool, "outputSchema")) return { definition: same, without };
  const outputSchema = readableOutputSchema(tool.outputSchema, agent);
  if (outputSchema === tool.outputSchema) return { definition: same, without };
  return outputSchema === undefined
    ? { definition: withoutMembers(same, ["outputSchema"]), without: [...without, "outputSchema"] }
    : { definition: { ...same, outputSchema }, without };
}

function withoutMembers(entry: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}

/** MCP, Tools, Data Types: the root is of type `object`. */
function isSchemaOfObject(schema: unknown): boolean {
  if (!isJsonObject(schema) || schema.type !== "object") return false;
  const { $schema = "", properties = {}, required = [] } = schema;
  return (
    isText($schema) &&
    isJsonObject(properties) &&
    Object.values(properties).every(mayBeSchema) &&
    Array.isArray(required) &&
    required.every(isText)
  );
}

/** An empty list is how some languages write an empty object. */
function mayBeSchema(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "object" && value !== null);
}

function isTextUpTo(limit: number, value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= limit;
}

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
/** JSON writes the others as null. */
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isObjectOf =
  (members: Checks, required: readonly string[] = []): Check =>
  (value) =>
    isJsonObject(value) &&
    required.every((name) => Object.hasOwn(value, name)) &&
    wrongMembers(value, members).length === 0;

const DATE_TIME = /^\d{4}-(0\d|1[0-2])-[0-3]\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** MCP has ISO 8601, of which clients take RFC 3339 with days that exist. */
const isDateTime: Check = (value) =>
  typeof value === "string" && DATE_TIME.test(value) && isDay(value.slice(0, "2026-01-01".length));

/** Days that do not exist are those of the next month to `Date`. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const ICON = isObjectOf({ src: isText, mimeType: isText, sizes: isListOf(isText), theme: isOneOf("light", "dark") }, [
  "src",
]);
const DISPLAYED: Checks = { title: isText, icons: isListOf(ICON), _meta: isJsonObject };
const RESOURCE: Checks = {
  ...DISPLAYED,
  mimeType: isText,
  annotations: isObjectOf({
    audience: isListOf(isOneOf("user", "assistant")),
    priority: (value) => isNumber(value) && value >= 0 && value <= 1,
    lastModified: isDateTime,
  }),
};

/** Members that clients do without. Of a tool without annotations they expect the worst (MCP, ToolAnnotations). */
const OPTIONAL: Readonly<Record<ListKind, Checks>> = {
  tools: {
    ...DISPLAYED,
    execution: isObjectOf({ taskSupport: isOneOf("required", "optional", "forbidden") }),
    annotations: isObjectOf({
      title: isText,
      readOnlyHint: isFlag,
      destructiveHint: isFlag,
      idempotentHint: isFlag,
      openWorldHint: isFlag,
    }),
  },
  prompts: DISPLAYED,
  resources: { ...RESOURCE, size: isNumber },
  resourceTemplates: RESOURCE,
};

const ARGUMENT = isObjectOf({ name: isText, title: isText, description: isText, required: isFlag }, ["name"]);

/** Members that may be missing, and without which an entry that has them would be another one. */
const MEANINGFUL: Readonly<Record<ListKind, Checks>> = {
  tools: { description: isText },
  prompts: { description: isText, arguments: isListOf(ARGUMENT) },
  resources: { description: isText },
  resourceTemplates: { description: isText },
};

/** Names of the members that are there and not as they have to be. */
function wrongMembers(value: JsonObject, checks: Checks): readonly string[] {
  return Object.entries(checks)
    .filter(([name, check]) => Object.hasOwn(value, name) && !check(value[name]))
    .map(([name]) => name);
}
