import type { Catalog } from "../../bridge/catalog.ts";
import { metAlternative } from "../../bridge/security.ts";
import { reasonsNotServed } from "../not-served.ts";
import { type Path, valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/**
 * Tools whose API asks for a credential that nothing configured gives: they can be called, and are likely refused there. A
 * kind of outbound credential that is not known yet may be the one.
 */
export function unmetSecurityWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string" || !Object.hasOwn(catalogs, name) || reasonsNotServed(app).length > 0) return [];
    const message = unmetSecurity(app, catalogs[name] as Catalog);
    return message === undefined ? [] : [{ path: ["apps", index, "upstream"], message }];
  });
}

function unmetSecurity(app: unknown, { tools, securitySchemes, security = [] }: Catalog): string | undefined {
  const type = valueAt(app, ["authorization", "outbound", "type"]);
  const given = {
    schemes: new Set(keysAt(app, ["upstream", "auth"])),
    headers: new Set(keysAt(app, ["upstream", "headers"]).map((name) => name.toLowerCase())),
    isExchanged: type === "tokenExchange" || type === null,
  };
  const unmet = security.filter(
    ({ alternatives }) => metAlternative(alternatives, securitySchemes, given) === undefined,
  );
  const [first] = unmet;
  if (first === undefined) return undefined;
  const count = unmet.reduce((sum, requirement) => sum + requirement.count, 0);
  const of = `${count} of ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const asked = first.alternatives.map((names) => names.join(" with ")).join(" or ");
  return `${of} need credentials that nothing here gives, for example ${first.example} (${asked}); accepted: upstream.auth`;
}

function keysAt(app: unknown, path: Path): readonly string[] {
  const value = valueAt(app, path);
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
