import { parse as parseQuery } from "qs";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { DeclaredParameter } from "./operation-document.ts";
import { type Arrival, BASE_PATH } from "./validator-app.ts";

/**
 * Reads a parameter that the validator cannot (OpenAPI 3.1.1, Style Examples; RFC 6570), as `sent` is shaped: a list, an
 * object or neither. Undefined: it did not arrive.
 */
export function readParameter(
  parameter: DeclaredParameter,
  template: string,
  arrival: Arrival,
  sent: unknown,
): unknown {
  const { name, in: location, definition } = parameter;
  const reads = { path: readPath, query: readQuery, header: readHeader, cookie: readCookie };
  if (definition.content === undefined) return reads[location](parameter, arrival, shapeOf(sent), template);
  const text = reads[location]({ ...parameter, explode: false }, arrival, "one", template);
  const [type = ""] = Object.keys(definition.content as JsonObject);
  if (!/[/+]json\b/.test(type) || typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return `${name} is not JSON: ${text}`;
  }
}

type Shape = "one" | "list" | "members";

function shapeOf(sent: unknown): Shape {
  if (Array.isArray(sent)) return "list";
  return typeof sent === "object" && sent !== null ? "members" : "one";
}

function readPath(
  { name, style, explode }: DeclaredParameter,
  { url }: Arrival,
  shape: Shape,
  template: string,
): unknown {
  const raw = segmentOf(url, template, name);
  if (raw === undefined) return undefined;
  if (style === "label")
    return raw.startsWith(".") ? split(raw.slice(1), shape, explode ? "." : ",", explode) : undefined;
  if (style !== "matrix") return split(raw, shape, ",", explode);
  if (explode && shape === "members") return raw.startsWith(";") ? split(raw.slice(1), shape, ";", true) : undefined;
  const prefix = `;${encodeURIComponent(name)}=`;
  if (!raw.startsWith(prefix)) return undefined;
  if (!explode || shape === "one") return split(raw.slice(prefix.length), shape, ",", false);
  return raw.slice(prefix.length).split(prefix).map(decodeURIComponent);
}

function segmentOf(url: string, template: string, name: string): string | undefined {
  const [path = ""] = template.split(/[?#]/);
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, placeholder]) => placeholder);
  const literals = path.split(/\{[^{}]+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const match = new RegExp(`^${BASE_PATH}${literals.join("([^/]*)")}$`).exec(url.split("?")[0] as string);
  return match?.[names.indexOf(name) + 1];
}

function readHeader({ name, explode }: DeclaredParameter, { headers }: Arrival, shape: Shape): unknown {
  const value = headers[name.toLowerCase()];
  return value === undefined ? undefined : split(String(value), shape, ",", explode, (text) => text.trim());
}

function readCookie({ name, explode }: DeclaredParameter, { headers }: Arrival, shape: Shape): unknown {
  const pairs = (headers.cookie ?? "").split(/; |&/).filter((pair) => pair !== "");
  return fromPairs(pairs, name, shape, { explode, delimiter: "," });
}

function readQuery({ name, style, explode }: DeclaredParameter, { url }: Arrival, shape: Shape): unknown {
  const query = url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
  if (style === "deepObject" && shape === "members") {
    const read = parseQuery(query, { arrayLimit: 1_000, depth: 20, allowDots: false });
    return name
      .split(/[[\]]+/)
      .filter(Boolean)
      .reduce<unknown>((value, part) => (value as JsonObject)?.[part], read);
  }
  const delimiter = { spaceDelimited: "%20", pipeDelimited: /%7C|\|/i }[style] ?? ",";
  return fromPairs(
    query.split("&").filter((pair) => pair !== ""),
    name,
    shape,
    { explode, delimiter },
  );
}

function fromPairs(
  pairs: readonly string[],
  name: string,
  shape: Shape,
  { explode, delimiter }: { readonly explode: boolean; readonly delimiter: string | RegExp },
): unknown {
  const entries = pairs.map((pair) => {
    const [key = "", ...rest] = pair.split("=");
    return [decode(key), rest.join("=")] as const;
  });
  if (explode && shape === "members") return Object.fromEntries(entries.map(([key, value]) => [key, decode(value)]));
  const values = entries.filter(([key]) => key === name).map(([, value]) => value);
  if (values.length === 0) return undefined;
  return explode && shape === "list" ? values.map(decode) : split(values.join("&"), shape, delimiter, false);
}

function split(
  raw: string,
  shape: Shape,
  delimiter: string | RegExp,
  explode: boolean,
  read: (text: string) => string = decode,
): unknown {
  if (shape === "one") return read(raw);
  const parts = raw.split(delimiter);
  if (shape === "list") return parts.map(read);
  const flat = explode ? parts.flatMap((part) => part.split("=")) : parts;
  return Object.fromEntries(
    Array.from({ length: flat.length / 2 }, (_, n) => [read(flat[2 * n] as string), read(flat[2 * n + 1] as string)]),
  );
}

/** `application/x-www-form-urlencoded` has `+` for a space. */
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
