import { parse as parseQuery } from "qs";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";

type Pairs = readonly (readonly [name: string, value: string])[];

/** What reads a form besides its pairs. */
export interface FormReading {
  /** Encoding Objects by property. */
  readonly encodings: JsonObject;
  /** What the schema of a property has it be, and the names of its members. */
  readonly shapeOf: (property: string) => { readonly isList: boolean; readonly members: readonly string[] };
}

/**
 * The object that a form stands for (OpenAPI 3.1.1, Encoding Object): what the validator has no reader for. It judges the
 * object by the schema.
 */
export function readForm(pairs: Pairs, { encodings, shapeOf }: FormReading): JsonObject {
  const styleOf = (name: string) => (isJsonObject(encodings[name]) ? (encodings[name] as JsonObject) : {});
  const deep = Object.keys(encodings).filter((name) => styleOf(name).style === "deepObject");
  const isDeep = (name: string) => deep.some((one) => name.startsWith(`${one}[`));
  const nested = new URLSearchParams(pairs.filter(([name]) => isDeep(name)).map(([name, value]) => [name, value]));
  const groups = Map.groupBy(
    pairs.filter(([name]) => !isDeep(name)),
    ([name]) => name,
  );
  const read: Record<string, unknown> = parseQuery(nested.toString(), { arrayLimit: 1_000, depth: 20 });
  for (const [name, all] of groups) {
    const values = all.map(([, value]) => value);
    const { isList, members } = shapeOf(name);
    const isSplit = values.length === 1 && (isList || members.length > 0) ? delimiterOf(styleOf(name)) : undefined;
    const parts = isSplit === undefined ? values : (values[0] as string).split(isSplit);
    if (isSplit !== undefined && members.length > 0) read[name] = membersFrom(parts);
    else read[name] = parts.length === 1 ? jsonOrText(parts[0] as string) : parts.map(jsonOrText);
  }
  // The members of an exploded object stand under their own names.
  for (const name of Object.keys(encodings).filter(
    (one) => styleOf(one).style === "form" && styleOf(one).explode !== false,
  )) {
    const members = shapeOf(name).members.filter((member) => groups.has(member));
    if (members.length > 0) read[name] = Object.fromEntries(members.map((member) => [member, read[member]]));
    for (const member of members) delete read[member];
  }
  return read;
}

/** Undefined: entries stand by themselves. */
function delimiterOf({ style, explode }: JsonObject): string | undefined {
  if (style === "spaceDelimited" || style === "pipeDelimited") return style === "spaceDelimited" ? " " : "|";
  return explode === false ? "," : undefined;
}

function membersFrom(parts: readonly string[]): JsonObject {
  return Object.fromEntries(Array.from({ length: parts.length / 2 }, (_, n) => [parts[2 * n], parts[2 * n + 1]]));
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
