import type { AppConfiguration, McpAppConfiguration, OidcAppConfiguration } from "../app-configuration.ts";
import { reasonsNotServed } from "../not-served.ts";
import type { AppDocument } from "./app-documents.ts";
import { assembleBridge, type BridgeContext } from "./mcp-bridge.ts";
import { assembleProxy, type ProxyContext } from "./mcp-proxy.ts";
import { assembleOidcApp } from "./oidc-apps.ts";

interface Context extends Omit<BridgeContext & ProxyContext, "clients"> {
  /** Names of the connectors that people can sign in at. */
  readonly signIn: readonly string[];
}

/** The apps that this version serves, clients of the provider first; `warnings/apps.ts` tells of the others. */
export function assembleApps(apps: readonly AppDocument[], context: Context): readonly AppConfiguration[] {
  const clients = apps.flatMap((app): OidcAppConfiguration[] =>
    app.type === "oidc" ? [assembleOidcApp(app, context.signIn)] : [],
  );
  const mcpApps = apps.map((app, index) => assembleServed(app, index, { ...context, clients }));
  return [...clients, ...mcpApps.filter((app) => app !== undefined)];
}

/** Undefined for apps of other kinds, those that are not served, and those with a mistake, which is reported. */
function assembleServed(
  app: AppDocument,
  index: number,
  context: BridgeContext & ProxyContext,
): McpAppConfiguration | undefined {
  if ((app.type !== "mcpBridge" && app.type !== "mcpProxy") || reasonsNotServed(app).length > 0) return undefined;
  return app.type === "mcpBridge" ? assembleBridge(app, index, context) : assembleProxy(app, index, context);
}
