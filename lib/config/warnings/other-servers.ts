import type { Catalog } from "../../bridge/catalog.ts";
import { valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/** Operations whose document sends their calls, and what these carry, to servers of their own. */
export function otherServerWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string" || !Object.hasOwn(catalogs, name) || !carriesSomething(app)) return [];
    return elsewhere(app, catalogs[name] as Catalog).map(({ origin, count, example }) => {
      const calls = count === 1 ? `calls of ${example} go` : `calls of ${count} tools, for example ${example}, go`;
      const message = `${calls} to ${origin} with the credentials of this app, because the document says so; openapi.baseURL keeps all calls at one place`;
      return { path: ["apps", index, "openapi"], message };
    });
  });
}

/** Servers with another path of the same origin are the same API. */
function elsewhere(app: unknown, { otherServers = [] }: Catalog): NonNullable<Catalog["otherServers"]> {
  const baseURL = valueAt(app, ["openapi", "baseURL"]);
  const own = typeof baseURL === "string" && URL.canParse(baseURL) ? new URL(baseURL).origin : undefined;
  return otherServers.filter(({ origin }) => origin !== own);
}

function carriesSomething(app: unknown): boolean {
  return (
    valueAt(app, ["authorization", "outbound", "type"]) === "tokenExchange" ||
    valueAt(app, ["upstream", "auth"]) !== undefined ||
    valueAt(app, ["upstream", "headers"]) !== undefined
  );
}
