import { valueAt } from "./path.ts";
import { firstNaming } from "./tool-pattern.ts";

/**
 * The inbound scopes that an MCP app of the plain document wants for its tools; the first entry that matches decides,
 * as it does at run time. A scope that a placeholder stands for is null.
 */
export function inboundScopesOf(app: unknown): (localName: string) => readonly (string | null)[] {
  const entries = valueAt(app, ["authorization", "inbound", "tools"]);
  const entryOf = firstNaming(Array.isArray(entries) ? entries : [], (entry) => {
    const name = valueAt(entry, ["name"]);
    return typeof name === "string" ? [name] : [];
  });
  return (localName) => (valueAt(entryOf(localName), ["scopes"]) ?? []) as readonly (string | null)[];
}

/** The same for one tool. */
export function inboundScopes(app: unknown, localName: string): readonly (string | null)[] {
  return inboundScopesOf(app)(localName);
}
