import { isJsonObject, type JsonObject, jsonExceeds } from "../../json.ts";
import type { Generation } from "../generations.ts";
import { KINDS, type ListKind } from "./kinds.ts";
import type { MalformedReason } from "./malformed.ts";
import { isText, MEANINGFUL, OPTIONAL, wrongMembers } from "./member-checks.ts";
import { readableOutputSchema } from "./output-schema.ts";
import { withPropertyObjects } from "./property-schemas.ts";

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
  if (identifier !== "name" && !isTextUpTo(LONGEST_URI, entry[identifier])) return "no usable URI";
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

function isTextUpTo(limit: number, value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= limit;
}
