import { issuerFromWellKnown } from "../../oauth/issuer.ts";
import { valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth"] as const;
const DISCOVERY = ["oidcProvider", "discovery"] as const;

/** Where the gateway trusts this very instance and takes JWTs alone, of which the instance issues none. */
export function ownServerWarnings(document: unknown, publicURL: string | undefined): readonly Problem[] {
  const servers = valueAt(document, [...OAUTH, "servers"]);
  if (valueAt(document, [...OAUTH, "enabled"]) !== true || !Array.isArray(servers)) return [];
  if (valueAt(document, ["oidcProvider"]) === undefined) return [];
  const issuer = valueAt(document, [...DISCOVERY, "issuer"]) ?? publicURL;
  const address = valueAt(document, [...DISCOVERY, "endpoints", "wellKnown"]);
  const isOwn = (endpoint: unknown): boolean =>
    typeof endpoint === "string" &&
    URL.canParse(endpoint) &&
    (endpoint === address || (issuer !== undefined && issuerFromWellKnown(endpoint) === issuer));
  return servers.flatMap((server: unknown, index) => {
    const method = valueAt(server, ["tokenValidation", "method"]) ?? "jwt";
    if (method !== "jwt" || !isOwn(valueAt(server, ["wellKnownEndpoint"]))) return [];
    return [{ path: [...OAUTH, "servers", index, "tokenValidation", "method"], message: MESSAGE }];
  });
}

const MESSAGE =
  "this server is the instance itself, whose tokens are opaque: jwt refuses all of them; introspection or auto accepts them";
