import type { FilledParts } from "../fill.ts";
import { type HeaderPart, headerParts, type UpstreamHeader } from "../header-template.ts";
import { type Path, pathText } from "../path.ts";
import type { McpAppDocument, WebAppDocument } from "./context.ts";

export interface HeaderContext {
  /** How each placeholder is written in the document, by path text. */
  readonly written: ReadonlyMap<string, string>;
  /** How texts with secrets in them were put together, by path text. */
  readonly withSecrets: ReadonlyMap<string, FilledParts>;
}

/** `upstream.headers` of an MCP app, `index` among all apps of the document. */
export function assembleToolHeaders(
  { headers = {} }: McpAppDocument["upstream"],
  index: number,
  context: HeaderContext,
): readonly UpstreamHeader[] {
  return Object.entries(headers).map(([name, value]) =>
    assembleHeader({ name, value, path: ["apps", index, "upstream", "headers", name], kind: "tools" }, context),
  );
}

/** `headers` of a web app, `index` among all apps of the document. */
export function assembleWebHeaders(
  headers: WebAppDocument["headers"],
  index: number,
  context: HeaderContext,
): readonly UpstreamHeader[] {
  return headers.map(({ name, value }, at) =>
    assembleHeader({ name, value, path: ["apps", index, "headers", at, "value"], kind: "web" }, context),
  );
}

interface WrittenHeader {
  readonly name: string;
  readonly value: string;
  readonly path: Path;
  readonly kind: Parameters<typeof headerParts>[1];
}

function assembleHeader({ name, value, path, kind }: WrittenHeader, context: HeaderContext): UpstreamHeader {
  const place = pathText(path);
  const isSecret = context.written.has(place) || name.toLowerCase() === "authorization";
  // What a secret holds is never read as a template, whatever it looks like.
  const partsOf = ({ text, isSecret }: FilledParts[number]): readonly HeaderPart[] =>
    isSecret ? [{ text, isSecret }] : headerParts(text, kind);
  const parts = context.withSecrets.get(place)?.flatMap(partsOf) ?? headerParts(value, kind);
  return { name: name.toLowerCase(), parts, ...(isSecret && { isSecret }) };
}
