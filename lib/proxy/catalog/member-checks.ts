import { isJsonObject, type JsonObject } from "../../json.ts";
import type { ListKind } from "./kinds.ts";

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

export const isText: Check = (value) => typeof value === "string";
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
export const OPTIONAL: Readonly<Record<ListKind, Checks>> = {
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
export const MEANINGFUL: Readonly<Record<ListKind, Checks>> = {
  tools: { description: isText },
  prompts: { description: isText, arguments: isListOf(ARGUMENT) },
  resources: { description: isText },
  resourceTemplates: { description: isText },
};

/** Names of the members that are there and not as they have to be. */
export function wrongMembers(value: JsonObject, checks: Checks): readonly string[] {
  return Object.entries(checks)
    .filter(([name, check]) => Object.hasOwn(value, name) && !check(value[name]))
    .map(([name]) => name);
}
