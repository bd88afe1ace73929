import type { Catalog } from "../../bridge/catalog.ts";
import type { McpBridgeAppConfiguration, UpstreamCredential } from "../app-configuration.ts";
import type { BridgeDocument } from "./app-documents.ts";
import { assembleMcpApp, type McpAppContext } from "./mcp-app.ts";
import { present } from "./present.ts";

export interface BridgeContext extends McpAppContext {
  /** Of the `mcpBridge` apps that are served, by app name. */
  readonly catalogs: Readonly<Record<string, Catalog>>;
}

/** Undefined, and reported, where the artifact has no catalog for it. */
export function assembleBridge(
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
