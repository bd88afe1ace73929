import { nearest } from "../../kernel/suggestions.ts";
import type { Catalog } from "../../openapi/catalog.ts";
import type { CurationFindings, OperationPattern } from "../../openapi/curation.ts";
import type { DefinedScheme } from "../../openapi/documents/security.ts";
import { type Path, valueAt } from "../path.ts";
import { found } from "../redaction.ts";
import { META_TOOL_NAMES, toolPattern } from "../tool-names.ts";
import { indexesOf, type Problem } from "./rule.ts";
import { ruleProblems } from "./tool-rules.ts";

/** Rules that need the compiled catalogs: names that clash between apps, and protection for tools that do not exist. */
export function toolProblems(document: unknown, catalogs: ReadonlyMap<string, Catalog>): readonly Problem[] {
  const apps = valueAt(document, ["apps"]);
  const owners = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [index, app] of (Array.isArray(apps) ? apps : []).entries()) {
    const name = String(valueAt(app, ["name"]));
    const catalog = catalogs.get(name);
    if (catalog === undefined || valueAt(app, ["type"]) !== "mcpBridge") continue;
    const path = ["apps", index];
    problems.push(...clashes(catalog, name, path, owners), ...unknownTools(catalog, app, path));
    problems.push(...ruleProblems(catalog, app, path));
  }
  return problems;
}

function clashes(catalog: Catalog, app: string, path: Path, owners: Map<string, string>): Problem[] {
  const problems: Problem[] = [];
  for (const { name } of catalog.tools) {
    const owner = owners.get(name) ?? app;
    if (owner !== app) {
      const message = `the tool ${name} exists in the app ${owner} already; accepted: different toolNamespace names`;
      problems.push({ path, message });
    }
    owners.set(name, owner);
  }
  return problems;
}

/** A misspelt name would leave its tool open to every caller, so it is a mistake and not a remark. */
function unknownTools(catalog: Catalog, app: unknown, path: Path): Problem[] {
  const names = catalog.tools.map((tool) => tool.localName);
  const problems: Problem[] = [];
  for (const at of namedTools(app)) {
    const name = valueAt(app, at);
    if (typeof name !== "string" || matchesAny(name, names)) continue;
    const renamed = valueAt(app, ["openapi", "overrides", name, "name"]);
    const suggestion = typeof renamed === "string" ? renamed : nearest(name, names);
    const hint = suggestion === undefined ? "see `countersign tools`" : `did you mean "${suggestion}"?`;
    const message = `found ${found(name, [...path, ...at], undefined)}, which matches no tool of this app; ${hint}`;
    problems.push({ path: [...path, ...at], message });
  }
  return problems;
}

/** Where protection names tools, and where it is said what their calls need. */
function namedTools(app: unknown): readonly Path[] {
  const inbound = ["authorization", "inbound"];
  const scoped = indexesOf(valueAt(app, [...inbound, "tools"])).map((index) => [...inbound, "tools", index, "name"]);
  const stepUp = indexesOf(valueAt(app, [...inbound, "stepUp"])).flatMap((index) => {
    const tools = [...inbound, "stepUp", index, "tools"];
    return indexesOf(valueAt(app, tools)).map((tool) => [...tools, tool]);
  });
  const user = ["authorization", "outbound", "userToken", "tools"];
  const needing = indexesOf(valueAt(app, user)).map((index) => [...user, index, "name"]);
  const ruled = indexesOf(valueAt(app, ["tools", "rules"])).flatMap((index) => {
    const tools = ["tools", "rules", index, "tools"];
    return indexesOf(valueAt(app, tools)).map((tool) => [...tools, tool]);
  });
  return [...scoped, ...stepUp, ...needing, ...ruled];
}

function matchesAny(name: string, names: readonly string[]): boolean {
  try {
    return names.some(toolPattern(name));
  } catch (error) {
    // An invalid expression: the schema refuses it with its own words.
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}

/** Of the schema; a placeholder's value is not known yet. */
const THRESHOLD = 150;

/** Tools of apps that are called like those that search for tools, where agents may be offered these. */
export function metaToolProblems(document: unknown, catalogs: ReadonlyMap<string, Catalog>): readonly Problem[] {
  const all = [...catalogs];
  const count = all.reduce((sum, [, { tools }]) => sum + tools.length, 0);
  if (!isSearchOffered(document, count)) return [];
  const apps = valueAt(document, ["apps"]);
  return all.flatMap(([app, { tools }]) => {
    const index = (apps as readonly unknown[]).findIndex((one) => valueAt(one, ["name"]) === app);
    return tools
      .filter(({ name }) => META_TOOL_NAMES.includes(name))
      .map(({ name }) => ({
        path: ["apps", index],
        message: `the tool ${name} is called like one of the gateway's own; accepted: a toolNamespace.name, or mcpProvider.catalog.search: off`,
      }));
  });
}

function isSearchOffered(document: unknown, count: number): boolean {
  const isEnabled = valueAt(document, ["mcpProvider", "enabled"]);
  if (isEnabled === undefined || isEnabled === false) return false;
  const search = valueAt(document, ["mcpProvider", "catalog", "search"]);
  if (search === "on" || search === "off") return search === "on";
  const threshold = valueAt(document, ["mcpProvider", "catalog", "threshold"]);
  // What upstream MCP servers have is not known before somebody asks them.
  return count > (typeof threshold === "number" ? threshold : THRESHOLD) || hasProxies(document);
}

function hasProxies(document: unknown): boolean {
  const apps = valueAt(document, ["apps"]);
  return Array.isArray(apps) && apps.some((app) => valueAt(app, ["type"]) === "mcpProxy");
}

/**
 * What of `openapi.include`, `exclude` and `overrides` came to nothing.
 * @param places of the patterns, below the app
 */
export function curationProblems(
  { unmatched, candidates, isEmpty, unknown, clashing, tools }: CurationFindings,
  places: ReadonlyMap<OperationPattern, Path>,
  app: Path,
): readonly Problem[] {
  const overrides = [...app, "openapi", "overrides"];
  const empty = "leave no operation of the OpenAPI document; accepted: patterns that leave at least one";
  return [
    ...unmatched.map((pattern) => {
      const message = `found ${JSON.stringify(pattern.text)}, which matches no operation; ${hint(pattern.text, candidates)}`;
      return { path: [...app, ...(places.get(pattern) ?? [])], message };
    }),
    ...(isEmpty ? [{ path: [...app, "openapi"], message: `include and exclude ${empty}` }] : []),
    ...unknown.map((name) => {
      const message = `is the name of no tool of this app; ${hint(name, tools)}`;
      return { path: [...overrides, name], atKey: true, message };
    }),
    ...clashing.map((name) => {
      const message = "is the name of another tool of this app; accepted: a name that none has";
      return { path: [...overrides, name, "name"], message };
    }),
  ];
}

function hint(mistyped: string, known: readonly string[]): string {
  const suggestion = nearest(mistyped, known);
  return suggestion === undefined ? "see `countersign tools`" : `did you mean "${suggestion}"?`;
}

/** What of an app's `upstream.auth` fits no security scheme of its document. */
export function schemeProblems(
  app: unknown,
  path: Path,
  defined: ReadonlyMap<string, DefinedScheme>,
): readonly Problem[] {
  const auth = valueAt(app, ["upstream", "auth"]);
  return Object.entries(typeof auth === "object" && auth !== null ? auth : {}).flatMap(([name, credential]) => {
    const at = [...path, "upstream", "auth", name];
    const scheme = defined.get(name);
    if (scheme === undefined) return [{ path: at, atKey: true, message: unknownScheme(name, [...defined.keys()]) }];
    const message = misfit(scheme, credential);
    return message === undefined ? [] : [{ path: at, message }];
  });
}

function unknownScheme(name: string, known: readonly string[]): string {
  const problem = "is the name of no security scheme of the OpenAPI document";
  if (known.length === 0) return `${problem}, which defines none; accepted: a header in upstream.headers`;
  const suggestion = nearest(name, known);
  return `${problem}; ${suggestion === undefined ? `accepted: ${known.join(", ")}` : `did you mean "${suggestion}"?`}`;
}

/** Whether the credential has the parts of its scheme; null stands for what is not filled yet. */
function misfit(scheme: DefinedScheme, credential: unknown): string | undefined {
  const has = (key: string) => valueAt(credential, [key]) !== undefined;
  // Other rules refuse both at once.
  if (has("value") && has("username")) return undefined;
  switch (scheme.kind) {
    case "mutualTLS":
      return "is mutual TLS in the OpenAPI document; accepted: a client certificate by upstream.tls";
    case "unsupported":
      return `is ${scheme.what} in the OpenAPI document; accepted: API keys, http basic and bearer, oauth2 and openIdConnect`;
    case "basic":
      return has("value") ? "is HTTP Basic in the OpenAPI document; accepted: username and password" : undefined;
    default:
      return has("username") || has("password")
        ? `is ${scheme.kind === "apiKey" ? "an API key" : "a bearer token"} in the OpenAPI document; accepted: value`
        : undefined;
  }
}
