import { nearest } from "../../kernel/suggestions.ts";
import type { Catalog } from "../../openapi/catalog.ts";
import { valueAt } from "../path.ts";
import { indexesOf, type Problem } from "../rules/rule.ts";
import { toolPattern } from "../tool-names.ts";

/**
 * Limits about a tool that no app has, for example because its name is misspelt. Nothing is said where an MCP server's tools may be
 * meant: what it has is not known before it is asked.
 */
export function limitedToolWarnings(
  document: unknown,
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  const apps = indexesOf(valueAt(document, ["apps"])).map((index) => {
    const [name, type] = ["name", "type"].map((key) => valueAt(document, ["apps", index, key]));
    return { name, type, tools: catalogs[String(name)]?.tools.map(({ localName }) => localName) };
  });
  return indexesOf(valueAt(document, ["limits"])).flatMap((index) => {
    const path = ["limits", index, "for", "tool"];
    const [named, about] = [textsAt(document, path), textsAt(document, ["limits", index, "for", "app"])];
    const meant = apps.filter(({ name, type }) => type !== "oidc" && (about.length === 0 || about.includes(name)));
    if (meant.some(({ name, type, tools }) => name === null || type === null || (type === "mcpProxy" && !tools)))
      return [];
    const tools = meant.flatMap((app) => app.tools ?? []);
    const unknown = named.filter((name): name is string => typeof name === "string" && !tools.some(toolPattern(name)));
    return unknown.map((name) => {
      const near = nearest(name, tools);
      const hint = near === undefined ? "see `countersign tools`" : `did you mean ${JSON.stringify(near)}?`;
      return { path, message: `without effect: ${JSON.stringify(name)} matches no tool of these apps; ${hint}` };
    });
  });
}

/** One text or a list of them; null is a placeholder. */
function textsAt(document: unknown, path: readonly (string | number)[]): readonly unknown[] {
  const value = valueAt(document, path);
  return value === undefined ? [] : [value].flat();
}
