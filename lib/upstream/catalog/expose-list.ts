import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { ParamHeader, ToolAnnotations } from "../../openapi/catalog.ts";
import { exchangeText } from "../names/exchange-text.ts";
import { exposed, type Naming } from "../names/namespaced.ts";
import { wrapURI } from "../names/resource-uri.ts";
import { META_PLACES } from "../names/rules-of.ts";
import { KINDS, type ListKind } from "./kinds.ts";
import { createMalformedCounter } from "./malformed.ts";
import { type Curation, createOffered } from "./offered.ts";
import type { ReadEntry, ReadList } from "./read-list.ts";
import { toolVersion } from "./tool-version.ts";
import type { UpstreamEntry, UpstreamList, UpstreamTool } from "./upstream-list.ts";

/** What of an app decides how its lists look. */
type ListedApp = Naming & Curation & Pick<McpProxyAppConfiguration, "pins">;

/** A list as agents see it. Entries are told apart by what agents see: the first of two that look the same stays. */
export async function exposeList<K extends ListKind>(kind: K, app: ListedApp, list: ReadList): Promise<UpstreamList<K>>;
export async function exposeList(kind: ListKind, app: ListedApp, list: ReadList): Promise<UpstreamList> {
  const isOffered = kind === "tools" ? createOffered(app) : () => true;
  const malformed = createMalformedCounter(list.malformed);
  const byName = new Map<string, UpstreamTool | UpstreamEntry>();
  let weight = 0;
  for (const read of list.entries) {
    if (!isOffered(read.upstreamName)) continue;
    const entry = await exposedEntry(kind, app, read);
    if (byName.has(entry.name)) malformed.add("a name twice", read.upstreamName);
    else {
      byName.set(entry.name, entry);
      weight += read.length;
    }
  }
  const { reduced, ttl, cutAt } = list;
  const common = { malformed: malformed.counted(), reduced, ttl, weight, ...(cutAt !== undefined && { cutAt }) };
  return { kind, entries: [...byName.values()], byName, ...common } as UpstreamList;
}

async function exposedEntry(
  kind: ListKind,
  app: ListedApp,
  { upstreamName, definition, listed }: ReadEntry,
): Promise<UpstreamEntry> {
  const { identifier } = KINDS[kind];
  const name = identifier === "name" ? await exposed(app.namespace, upstreamName) : wrapURI(app, upstreamName);
  const renamed = withWrappedMeta(
    app,
    exchangeText(definition, [identifier], () => name),
  );
  const entry = { upstreamName, name, definition: renamed };
  if (kind !== "tools") return entry;
  const version = app.pins && toolVersion(upstreamName, listed);
  return { ...upstreamTool(entry), ...(version && { version }) };
}

/** `_meta` of tools says which page shows their results. */
function withWrappedMeta(app: Naming, definition: JsonObject): JsonObject {
  const wrap = (uri: string) => wrapURI(app, uri);
  return META_PLACES.reduce((changed, path) => exchangeText(changed, path, wrap), definition);
}

/** What is known of a tool, of its definition with the names that agents see. */
function upstreamTool(entry: UpstreamEntry): UpstreamTool {
  const { title, description, annotations, inputSchema } = entry.definition;
  const paramHeaders = declaredParamHeaders(inputSchema);
  return {
    ...entry,
    localName: entry.upstreamName,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    annotations: isJsonObject(annotations) ? annotationsOf(annotations) : {},
    ...(paramHeaders.length > 0 && { paramHeaders }),
  };
}

export function annotationsOf({
  title,
  readOnlyHint,
  idempotentHint,
  destructiveHint,
  openWorldHint,
}: JsonObject): ToolAnnotations {
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof readOnlyHint === "boolean" && { readOnlyHint }),
    ...(typeof idempotentHint === "boolean" && { idempotentHint }),
    ...(typeof destructiveHint === "boolean" && { destructiveHint }),
    ...(typeof openWorldHint === "boolean" && { openWorldHint }),
  };
}

/** RFC 9110 §5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/**
 * Types of arguments that a header can repeat. The specification leaves `number` out; servers declare it all the same, and
 * check the header then.
 */
const SCALARS: readonly unknown[] = ["string", "integer", "number", "boolean"];

/**
 * Arguments of an upstream's tool that a request repeats in headers (MCP 2026-07-28, Custom Headers from Tool Parameters): those
 * that are declared as the specification has it, reached through `properties` alone. Of declarations with one name none counts.
 */
export function declaredParamHeaders(inputSchema: unknown): readonly ParamHeader[] {
  const declared = below(inputSchema, []);
  const counts = Map.groupBy(declared, ({ name }) => name.toLowerCase());
  return declared.filter(({ name }) => counts.get(name.toLowerCase())?.length === 1);
}

function below(schema: unknown, path: readonly string[]): readonly ParamHeader[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    const at = [...path, key];
    const header = isJsonObject(property) && SCALARS.includes(property.type) ? property["x-mcp-header"] : undefined;
    const inner = below(property, at);
    return typeof header === "string" && TOKEN.test(header)
      ? [{ name: `Mcp-Param-${header}`, path: at }, ...inner]
      : inner;
  });
}
