import type {
  McpAuthorizationServer,
  McpEndpointConfiguration,
  McpProviderConfiguration,
  McpSessionConfiguration,
  McpSseConfiguration,
  McpStreamConfiguration,
} from "../configuration.ts";
import type { Path } from "../path.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report, Shown } from "./http.ts";
import { present } from "./present.ts";

type Document = NonNullable<ConfigurationDocument["mcpProvider"]>;
type Transports = Document["transports"];
type ServerDocument = Document["authorization"]["oauth"]["servers"][number];

interface Context {
  readonly publicURL: string;
  readonly report: Report;
  readonly shown: Shown;
}

const TRANSPORTS = ["mcpProvider", "transports"] as const;

/** The gateway toward agents; undefined when it is off. */
export function assembleMcpProvider(
  document: ConfigurationDocument["mcpProvider"],
  context: Context,
): McpProviderConfiguration | undefined {
  if (document === undefined || !document.enabled) return undefined;
  const { publicURL } = context;
  const { oauth } = document.authorization;
  const servers = oauth.servers.map(assembleServer);
  const endpoint: EndpointOf = (path, key) => ({
    path,
    resource: oauth.enabled ? resource(`${publicURL}${path}`, servers, refusal(context, key, path)) : publicURL + path,
  });
  return {
    serverName: document.serverName,
    ...present({
      stream: assembleStream(document.transports.stream, endpoint),
      sse: assembleSse(document.transports, endpoint),
    }),
    oauth: {
      enabled: oauth.enabled,
      metadataPath: oauth.metadataPath ?? "/.well-known/oauth-protected-resource",
      servers,
    },
    allowedOrigins: document.allowedOrigins?.map((origin) => new URL(origin).origin) ?? [publicURL],
    allowedHosts: document.allowedHosts ?? [new URL(publicURL).host],
  };
}

/** @param key of the setting that the path comes from */
type EndpointOf = (path: string, key: Path) => McpEndpointConfiguration;

function assembleStream(document: Transports["stream"], endpoint: EndpointOf): McpStreamConfiguration | undefined {
  if (!document.enabled) return undefined;
  const path = document.path ?? document.endpointPath ?? "/mcp";
  const key = document.path === undefined ? "endpointPath" : "path";
  const { session } = document;
  return {
    ...endpoint(path, [...TRANSPORTS, "stream", key]),
    ...(session?.enabled && { session: assembleSession(session) }),
  };
}

function assembleSession(document: NonNullable<Transports["stream"]["session"]>): McpSessionConfiguration {
  const { headerName, allowClientTermination, timeout } = document;
  return { headerName, allowClientTermination, timeout };
}

/** The required paths are there: `rules/mcp-provider.ts` has seen to it. */
function assembleSse({ sse, stream }: Transports, endpoint: EndpointOf): McpSseConfiguration | undefined {
  if (!sse?.enabled) return undefined;
  const { basePath = "", path = "/sse", messagePath = "/messages", baseURL, keepAlive } = sse;
  const base = withoutTrailingSlash(basePath);
  return {
    ...endpoint(base + path, [...TRANSPORTS, "sse", "path"]),
    messagePath: base + messagePath,
    ...(baseURL !== undefined && { baseURL: withoutTrailingSlash(baseURL) }),
    ...(keepAlive?.enabled && { keepAlive: keepAlive.interval }),
    timeout: stream.session?.timeout ?? HOUR,
  };
}

/** What `transports.stream.session.timeout` is where it is not written. */
const HOUR = 3_600_000;

function withoutTrailingSlash(text: string): string {
  return text.endsWith("/") ? text.slice(0, -1) : text;
}

function refusal({ publicURL, report, shown }: Context, key: Path, path: string): (index: number) => void {
  const shownURL = `${shown(["http", "publicURL"], publicURL)}${shown(key, path)}`;
  return (index) =>
    report(
      ["mcpProvider", "authorization", "oauth", "servers", index, "tokenValidation", "expectedAudiences"],
      `names neither the MCP URL nor a prefix of it that every server expects; accepted: a list with ${shownURL}`,
    );
}

/**
 * The origin that clients know the gateway by where no public URL is written (D54): that of the audiences which every
 * server expects, when these agree on one.
 */
export function gatewayOrigin(document: ConfigurationDocument["mcpProvider"]): string | undefined {
  if (document === undefined || !document.enabled || !document.authorization.oauth.enabled) return undefined;
  const [first, ...others] = document.authorization.oauth.servers.map(({ tokenValidation }) => tokenValidation);
  const common = (first?.expectedAudiences ?? []).filter((audience) =>
    others.every(({ expectedAudiences }) => expectedAudiences.includes(audience)),
  );
  const [origin, ...more] = new Set(common.filter(isHttpURL).map((audience) => new URL(audience).origin));
  return more.length === 0 ? origin : undefined;
}

function isHttpURL(audience: string): boolean {
  return URL.canParse(audience) && /^https?:$/.test(new URL(audience).protocol);
}

function assembleServer({
  wellKnownEndpoint,
  refreshInterval,
  tokenValidation,
}: ServerDocument): McpAuthorizationServer {
  const { method, expectedAudiences, jwt, introspection } = tokenValidation;
  return {
    wellKnownEndpoint,
    refreshInterval,
    expectedAudiences,
    method,
    clockSkew: jwt.clockSkew,
    ...(method !== "jwt" && { introspection: assembleIntrospection(introspection) }),
  };
}

/** The required keys are there: `rules/oauth.ts` has seen to it. */
function assembleIntrospection(
  document: ServerDocument["tokenValidation"]["introspection"],
): NonNullable<McpAuthorizationServer["introspection"]> {
  const { clientID = "", clientSecret = "", timeout = 0, maxRetries = 2, tokenPrefix } = document ?? {};
  return { clientID, clientSecret, timeout, maxRetries, ...(tokenPrefix !== undefined && { tokenPrefix }) };
}

/**
 * D28: what clients ask tokens for is the MCP URL, or an expected audience that is its prefix. Every server must accept
 * the same one, because the metadata names one resource; otherwise clients would loop on 401.
 */
function resource(mcpURL: string, servers: readonly McpAuthorizationServer[], refuse: (index: number) => void): string {
  const prefixes = servers.flatMap(({ expectedAudiences }) => expectedAudiences.filter((one) => isPrefix(one, mcpURL)));
  const candidates = [mcpURL, ...prefixes.sort((a, b) => b.length - a.length)];
  const accepted = candidates.find((one) => servers.every(({ expectedAudiences }) => expectedAudiences.includes(one)));
  if (accepted !== undefined) return accepted;
  for (const [index, { expectedAudiences }] of servers.entries()) {
    if (!expectedAudiences.includes(mcpURL)) refuse(index);
  }
  return mcpURL;
}

/** Same origin, and the path ends where a segment of the other ends (as MCP clients compare, RFC 8707). */
function isPrefix(audience: string, mcpURL: string): boolean {
  if (!URL.canParse(audience)) return false;
  const [shorter, longer] = [new URL(audience), new URL(mcpURL)];
  if (shorter.origin !== longer.origin || shorter.search !== "" || shorter.hash !== "") return false;
  return withSlash(longer.pathname).startsWith(withSlash(shorter.pathname));
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
