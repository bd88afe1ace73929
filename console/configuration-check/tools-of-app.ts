import { type Path, valueAt } from "../../lib/config/path.ts";
import { isToolPattern } from "../../lib/config/schema/apps/names.ts";
import { toolPattern } from "../../lib/config/tool-names.ts";
import { factsOf, leftOutOf, operationOf, wholeDocument } from "./document-facts.ts";
import type { NamedDocuments } from "./named-documents.ts";
import type { AppPlace, AppTool, AppTools, ServerTool, ToolFacts, ToolSettings } from "./protocol.ts";
import { appAt, dataOf } from "./yaml-data.ts";

const SCOPES = ["authorization", "inbound", "tools"] as const;
const EXCHANGE = ["authorization", "outbound", "tokenExchange"] as const;

/**
 * The tools of an app of a text with what the text says of each: of a REST API all that its document has, of an MCP server those that it has
 * told, and those that the text names.
 */
export async function toolsOf(
  text: string,
  place: AppPlace,
  server: readonly ServerTool[],
  documents: NamedDocuments,
): Promise<AppTools> {
  const app = appAt(dataOf(text), place);
  const hasTokens = valueAt(app, EXCHANGE) !== undefined;
  if (valueAt(app, ["type"]) === "mcpProxy") {
    return { tools: serverTools(app, server), leftOut: [], hasTokens, problems: [] };
  }
  const spec = valueAt(app, ["openapi", "spec"]);
  if (spec === undefined) return { tools: [], leftOut: [], hasTokens, problems: [NO_DOCUMENT] };
  const whole = await wholeDocument(spec, documents);
  if ("problems" in whole) return { tools: [], leftOut: [], hasTokens, problems: whole.problems };
  const { catalog } = whole.compiled;
  const tools = catalog.tools.map((tool) => {
    const pattern = operationOf(tool);
    const { id, tags = [] } = whole.operations.get(pattern) ?? {};
    const names = { original: tool.localName, pattern, aliases: id === undefined ? [] : [id], tags };
    return appTool(app, "openapi", names, factsOf(tool));
  });
  return { tools, leftOut: leftOutOf(catalog), hasTokens, problems: [] };
}

const NO_DOCUMENT =
  "The text names no OpenAPI document. Name it as openapi.spec.uri, such as file://api.yaml, and add the file under Documents.";

function serverTools(app: unknown, told: readonly ServerTool[]): readonly AppTool[] {
  const named = [
    ...textsAt(app, ["tools", "include"]),
    ...textsAt(app, ["tools", "exclude"]),
    ...[SCOPES, [...EXCHANGE, "tools"]].flatMap((place) =>
      entriesAt(app, place).map((entry) => valueAt(entry, ["name"])),
    ),
  ].filter((name): name is string => typeof name === "string" && !name.startsWith("/"));
  const known = new Map(told.map((tool) => [tool.name, tool]));
  const names = new Set([...known.keys(), ...named]);
  return [...names].map((name) => {
    const { title, description, annotations } = known.get(name) ?? {};
    const facts = {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      isReadOnly: annotations?.readOnlyHint === true,
      isDestructive: annotations?.destructiveHint === true,
    };
    return appTool(app, "tools", { original: name, pattern: name, aliases: [], tags: [] }, facts);
  });
}

function appTool(
  app: unknown,
  at: "openapi" | "tools",
  names: Pick<ToolSettings, "original" | "pattern" | "aliases" | "tags">,
  facts: ToolFacts,
): AppTool {
  const known = [names.pattern, ...names.aliases, ...names.tags];
  const meets = (pattern: string) => isToolPattern(pattern) && known.some(toolPattern(pattern));
  const [include, exclude] = [textsAt(app, [at, "include"]), textsAt(app, [at, "exclude"])];
  const hiddenBy = exclude.find((one) => meets(one) && ![names.pattern, ...names.aliases].includes(one));
  const isOffered = (include.length === 0 || include.some(meets)) && !exclude.some(meets);
  const override = valueAt(app, ["openapi", "overrides", names.original]);
  const [name, description] = [textAt(override, "name"), textAt(override, "description")];
  const called = name ?? names.original;
  const own = (place: Path) => entriesAt(app, place).find((entry) => valueAt(entry, ["name"]) === called);
  const [scoped, token] = [own(SCOPES), own([...EXCHANGE, "tools"])];
  const first = entriesAt(app, SCOPES).find((entry) => {
    const pattern = textAt(entry, "name");
    return pattern !== undefined && isToolPattern(pattern) && toolPattern(pattern)(called);
  });
  const ofPattern = first !== scoped && first !== undefined ? first : undefined;
  return {
    ...facts,
    settings: {
      ...names,
      isOffered,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(scoped !== undefined && { scopes: textsAt(scoped, ["scopes"]) }),
      ...present("tokenLifetime", textAt(token, "ttl")),
      ...(valueAt(token, ["scopes"]) !== undefined && {
        tokenScopes: entriesAt(token, ["scopes"]).flatMap((scope) => textAt(scope, "name") ?? []),
      }),
    },
    ...(hiddenBy !== undefined && { hiddenBy }),
    ...(ofPattern !== undefined && {
      scopesOfPattern: { name: textAt(ofPattern, "name") ?? "", scopes: textsAt(ofPattern, ["scopes"]) },
    }),
  };
}

function present<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: string });
}

function entriesAt(value: unknown, place: Path): readonly unknown[] {
  const found = valueAt(value, place);
  return Array.isArray(found) ? found : [];
}

function textsAt(value: unknown, place: Path): readonly string[] {
  return entriesAt(value, place).filter((one) => typeof one === "string");
}

function textAt(value: unknown, key: string): string | undefined {
  const found = valueAt(value, [key]);
  return typeof found === "string" ? found : undefined;
}
