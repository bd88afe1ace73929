import type { Catalog } from "../../bridge/catalog.ts";
import type { AppConfiguration, McpBridgeAppConfiguration, OidcAppConfiguration } from "../configuration.ts";
import { reasonsNotServed } from "../not-served.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./http.ts";
import { assemblePolicies } from "./policies.ts";

type AppDocument = ConfigurationDocument["apps"][number];

/**
 * The apps that this version serves; `warnings/apps.ts` tells of the others.
 * @param catalogs of the `mcpBridge` apps that are served, by app name
 */
export function assembleApps(
  apps: readonly AppDocument[],
  catalogs: Readonly<Record<string, Catalog>>,
  report: Report,
): readonly AppConfiguration[] {
  return apps.flatMap((app, index): AppConfiguration[] => {
    if (app.type === "oidc") return assembleOidcApp(app);
    if (app.type !== "mcpBridge" || reasonsNotServed(app).length > 0) return [];
    const catalog = Object.hasOwn(catalogs, app.name) ? catalogs[app.name] : undefined;
    if (catalog === undefined || app.openapi.baseURL === undefined) {
      report(["apps", index, "openapi"], "the artifact has no catalog for this app; compile the configuration again");
      return [];
    }
    return [assembleBridgeApp(app, app.openapi.baseURL, catalog)];
  });
}

/** A client without secrets cannot authenticate, and nothing may take it for one that can. */
function assembleOidcApp(app: Extract<AppDocument, { type: "oidc" }>): OidcAppConfiguration[] {
  const secrets = app.credentials?.secrets;
  if (secrets === undefined) return [];
  return [
    {
      type: "oidc",
      name: app.name,
      clientID: app.clientID,
      secrets,
      ...(app.resources !== undefined && { resources: app.resources }),
    },
  ];
}

function assembleBridgeApp(
  app: Extract<AppDocument, { type: "mcpBridge" }>,
  baseURL: string,
  catalog: Catalog,
): McpBridgeAppConfiguration {
  const policies = assemblePolicies(app.authorization.inbound);
  return {
    type: "mcpBridge",
    name: app.name,
    ...(app.organization !== undefined && { organization: app.organization }),
    catalog,
    baseURL: baseURL.endsWith("/") ? baseURL.slice(0, -1) : baseURL,
    timeout: app.upstream.timeout,
    ...(app.upstream.tls !== undefined && { tls: app.upstream.tls }),
    inboundTools: app.authorization.inbound.tools,
    ...(policies.length > 0 && { policies }),
    outbound: { type: "unprotected" },
  };
}
