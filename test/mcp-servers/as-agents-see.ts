import type { Json, Kind } from "../support/mcp-agent/agent.ts";
import type { App } from "./servers.ts";

/** Members whose text is the name of a tool or prompt where they stand in an entry of a list. */
const LISTS = ["tools", "prompts"];

/** What a server says itself as agents get it through the gateway: other names and URIs, all else the same. */
export function asAgentsSee(app: App, said: Json): Json {
  return wrapped(app, said) as Json;
}

export function nameOf(app: App, name: string): string {
  return `${app}_${name}`;
}

export function uriOf(app: App, uri: string): string {
  return uri.startsWith("ui://") ? `ui://${app}+${uri.slice(5)}` : `${app}+${uri}`;
}

function wrapped(app: App, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => wrapped(app, entry));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (LISTS.includes(key) && Array.isArray(inner)) return [key, inner.map((entry) => namedEntry(app, entry))];
      const isURI = (key === "uri" || key === "uriTemplate") && typeof inner === "string";
      return [key, isURI ? uriOf(app, inner) : wrapped(app, inner)];
    }),
  );
}

function namedEntry(app: App, entry: Json): unknown {
  return { ...(wrapped(app, entry) as Json), name: nameOf(app, String(entry.name)) };
}

/** The same but for what two calls never have in common: the time of day that a text or its base64 names, and ids of tasks. */
export function timeless<T>(value: T): T {
  const text = JSON.stringify(value, (key, inner) =>
    key === "blob" && typeof inner === "string" ? maskTime(Buffer.from(inner, "base64").toString()) : inner,
  );
  return JSON.parse(maskTime(text)) as T;
}

function maskTime(text: string): string {
  return text.replaceAll(/created at [0-9:]+\u202f?\s?[AP]M/g, "created at some time");
}

/** What the stateless generation alone has, and what its client does not hand on of the other's definitions. */
const OF_ONE_GENERATION = ["ttlMs", "cacheScope", "execution"];

/** Answers of servers with sessions to agents without, and the other way about, as far as both generations have it. */
export function kindred<T>(kind: Kind, value: T): T {
  if (kind !== "version 2, stateless") return value;
  return JSON.parse(JSON.stringify(value, (key, inner) => (OF_ONE_GENERATION.includes(key) ? undefined : inner))) as T;
}
