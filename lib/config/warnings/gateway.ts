import { issuerFromWellKnown } from "../../protocol/oauth/issuer.ts";
import { resourceOf } from "../endpoints.ts";
import { valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth"] as const;
const DISCOVERY = ["oidcProvider", "discovery"] as const;

/** Where the gateway trusts this very instance and takes JWTs alone: API clients get opaque tokens. */
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
    const endpoint = valueAt(server, ["wellKnownEndpoint"]);
    const method = valueAt(server, ["tokenValidation", "method"]) ?? "jwt";
    const path = [...OAUTH, "servers", index];
    if (isOwn(endpoint)) {
      return method === "jwt" ? [{ path: [...path, "tokenValidation", "method"], message: MESSAGE }] : [];
    }
    return isAt(endpoint, issuer) ? [{ path: [...path, "wellKnownEndpoint"], message: ELSEWHERE }] : [];
  });
}

/**
 * Where issuer and public URL are different hosts. Each then has a part of the clients: that may be meant, and nobody who does not
 * mean it finds it out from what fails.
 */
export function issuerWarnings(document: unknown, publicURL: string | undefined): readonly Problem[] {
  const path = [...DISCOVERY, "issuer"];
  const issuer = valueAt(document, path);
  if (typeof issuer !== "string" || !URL.canParse(issuer) || publicURL === undefined) return [];
  const { origin } = new URL(issuer);
  return origin === publicURL ? [] : [{ path, message: OTHER_ORIGIN }];
}

const OTHER_ORIGIN =
  "this is not the origin of the public URL (http.publicURL): both must lead to this instance; links of the Console and of `owner`, the MCP endpoint and the management API, with its audience, are at the public URL, sign-in and tokens at the issuer";

/** Whether an address is on the instance's own origin, where nothing else can be. */
function isAt(endpoint: unknown, issuer: unknown): boolean {
  if (typeof endpoint !== "string" || typeof issuer !== "string") return false;
  return URL.canParse(endpoint) && URL.canParse(issuer) && new URL(endpoint).origin === new URL(issuer).origin;
}

const ELSEWHERE =
  "this address is on the instance itself, but not that of its discovery document: no token will be accepted; accepted: the issuer and /.well-known/openid-configuration";

const MESSAGE =
  "this server is the instance itself: jwt refuses its opaque tokens, those of API clients among them; auto accepts all of its tokens";

const TRANSPORTS = ["mcpProvider", "transports"] as const;

/** Where the legacy transport is told the resource of the other one, which its URL does not begin with. */
export function sseAudienceWarnings(document: unknown, publicURL: string | undefined): readonly Problem[] {
  const [stream, sse] = ["stream", "sse"].map((name) => valueAt(document, [...TRANSPORTS, name]));
  const areOn = [valueAt(stream, ["enabled"]), valueAt(sse, ["enabled"]), valueAt(document, [...OAUTH, "enabled"])];
  const path = valueAt(sse, ["path"]);
  const basePath = valueAt(sse, ["basePath"]) ?? "";
  const expected = audiencesOf(valueAt(document, [...OAUTH, "servers"]));
  if (areOn.some((isOn) => isOn !== true) || publicURL === undefined || expected === undefined) return [];
  if (typeof path !== "string" || typeof basePath !== "string") return [];
  const base = valueAt(sse, ["baseURL"]) ?? publicURL;
  if (typeof base !== "string") return [];
  const url = base.replace(/\/$/, "") + basePath.replace(/\/$/, "") + path;
  return resourceOf(url, expected) === undefined
    ? [{ path: [...TRANSPORTS, "sse", "path"], message: NOT_EXPECTED }]
    : [];
}

const NOT_EXPECTED =
  "expectedAudiences names neither the URL of the event stream nor a prefix of it: clients that compare the two will not connect";

/** Undefined while one of them is not known. */
function audiencesOf(servers: unknown): readonly (readonly string[])[] | undefined {
  if (!Array.isArray(servers)) return undefined;
  const lists = servers.map((server: unknown) => valueAt(server, ["tokenValidation", "expectedAudiences"]));
  const isKnown = (list: unknown): list is readonly string[] =>
    Array.isArray(list) && list.every((audience) => typeof audience === "string");
  return lists.every(isKnown) ? lists : undefined;
}
