import type { Catalog } from "../../bridge/catalog.ts";
import type { AppConfiguration, McpBridgeAppConfiguration, OidcAppConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./http.ts";

type AppDocument = ConfigurationDocument["apps"][number];

/** The apps that this version runs; the routes of `proxy` apps are not served. */
export function assembleApps(
  apps: readonly AppDocument[],
  catalogs: Readonly<Record<string, Catalog>>,
  report: Report,
): readonly AppConfiguration[] {
  return apps.flatMap((app, index): AppConfiguration[] => {
    if (app.type === "oidc") return [assembleOidcApp(app)];
    if (app.type === "proxy") return [];
    const catalog = Object.hasOwn(catalogs, app.name) ? catalogs[app.name] : undefined;
    if (catalog === undefined || app.openapi.baseURL === undefined) {
      report(["apps", index, "openapi"], "the artifact has no catalog for this app; compile the configuration again");
      return [];
    }
    return [assembleBridgeApp(app, app.openapi.baseURL, catalog)];
  });
}

function assembleOidcApp(app: Extract<AppDocument, { type: "oidc" }>): OidcAppConfiguration {
  return {
    type: "oidc",
    name: app.name,
    clientID: app.clientID,
    secrets: app.credentials.secrets,
    ...(app.resources !== undefined && { resources: app.resources }),
  };
}

function assembleBridgeApp(
  app: Extract<AppDocument, { type: "mcpBridge" }>,
  baseURL: string,
  catalog: Catalog,
): McpBridgeAppConfiguration {
  return {
    type: "mcpBridge",
    name: app.name,
    ...(app.organization !== undefined && { organization: app.organization }),
    catalog,
    baseURL: baseURL.endsWith("/") ? baseURL.slice(0, -1) : baseURL,
    timeout: app.upstream.timeout,
    inboundTools: app.authorization.inbound.tools,
    outbound: { type: "unprotected" },
  };
}
