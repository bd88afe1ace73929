import type {
  CatalogConfiguration,
  McpAuthorizationServer,
  McpEndpointConfiguration,
  McpProviderConfiguration,
  McpSessionConfiguration,
  McpSseConfiguration,
  McpStreamConfiguration,
} from "../configuration.ts";
import { resourceOf } from "../endpoints.ts";
import type { Path } from "../path.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report, Shown } from "./context.ts";
import { present } from "./context.ts";

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
  const endpoint: EndpointOf = (path, key, base = publicURL) => ({
    path,
    resource: oauth.enabled ? resourceFor({ base, path, key }, servers, context) : base + path,
  });
  const stream = assembleStream(document.transports.stream, endpoint);
  const expected = servers.map(({ expectedAudiences }) => expectedAudiences);
  const isNamed = (url: string) => !oauth.enabled || resourceOf(url, expected) !== undefined;
  // Tokens for the recommended transport serve the other as well, with a warning (`warnings/gateway.ts`).
  const legacy: EndpointOf = (path, key, base = publicURL) =>
    stream === undefined || isNamed(base + path) ? endpoint(path, key, base) : { path, resource: stream.resource };
  return {
    serverName: document.serverName,
    ...present({ stream, sse: assembleSse(document.transports, legacy) }),
    oauth: {
      enabled: oauth.enabled,
      metadataPath: oauth.metadataPath ?? "/.well-known/oauth-protected-resource",
      servers,
    },
    allowedOrigins: document.allowedOrigins?.map((origin) => new URL(origin).origin) ?? [publicURL],
    allowedHosts: document.allowedHosts ?? [new URL(publicURL).host],
    ...present({ catalog: assembleCatalog(document.catalog) }),
  };
}

function assembleCatalog({ search, threshold }: Document["catalog"]): CatalogConfiguration | undefined {
  return search === "off" ? undefined : { search, threshold };
}

/**
 * @param key of the setting that the path comes from
 * @param base of the URL that clients connect to; absent: the public URL
 */
type EndpointOf = (path: string, key: Path, base?: string) => McpEndpointConfiguration;

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
  const { headerName, required, allowClientTermination, timeout } = document;
  return { headerName, allowClientTermination, timeout, ...(!required && { isOptional: true }) };
}

/** The required paths are there: `rules/mcp-provider.ts` has seen to it. */
function assembleSse({ sse, stream }: Transports, endpoint: EndpointOf): McpSseConfiguration | undefined {
  if (!sse?.enabled) return undefined;
  const { basePath = "", path = "/sse", messagePath = "/messages", baseURL, keepAlive } = sse;
  const prefix = withoutTrailingSlash(basePath);
  const base = baseURL === undefined ? undefined : withoutTrailingSlash(baseURL);
  return {
    ...endpoint(prefix + path, [...TRANSPORTS, "sse", "path"], base),
    messagePath: prefix + messagePath,
    ...present({ baseURL: base }),
    ...(keepAlive?.enabled && { keepAlive: keepAlive.interval }),
    timeout: stream.session?.timeout ?? HOUR,
  };
}

/** What `transports.stream.session.timeout` is where it is not written. */
const HOUR = 3_600_000;

function withoutTrailingSlash(text: string): string {
  return text.endsWith("/") ? text.slice(0, -1) : text;
}

/** Every server must expect it, because the metadata names one resource; otherwise clients would loop on 401. */
function resourceFor(
  { base, path, key }: { readonly base: string; readonly path: string; readonly key: Path },
  servers: readonly McpAuthorizationServer[],
  { publicURL, report, shown }: Context,
): string {
  const url = base + path;
  const resource = resourceOf(
    url,
    servers.map(({ expectedAudiences }) => expectedAudiences),
  );
  if (resource !== undefined) return resource;
  const shownBase =
    base === publicURL ? shown(["http", "publicURL"], base) : shown([...TRANSPORTS, "sse", "baseURL"], base);
  const shownURL = `${shownBase}${shown(key, path)}`;
  for (const [index, { expectedAudiences }] of servers.entries()) {
    if (expectedAudiences.includes(url)) continue;
    report(
      ["mcpProvider", "authorization", "oauth", "servers", index, "tokenValidation", "expectedAudiences"],
      `names neither the MCP URL nor a prefix of it that every server expects; accepted: a list with ${shownURL}`,
    );
  }
  return url;
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

/** The required keys are there: `rules/mcp-provider.ts` has seen to it. */
function assembleIntrospection(
  document: ServerDocument["tokenValidation"]["introspection"],
): NonNullable<McpAuthorizationServer["introspection"]> {
  const { clientID = "", clientSecret = "", timeout = 0, maxRetries = 2, tokenPrefix } = document ?? {};
  return { clientID, clientSecret, timeout, maxRetries, ...(tokenPrefix !== undefined && { tokenPrefix }) };
}
