import type { Catalog } from "../../openapi/catalog.ts";
import type {
  AppConfiguration,
  ConnectionConfiguration,
  McpAppConfiguration,
  McpBridgeAppConfiguration,
  McpProxyAppConfiguration,
  OidcAppConfiguration,
  UpstreamCredential,
} from "../app-configuration.ts";
import type { WebAppConfiguration } from "../web-app-configuration.ts";
import type { AppDocument, BridgeDocument, ProxyDocument } from "./context.ts";
import { present } from "./context.ts";
import { assembleMcpApp, type McpAppContext } from "./mcp-app.ts";
import { assembleOidcApp } from "./oidc-apps.ts";
import { assembleWebApp, type WebAppContext } from "./web-app.ts";

type Context = Omit<BridgeContext & ProxyContext & WebAppContext, "clients">;

/** The apps, clients of the provider first. */
export function assembleApps(apps: readonly AppDocument[], context: Context): readonly AppConfiguration[] {
  const clients = apps.flatMap((app): OidcAppConfiguration[] =>
    app.type === "oidc" ? [assembleOidcApp(app, context.signIn)] : [],
  );
  const served = apps.map((app, index) => assembleServed(app, index, { ...context, clients }));
  return [...clients, ...served.filter((app) => app !== undefined)];
}

/** Undefined for clients, and apps with a mistake, which is reported. */
function assembleServed(
  app: AppDocument,
  index: number,
  context: BridgeContext & ProxyContext & WebAppContext,
): McpAppConfiguration | WebAppConfiguration | undefined {
  if (app.type === "oidc") return undefined;
  if (app.type === "proxy") return assembleWebApp(app, index, context);
  return app.type === "mcpBridge" ? assembleBridge(app, index, context) : assembleProxy(app, index, context);
}

interface BridgeContext extends McpAppContext {
  /** Of the `mcpBridge` apps, by app name. */
  readonly catalogs: Readonly<Record<string, Catalog>>;
}

/** Undefined, and reported, where the artifact has no catalog for it. */
function assembleBridge(
  app: BridgeDocument,
  index: number,
  context: BridgeContext,
): McpBridgeAppConfiguration | undefined {
  const { catalogs, report } = context;
  const { baseURL } = app.openapi;
  const catalog = Object.hasOwn(catalogs, app.name) ? catalogs[app.name] : undefined;
  if (catalog === undefined || baseURL === undefined) {
    report(["apps", index, "openapi"], "the artifact has no catalog for this app; compile the configuration again");
    return undefined;
  }
  return {
    type: "mcpBridge",
    ...assembleMcpApp(app, index, context),
    catalog,
    baseURL: baseURL.endsWith("/") ? baseURL.slice(0, -1) : baseURL,
    ...present({ tls: app.upstream.tls }),
    ...assembleCredentials(app),
  };
}

function assembleCredentials({ upstream: { auth = {} } }: BridgeDocument): Pick<McpBridgeAppConfiguration, "auth"> {
  const credentials = Object.entries(auth).flatMap(
    ([scheme, { value, username, password }]): [string, UpstreamCredential][] => {
      if (value !== undefined) return [[scheme, { value }]];
      return username === undefined || password === undefined ? [] : [[scheme, { username, password }]];
    },
  );
  return credentials.length > 0 ? { auth: Object.fromEntries(credentials) } : {};
}

type EndpointDocument = NonNullable<ProxyDocument["upstream"]["stream"]>;

interface ProxyContext extends McpAppContext {
  /** URLs of this instance's own MCP endpoints. */
  readonly ownEndpoints: readonly string[];
}

/** Undefined, and reported, where calls would never arrive. */
function assembleProxy(app: ProxyDocument, index: number, context: ProxyContext): McpProxyAppConfiguration | undefined {
  const { toolNamespace, upstream, tools } = app;
  const { transport, concurrency, shareable } = upstream;
  const endpoint = upstream[transport];
  if (endpoint === undefined) return undefined;
  const path = ["apps", index, "upstream", transport, "url"];
  if (context.ownEndpoints.includes(new URL(endpoint.url).href)) {
    context.report(path, "is this gateway's own endpoint: calls would go round for ever; accepted: another MCP server");
    return undefined;
  }
  return {
    type: "mcpProxy",
    ...assembleMcpApp(app, index, context),
    namespace: toolNamespace.disabled ? "" : (toolNamespace.name ?? `${app.name}_`),
    ...{ transport, url: endpoint.url, concurrency, shareable },
    connection: assembleConnection(endpoint),
    ...present({
      tls: endpoint.tls,
      methods: upstream.methods,
      resources: upstream.resources,
      include: tools?.include,
      exclude: tools?.exclude,
    }),
  };
}

/** Also where nothing is written: streams may be silent for longer than the platform's own connections bear. */
function assembleConnection({ connection }: EndpointDocument): ConnectionConfiguration {
  const { maxIdleConns, maxIdleConnsPerHost } = connection?.pool ?? {};
  return present({
    dialTimeout: connection?.dialTimeout,
    keepAliveInterval: connection?.keepAlive?.interval,
    ...{ maxIdleConns, maxIdleConnsPerHost },
  });
}
