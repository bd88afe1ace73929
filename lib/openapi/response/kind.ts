import { essence, isJson } from "../../protocol/http/media-type.ts";

/** What becomes of a body; `other` is text where it reads as one. */
export type Kind = "events" | "lines" | "json" | "text" | "image" | "audio" | "other";

export function kindOf(contentType: string | null): Kind {
  const type = essence(contentType);
  if (type === "text/event-stream") return "events";
  if (LINES.test(type)) return "lines";
  if (isJson(type)) return "json";
  if (isText(type)) return "text";
  if (type.startsWith("image/")) return "image";
  if (type.startsWith("audio/")) return "audio";
  // Nobody labels the encoding of what is no text.
  return /;\s*charset\s*=/i.test(contentType ?? "") ? "text" : "other";
}

/** A page for people: what a proxy or a sign-in answers in place of an API. */
export function isPage(contentType: string | null): boolean {
  return /^(text\/html|application\/xhtml\+xml)$/.test(essence(contentType));
}

/** Media ranges of an `Accept` header that the document made; its weights mark what it does not declare. */
export function admitsPages(accept: string): boolean {
  return accept.split(",").some((range) => /^\s*(text\/html|application\/xhtml\+xml|text\/\*|\*\/\*)\s*$/.test(range));
}

/** Whether the document declares nothing but JSON, or nothing at all. */
export function expectsJson(accept: string): boolean {
  return accept.split(",").every((range) => isJson(range.trim()) || range.includes(";q="));
}

/** JSON texts one after the other: JSON Lines under all of its names, and RFC 7464. */
const LINES = /^application\/(x-)?(ndjson|jsonl|json-?lines|json-seq|stream\+json)$/;

function isText(type: string): boolean {
  return type.startsWith("text/") || /^[a-z]+\/(.*\+)?(xml|yaml)$/.test(type) || TEXTS.has(type);
}

const TEXTS = new Set([
  "application/x-yaml",
  "application/javascript",
  "application/sql",
  "application/graphql",
  "application/sdp",
  "application/x-www-form-urlencoded",
]);
