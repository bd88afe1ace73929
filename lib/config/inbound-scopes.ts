import { valueAt } from "./path.ts";
import { toolPattern } from "./tool-pattern.ts";

/**
 * The inbound scopes that an `mcpBridge` app of the plain document wants for a tool; the first entry that matches decides,
 * as it does at run time. A scope that a placeholder stands for is null.
 */
export function inboundScopes(app: unknown, localName: string): readonly (string | null)[] {
  const entries = valueAt(app, ["authorization", "inbound", "tools"]);
  for (const entry of Array.isArray(entries) ? entries : []) {
    const name = valueAt(entry, ["name"]);
    if (typeof name === "string" && toolPattern(name)(localName)) {
      return valueAt(entry, ["scopes"]) as readonly (string | null)[];
    }
  }
  return [];
}
