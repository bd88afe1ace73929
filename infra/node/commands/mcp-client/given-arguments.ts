import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { isJsonObject, type JsonObject } from "../../../../lib/kernel/json.ts";
import { nearest } from "../../../../lib/kernel/suggestions.ts";
import { fileErrorReason } from "../../files/file-error.ts";
import { UsageError } from "../../usage-error.ts";
import { schemaText } from "../tools/schema-text.ts";
import { definitionOf, typesOf } from "./argument-types.ts";

/** One `key=value`, or `key:=json`. */
export interface GivenArgument {
  readonly key: string;
  readonly value: string;
  readonly isJson: boolean;
}

/** @throws UsageError where a word is none, or a key stands twice */
export function givenArguments(words: readonly string[]): readonly GivenArgument[] {
  const given = words.map((word) => {
    const [, key, sign, value = ""] = /^([^=]+?)(:?=)(.*)$/su.exec(word) ?? [];
    if (key === undefined)
      throw new UsageError(`${JSON.stringify(word)} is no argument; accepted: key=value, or key:=json.`);
    return { key, value, isJson: sign === ":=" };
  });
  const keys = given.map(({ key }) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined)
    throw new UsageError(`${twice} stands twice; a list is one argument: ${twice}:='["a","b"]'.`);
  return given;
}

/**
 * The JSON object in a file; `-` is the standard input.
 * @throws UsageError
 */
export async function argumentsIn(file: string): Promise<JsonObject> {
  const content = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${fileErrorReason(error)}.`);
  });
  const value = parsed(content);
  if (!isJsonObject(value))
    throw new UsageError(`-arguments: ${file === "-" ? "the standard input" : file} is not one JSON object.`);
  return value;
}

/**
 * Values as the tool's schema wants them: text, unless it takes none.
 * @throws UsageError where a value cannot be one, or a key is none of the tool's
 */
export function typedArguments(given: readonly GivenArgument[], inputSchema: unknown): JsonObject {
  return Object.fromEntries(given.map((one) => [one.key, typed(one, inputSchema)]));
}

function typed({ key, value, isJson }: GivenArgument, inputSchema: unknown): unknown {
  const definition = definitionOf(inputSchema, key);
  if (definition.isRefused) throw unknownKey(key, definition.known);
  if (isJson) {
    const read = parsed(value);
    if (read === undefined) throw new UsageError(`${key}: ${shown(value)} is no JSON; a text is ${key}=…`);
    return read;
  }
  const types = typesOf(definition.schema, definition.definitions);
  if (types.size === 0 || types.has("string")) return value;
  const read = parsed(value);
  if (read !== undefined && fits(read, types)) return read;
  const wanted = schemaText(definition.schema, definition.definitions);
  throw new UsageError(`${key}: found ${shown(value)}; accepted: ${wanted}.`);
}

function fits(value: unknown, types: ReadonlySet<string>): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (typeof value === "number") return types.has("number") || (types.has("integer") && Number.isInteger(value));
  return types.has(typeof value);
}

function unknownKey(key: string, known: readonly string[]): UsageError {
  const meant = nearest(key, known);
  const hint = meant === undefined ? "" : ` did you mean ${JSON.stringify(meant)}?`;
  const all = known.length === 0 ? "none" : known.join(", ");
  return new UsageError(`The tool has no argument ${JSON.stringify(key)};${hint} accepted: ${all}.`);
}

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shown(value: string): string {
  return JSON.stringify(value.length <= 100 ? value : `${value.slice(0, 99).toWellFormed()}…`);
}
