import { isJsonObject, type JsonObject, jsonExceeds } from "../../json.ts";
import { KINDS, type ListKind } from "./kinds.ts";
import type { MalformedReason } from "./malformed.ts";

/** Characters. Clients show names and send them back in headers; URIs may hold more. */
const LONGEST_NAME = 1_000;
const LONGEST_URI = 8_000;
/** Levels: an argument of an argument takes two. */
const DEEPEST = 200;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isObjects = (value: unknown): value is readonly JsonObject[] => Array.isArray(value) && value.every(isJsonObject);

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** What may be missing and must be of a type where it is there: clients refuse a whole list for one member of another type. */
const MEMBERS: Readonly<Record<string, Check>> = {
  title: isText,
  description: isText,
  icons: isObjects,
  _meta: isJsonObject,
};

const MEMBERS_OF: Readonly<Record<ListKind, Readonly<Record<string, Check>>>> = {
  tools: {
    ...MEMBERS,
    outputSchema: isJsonObject,
    execution: isJsonObject,
    annotations: (value) => isJsonObject(value) && isOf(value, { title: isText }) && HINTS.every(maybe(value, isFlag)),
  },
  prompts: {
    ...MEMBERS,
    arguments: (value) =>
      isObjects(value) &&
      value.every((one) => isText(one.name) && isOf(one, { title: isText, description: isText, required: isFlag })),
  },
  resources: { ...MEMBERS, mimeType: isText, annotations: isJsonObject },
  resourceTemplates: { ...MEMBERS, mimeType: isText, annotations: isJsonObject },
};

/** What is wrong with an entry of a list; undefined: nothing that would keep it or others from being used. */
export function wrongWith(kind: ListKind, entry: unknown): MalformedReason | undefined {
  if (!isJsonObject(entry)) return "not an object";
  if (jsonExceeds(entry, { depth: DEEPEST })) return "nested too deeply";
  if (!isTextUpTo(LONGEST_NAME, entry.name)) return "no usable name";
  const { identifier } = KINDS[kind];
  if (identifier !== "name" && !isTextUpTo(LONGEST_URI, entry[identifier])) return "no usable URI";
  if (kind === "tools" && !isSchemaOfObject(entry.inputSchema)) return "inputSchema is no schema of an object";
  return isOf(entry, MEMBERS_OF[kind]) ? undefined : "a member of the wrong type";
}

/** MCP, Tools, Data Types: the root is of type `object`. */
function isSchemaOfObject(schema: unknown): boolean {
  return (
    isJsonObject(schema) && schema.type === "object" && isOf(schema, { properties: isJsonObject, required: isTexts })
  );
}

function isTextUpTo(limit: number, value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= limit;
}

function isOf(value: JsonObject, members: Readonly<Record<string, Check>>): boolean {
  return Object.entries(members).every(([name, check]) => maybe(value, check)(name));
}

function maybe(value: JsonObject, check: Check): (name: string) => boolean {
  return (name) => !Object.hasOwn(value, name) || check(value[name]);
}
