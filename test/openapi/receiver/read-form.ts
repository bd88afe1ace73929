import { parse as parseQuery } from "qs";
import { isJsonObject, type JsonObject } from "../../../lib/json.ts";

type Pairs = readonly (readonly [name: string, value: string])[];

/** What reads a form besides its pairs. */
export interface FormReading {
  /** Encoding Objects by property. */
  readonly encodings: JsonObject;
  /** The names that an object has, by the schema of the property. */
  readonly membersOf: (property: string) => readonly string[];
}

/**
 * The object that a form stands for (OpenAPI 3.1.1, Encoding Object): what the validator has no reader for. It judges the
 * object by the schema.
 */
export function readForm(pairs: Pairs, { encodings, membersOf }: FormReading): JsonObject {
  const styleOf = (name: string) => (isJsonObject(encodings[name]) ? (encodings[name] as JsonObject) : {});
  const deep = Object.keys(encodings).filter((name) => styleOf(name).style === "deepObject");
  const isDeep = (name: string) => deep.some((one) => name.startsWith(`${one}[`));
  const nested = new URLSearchParams(pairs.filter(([name]) => isDeep(name)).map(([name, value]) => [name, value]));
  const groups = Map.groupBy(pairs.filter(([name]) => !isDeep(name)), ([name]) => name);
  const read: Record<string, unknown> = parseQuery(nested.toString(), { arrayLimit: 1_000, depth: 20 });
  for (const [name, all] of groups) read[name] = valueOf(all.map(([, value]) => value), styleOf(name));
  // The members of an exploded object stand under their own names.
  for (const name of Object.keys(encodings).filter((one) => styleOf(one).style === "form" && styleOf(one).explode !== false)) {
    const members = membersOf(name).filter((member) => groups.has(member));
    if (members.length > 0) read[name] = Object.fromEntries(members.map((member) => [member, read[member]]));
    for (const member of members) delete read[member];
  }
  return read;
}

function valueOf(values: readonly string[], { style, explode }: JsonObject): unknown {
  if (values.length > 1) return values.map(jsonOrText);
  const [value = ""] = values;
  const delimiter = { spaceDelimited: " ", pipeDelimited: "|" }[String(style)] ?? ",";
  const isDelimited = style === undefined ? explode === false : explode !== true && style !== "form";
  return isDelimited || (style === "form" && explode === false) ? value.split(delimiter) : jsonOrText(value);
}

/** OpenAPI: objects are JSON, each entry of a list by itself. */
function jsonOrText(text: string): unknown {
  if (!/^[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
