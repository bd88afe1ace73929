import { isJsonObject } from "../../kernel/json.ts";

/** JSON Schema 2020-12 keywords whose value is a schema. */
export const SUBSCHEMA = new Set(
  "items contains additionalProperties propertyNames not if then else unevaluatedItems unevaluatedProperties".split(
    " ",
  ),
);
/** … a list of schemas, … */
export const SUBSCHEMA_LIST = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** … and schemas by name. */
export const SUBSCHEMA_MAP = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Those whose schemas hold for the same value, not for a part of it. */
export const IN_PLACE = new Set(["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"]);

/**
 * A keyword whose value is data, and whose value is what the keyword takes. Documents in use get some wrong, and clients
 * refuse a tool, or the whole list, for one such value: such a keyword is dropped and the schema admits more.
 */
export function isValidDataKeyword(keyword: string, value: unknown): boolean {
  return Object.hasOwn(DATA, keyword) && DATA[keyword]?.(value) === true;
}

/** A keyword whose value is data, with a value that the keyword does not take. */
export function isWrongDataKeyword(keyword: string, value: unknown): boolean {
  return Object.hasOwn(DATA, keyword) && !isValidDataKeyword(keyword, value);
}

type Check = (value: unknown) => boolean;

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const anything: Check = () => true;
const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
/** What is beyond all doubles would be null in JSON. */
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isType: Check = (value) => typeof value === "string" && TYPES.has(value);
const isListOf = (check: Check) => (value: unknown) => Array.isArray(value) && value.every(check);
const areNames: Check = (value) =>
  isListOf(isText)(value) && new Set(value as string[]).size === (value as string[]).length;

const DATA: Readonly<Record<string, Check>> = {
  type: (value) => isType(value) || (isListOf(isType)(value) && areNames(value) && (value as string[]).length > 0),
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: anything,
  title: isText,
  default: anything,
  format: isText,
  pattern: isPattern,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  maximum: isNumber,
  exclusiveMaximum: isNumber,
  minimum: isNumber,
  exclusiveMinimum: isNumber,
  maxLength: isCount,
  minLength: isCount,
  maxItems: isCount,
  minItems: isCount,
  uniqueItems: isFlag,
  maxContains: isCount,
  minContains: isCount,
  maxProperties: isCount,
  minProperties: isCount,
  required: areNames,
  dependentRequired: (value) => isJsonObject(value) && Object.values(value).every(areNames),
  deprecated: isFlag,
  contentEncoding: isText,
  contentMediaType: isText,
  // MCP 2026-07-28, Custom Headers from Tool Parameters.
  "x-mcp-header": isText,
};

/** Clients compile patterns with the `u` flag. */
function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
