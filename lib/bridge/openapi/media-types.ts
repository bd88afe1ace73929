import { essence, isJson } from "../../http/media-type.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";

export interface MediaType {
  /** As the document spells it. */
  readonly key: string;
  /** Lower case, without parameters. */
  readonly name: string;
  readonly definition: JsonObject;
}

/** The entries of a `content` object, JSON first. */
export function mediaTypes(content: JsonObject): readonly MediaType[] {
  return Object.entries(content)
    .map(([key, definition]) => ({ key, name: essence(key), definition: isJsonObject(definition) ? definition : {} }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** A JSON type, or a wildcard that admits one. */
export function admitsJson(name: string): boolean {
  return rank(name) < 3;
}

function rank(name: string): number {
  if (name === "application/json") return 0;
  if (isJson(name)) return 1;
  return name === "*/*" || name === "application/*" ? 2 : 3;
}
