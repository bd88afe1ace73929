import { isObject, type PlainObject } from "./plain.ts";

export interface MediaType {
  /** As the document spells it. */
  readonly key: string;
  /** Lower case, without parameters. */
  readonly name: string;
  readonly definition: PlainObject;
}

/** The entries of a `content` object, JSON first. */
export function mediaTypes(content: PlainObject): readonly MediaType[] {
  return Object.entries(content)
    .map(([key, definition]) => ({ key, name: essence(key), definition: isObject(definition) ? definition : {} }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** `application/json`, anything `+json` (RFC 6839 §3.1), and the wildcards that admit them. */
export function isJson(name: string): boolean {
  return rank(name) < 3;
}

/** A media type without its parameters, lower case (RFC 9110 §8.3.1). */
export function essence(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

function rank(name: string): number {
  if (name === "application/json") return 0;
  if (/^[a-z0-9!#$&^_.-]+\/[a-z0-9!#$&^_.-]+\+json$/.test(name)) return 1;
  return name === "*/*" || name === "application/*" ? 2 : 3;
}
