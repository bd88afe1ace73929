import { valueAt } from "../../../../lib/config/path.ts";
import type { BridgeTool, Catalog } from "../../../../lib/openapi/catalog.ts";
import { metAlternative } from "../../../../lib/openapi/security.ts";
import { entries, matches } from "./tool-access.ts";

/** What a call of a tool carries toward the API, as it stands in the configuration; null where a placeholder is. */
export interface ToolCredential {
  /** A token that is exchanged for the agent's (RFC 8693). */
  readonly tokenExchange?: {
    readonly type: string | null;
    readonly idp: string | null;
    readonly audience: string | null;
    readonly scopes: readonly (string | null)[];
    /** A duration as it is written. */
    readonly ttl: string | null;
  };
  /** The token of the person's own account at a provider. */
  readonly userToken?: { readonly connector: string | null; readonly scopes: readonly (string | null)[] };
  /** Names of the document's security schemes that `upstream.auth` has a credential for. */
  readonly securitySchemes?: readonly string[];
  /** Names of `upstream.headers`. */
  readonly headers?: readonly string[];
}

/** Of tools that no entry names (`lib/gateway/credentials/exchange.ts`). */
const DEFAULT_TTL = "60s";

/** What a call of this tool carries; `app` is that of the plain document. */
export function toolCredential(
  app: unknown,
  { localName, request }: BridgeTool,
  { securitySchemes }: Pick<Catalog, "securitySchemes">,
): ToolCredential {
  const outbound = valueAt(app, ["authorization", "outbound"]);
  const type = valueAt(outbound, ["type"]);
  const configured = Object.keys(Object(valueAt(app, ["upstream", "auth"])));
  const headers = Object.keys(Object(valueAt(app, ["upstream", "headers"])));
  const given = {
    schemes: new Set(configured),
    headers: new Set(headers.map((name) => name.toLowerCase())),
    isExchanged: type === "tokenExchange" || type === "userToken",
  };
  const met = metAlternative(request.security ?? [], securitySchemes, given) ?? [];
  const schemes = met.filter((name) => configured.includes(name));
  return {
    ...(type === "tokenExchange" && { tokenExchange: exchange(valueAt(outbound, ["tokenExchange"]), localName) }),
    ...(type === "userToken" && { userToken: userToken(valueAt(outbound, ["userToken"]), localName) }),
    ...(schemes.length > 0 && { securitySchemes: schemes }),
    ...(headers.length > 0 && { headers }),
  };
}

function exchange(settings: unknown, localName: string): NonNullable<ToolCredential["tokenExchange"]> {
  const entry = entries(valueAt(settings, ["tools"])).find((one) => matches(valueAt(one, ["name"]), localName));
  return {
    type: written(valueAt(settings, ["type"]), "delegation"),
    idp: written(valueAt(settings, ["idp"])),
    audience: written(valueAt(settings, ["audience"])),
    scopes: entries(valueAt(entry, ["scopes"])).map((scope) => written(valueAt(scope, ["name"]))),
    ttl: written(valueAt(entry, ["ttl"]), DEFAULT_TTL),
  };
}

function userToken(settings: unknown, localName: string): NonNullable<ToolCredential["userToken"]> {
  const entry = entries(valueAt(settings, ["tools"])).find((one) => matches(valueAt(one, ["name"]), localName));
  const ofAll = entries(valueAt(settings, ["scopes"])).map((scope) => written(scope));
  const ofTool = entries(valueAt(entry, ["scopes"])).map((scope) => written(valueAt(scope, ["name"])));
  return { connector: written(valueAt(settings, ["connector"])), scopes: [...new Set([...ofAll, ...ofTool])] };
}

function written(value: unknown, otherwise: string | null = null): string | null {
  return value === undefined ? otherwise : (value as string | null);
}
