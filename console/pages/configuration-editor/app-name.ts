import type { ListedApp } from "../../configuration-check/protocol.ts";

/** What an app with this address can be called: its file, else its host, else by its title, and a number where that is taken. */
export function appNameOf(address: string, apps: readonly ListedApp[], title = ""): string {
  const base = plainName(address) || titleName(title) || "app";
  const taken = new Set(apps.map(({ name }) => name));
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  return name;
}

/** Words that every document and server is called by. */
const COMMON =
  /^(?:open-?api|swagger|api-docs|apis?|rest|spec|schema|docs|mcp|sse|www|localhost|the|v?\d+(?:\.\d+)*)$/i;

/** Of a title. */
const MOST_WORDS = 3;

/** `Library API 1.0` is `library`. */
function titleName(title: string): string {
  const words = title.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && !COMMON.test(word));
  return words.slice(0, MOST_WORDS).join("_").toLowerCase();
}

function plainName(address: string): string {
  // No host stands in front of the path, which is relative.
  const isFile = address.startsWith("file://");
  if (!isFile && !URL.canParse(address)) return "";
  const { hostname, pathname } = isFile ? { hostname: "", pathname: address } : new URL(address);
  const last = pathname.split("/").at(-1) ?? "";
  const file = last.replace(/\.(json|ya?ml)$/i, "").replace(/[.-]?(?:openapi|swagger)$/i, "");
  const host = hostname.split(".").find((part) => !COMMON.test(part)) ?? "";
  const name = file === "" || COMMON.test(file) ? host : decoded(file);
  return name.replaceAll(/[^A-Za-z0-9-]+/g, "_").replaceAll(/^_+|_+$/g, "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Why an app cannot be called so; undefined: it can. */
export function nameError(name: string, apps: readonly ListedApp[]): string | undefined {
  if (name.trim() === "") return "Enter a name.";
  return apps.some((app) => app.name === name.trim()) ? "There is an app with this name already." : undefined;
}
