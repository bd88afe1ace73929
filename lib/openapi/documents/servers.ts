import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { OtherServer } from "../catalog.ts";
import type { UnwrittenTool } from "../catalog-texts.ts";
import { member } from "./plain.ts";

/**
 * The document's first server that is an http or https URL, variables at their defaults, without slash at the end. A
 * relative one is resolved against where the document was read, if that is a URL (OpenAPI, Server Object).
 */
export function serverURL({ servers }: JsonObject, documentURL: string | undefined): string | undefined {
  const given = Array.isArray(servers) && servers.length > 0 ? servers : [{ url: "/" }];
  return firstURL(given, documentURL);
}

/** The URL of the first server as the document has it; one with a user in it is not shown to anybody. */
export function firstServer({ servers }: JsonObject): string | undefined {
  const url = Array.isArray(servers) ? member(servers[0], "url") : undefined;
  return typeof url === "string" && !url.includes("@") ? url : undefined;
}

/**
 * The server of an operation or Path Item that names its own; undefined where it is the document's. None that would take the
 * credentials of a call from https to http.
 */
export function ownServerURL(
  servers: unknown,
  { documentURL, base }: { readonly documentURL: string | undefined; readonly base: string | undefined },
): string | undefined {
  if (!Array.isArray(servers) || servers.length === 0) return undefined;
  const url = firstURL(servers, documentURL ?? base);
  if (url === undefined || url === base) return undefined;
  return base?.startsWith("https:") && url.startsWith("http:") ? undefined : url;
}

function firstURL(servers: readonly unknown[], relativeTo: string | undefined): string | undefined {
  for (const server of servers) {
    const template = member(server, "url");
    if (typeof template !== "string") continue;
    const url = template.replaceAll(/\{([^{}]+)\}/g, (placeholder, name) => variable(server, name) ?? placeholder);
    const usable = usableURL(url.trim(), relativeTo);
    if (usable !== undefined) return usable;
  }
  return undefined;
}

function variable(server: unknown, name: string): string | undefined {
  const definition = member(member(server, "variables"), name);
  if (!isJsonObject(definition)) return undefined;
  const value = definition.default;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function usableURL(url: string, relativeTo: string | undefined): string | undefined {
  const absolute = url.startsWith("//") && relativeTo === undefined ? withScheme(url) : url;
  const isAbsolute = /^https?:\/\//i.test(absolute);
  if (/[{}]/.test(url) || !URL.canParse(absolute, relativeTo)) return undefined;
  const { protocol, username, password, origin, pathname } = new URL(absolute, relativeTo);
  if ((protocol !== "https:" && protocol !== "http:") || username !== "" || password !== "") return undefined;
  return (isAbsolute ? absolute.replace(/[?#].*$/s, "") : origin + pathname).replace(/(?<!\/)\/+$/, "");
}

/** Nothing says how the document was read: TLS, except for what is on this machine. */
function withScheme(url: string): string {
  return /^\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url) ? `http:${url}` : `https:${url}`;
}

/** Where calls go that do not go where the app is, each origin once. */
export function otherServersOf(tools: readonly UnwrittenTool[]): readonly OtherServer[] {
  const servers = new Map<string, { origin: string; count: number; example: string }>();
  for (const { name, details } of tools) {
    const { request } = details;
    if (request.baseURL === undefined) continue;
    const { origin } = new URL(request.baseURL);
    const known = servers.get(origin);
    if (known !== undefined) known.count++;
    else servers.set(origin, { origin, count: 1, example: name });
  }
  return [...servers.values()];
}
