import { TOKEN_EXCHANGE } from "../app-configuration.ts";
import { type Path, valueAt } from "../path.ts";
import { OWN_PROVIDER } from "../rules/names.ts";
import { indexesOf, type Problem } from "../rules/rule.ts";

/** Where apps ask this instance's own provider for tokens that it will refuse them; calls would be denied one by one. */
export function ownExchangeWarnings(document: unknown): readonly Problem[] {
  const apps = indexesOf(valueAt(document, ["apps"])).map((index) => valueAt(document, ["apps", index]));
  return apps.flatMap((app, index) => {
    const exchange = valueAt(app, ["authorization", "outbound", "tokenExchange"]);
    if (valueAt(exchange, ["idp"]) !== OWN_PROVIDER) return [];
    const path = ["apps", index, "authorization", "outbound", "tokenExchange"];
    const client = clientOf(exchange, apps);
    if (client === undefined) return [];
    return [
      ...audienceWarnings(exchange, client, path),
      ...scopeWarnings(exchange, client, path),
      ...modeWarnings(exchange, client, path),
      ...subjectWarnings(document, client, path),
    ];
  });
}

/** The app that the gateway is; undefined while it is not known (`rules/own-client.ts`). */
function clientOf(exchange: unknown, apps: readonly unknown[]): unknown {
  const id = valueAt(exchange, ["clientID"]);
  const exchanging = apps.filter((app) => listAt(app, ["grantTypes"])?.includes(TOKEN_EXCHANGE));
  if (id !== undefined) return exchanging.find((app) => valueAt(app, ["clientID"]) === id);
  return exchanging.length === 1 ? exchanging[0] : undefined;
}

function audienceWarnings(exchange: unknown, client: unknown, path: Path): readonly Problem[] {
  const audience = valueAt(exchange, ["audience"]);
  const allowed = listAt(client, ["allowedAudiences"]) ?? [];
  if (typeof audience !== "string" || allowed.includes(null) || allowed.includes(audience)) return [];
  return [{ path: [...path, "audience"], message: refused(client, "allowedAudiences") }];
}

function scopeWarnings(exchange: unknown, client: unknown, path: Path): readonly Problem[] {
  const custom = indexesOf(valueAt(client, ["customScopes", "scopes"])).map((index) =>
    valueAt(client, ["customScopes", "scopes", index, "name"]),
  );
  const known = [...custom, ...(listAt(client, ["scopes"]) ?? [])];
  if (known.includes(null)) return [];
  return indexesOf(valueAt(exchange, ["tools"])).flatMap((tool) =>
    indexesOf(valueAt(exchange, ["tools", tool, "scopes"])).flatMap((scope) => {
      const at = ["tools", tool, "scopes", scope, "name"];
      const name = valueAt(exchange, at);
      if (typeof name !== "string" || known.includes(name)) return [];
      return [{ path: [...path, ...at], message: refused(client, "customScopes") }];
    }),
  );
}

function modeWarnings(exchange: unknown, client: unknown, path: Path): readonly Problem[] {
  if (valueAt(exchange, ["type"]) !== "impersonation") return [];
  const permitted = valueAt(client, ["tokenExchange", "impersonation"]) ?? false;
  return permitted === false
    ? [{ path: [...path, "type"], message: refused(client, "tokenExchange.impersonation") }]
    : [];
}

/** The agents' tokens are meant for what the gateway expects, and the client has to be let bring those. */
function subjectWarnings(document: unknown, client: unknown, path: Path): readonly Problem[] {
  const subjects = listAt(client, ["tokenExchange", "subjectAudiences"]);
  const servers = ["mcpProvider", "authorization", "oauth", "servers"];
  const expected = indexesOf(valueAt(document, servers)).flatMap(
    (index) => listAt(document, [...servers, index, "tokenValidation", "expectedAudiences"]) ?? [],
  );
  if (subjects === undefined || [...subjects, ...expected].includes(null) || expected.length === 0) return [];
  if (expected.some((audience) => subjects.includes(audience))) return [];
  return [{ path: [...path, "idp"], message: refused(client, "tokenExchange.subjectAudiences", SUBJECTS) }];
}

const SUBJECTS = "names none of the gateway's expectedAudiences";

function refused(client: unknown, key: string, why = "does not allow it"): string {
  return `each call will be denied: ${key} of the app ${JSON.stringify(valueAt(client, ["name"]))} ${why}`;
}

function listAt(value: unknown, path: Path): readonly unknown[] | undefined {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : undefined;
}
