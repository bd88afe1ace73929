import { isJsonObject, type JsonObject } from "../../json.ts";
import type { ParameterStyle, PropertyEncoding } from "../catalog.ts";
import { member } from "./plain.ts";

const STYLES: ReadonlySet<unknown> = new Set<ParameterStyle>(["form", "spaceDelimited", "pipeDelimited", "deepObject"]);

/** The Encoding Objects of a Media Type Object, and which properties may hold files; undefined when there is nothing to say. */
export function encodingsOf(
  { encoding }: JsonObject,
  files: ReadonlySet<string>,
): Readonly<Record<string, PropertyEncoding>> | undefined {
  const names = new Set([...(isJsonObject(encoding) ? Object.keys(encoding) : []), ...files]);
  const encodings = [...names].flatMap((name) => {
    const one = propertyEncoding(member(encoding, name), files.has(name));
    return Object.keys(one).length === 0 ? [] : [[name, one] as const];
  });
  return encodings.length === 0 ? undefined : Object.fromEntries(encodings);
}

/** The media types and ranges of a property (Encoding Object, `contentType`). */
export function contentTypes({ encoding }: JsonObject, property: string): readonly string[] {
  const list = member(member(encoding, property), "contentType");
  if (typeof list !== "string") return [];
  return list
    .split(",")
    .map((type) => type.trim())
    .filter((type) => /^[!#$&^_.+*A-Za-z0-9-]+\/[\x21-\x7e ]+$/.test(type));
}

function propertyEncoding(definition: unknown, isFile: boolean): PropertyEncoding {
  const { style, explode, allowReserved } = isJsonObject(definition) ? definition : {};
  const [contentType] = contentTypes({ encoding: { property: definition } }, "property").filter(isConcrete);
  return {
    ...(contentType !== undefined && { contentType }),
    ...(STYLES.has(style) && { style: style as ParameterStyle }),
    ...(typeof explode === "boolean" && { explode }),
    ...(allowReserved === true && { allowReserved }),
    ...(isFile && { file: true }),
  };
}

function isConcrete(type: string): boolean {
  return !type.includes("*");
}
