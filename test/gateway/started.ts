import { readFileSync } from "node:fs";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { McpBridgeAppConfiguration, OidcAppConfiguration } from "../../lib/config/app-configuration.ts";
import type {
  ConnectorConfiguration,
  McpAuthorizationServer,
  McpProviderConfiguration,
  OidcProviderConfiguration,
} from "../../lib/config/configuration.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";

export const RESOURCE = `${ISSUER}/mcp`;

export interface StartedGateway extends InProcess {
  /** Addresses that the gateway fetched, in order. */
  readonly fetched: readonly string[];
  call(tool: string, given: unknown, token: string): Promise<Response>;
}

export interface GatewayOptions {
  readonly servers: readonly McpAuthorizationServer[];
  readonly upstreamURL: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Scopes of the tools; by default `getNote` needs `notes:read`. */
  readonly inboundTools?: McpBridgeAppConfiguration["inboundTools"];
  /** Of all apps. */
  readonly policies?: McpBridgeAppConfiguration["policies"];
  /** Apps beside `notes` with the same tools, whose names begin with the app's name and `_`. */
  readonly otherApps?: readonly (Pick<McpBridgeAppConfiguration, "name" | "organization"> &
    Partial<Pick<McpBridgeAppConfiguration, "outbound" | "isShared" | "members" | "inboundTools">>)[];
  /** Further apps, as they are. */
  readonly apps?: readonly McpBridgeAppConfiguration[];
  /** Of all apps but those; by default calls carry nothing. */
  readonly outbound?: McpBridgeAppConfiguration["outbound"];
  /** Of all apps. */
  readonly stepUp?: McpBridgeAppConfiguration["stepUp"];
  /** When tools are offered by search; by default never. */
  readonly catalog?: McpProviderConfiguration["catalog"];
  /** Apps that are clients of this instance. */
  readonly clients?: readonly OidcAppConfiguration[];
  readonly connectors?: readonly ConnectorConfiguration[];
  /** This instance's authorization server; by default the one of `startInProcess`. */
  readonly provider?: OidcProviderConfiguration;
  /** Puts something between the product and its dependencies. */
  readonly adapt?: (dependencies: Dependencies) => Dependencies;
}

/** The gateway in this process before one upstream; its clock stands at the present. */
export async function startedGateway({
  servers,
  upstreamURL,
  fetch = globalThis.fetch,
  inboundTools = [
    { name: "getNote", scopes: ["notes:read"] },
    { name: "/.*/", scopes: [] },
  ],
  policies = [],
  otherApps = [],
  apps = [],
  outbound = { type: "unprotected" },
  stepUp = [],
  catalog,
  clients = [],
  connectors = [],
  provider,
  adapt = (same) => same,
}: GatewayOptions): Promise<StartedGateway> {
  const fetched: string[] = [];
  const recording: typeof globalThis.fetch = (input, init) => {
    fetched.push(String(input));
    return fetch(input, init);
  };
  const inProcess = await startInProcess({
    configuration: {
      mcpProvider: {
        serverName: "gateway",
        stream: { path: "/mcp", resource: RESOURCE },
        oauth: { enabled: true, metadataPath: "/.well-known/oauth-protected-resource", servers },
        allowedOrigins: [],
        allowedHosts: [],
        ...(catalog !== undefined && { catalog }),
      },
      apps: [
        ...clients,
        ...(await Promise.all(
          [{ name: "notes", inboundTools }, ...otherApps].map((app) =>
            notesApp({ outbound, ...app, policies, stepUp }, upstreamURL, app.inboundTools ?? inboundTools),
          ),
        )),
        ...apps,
      ],
      connectors,
      ...(provider !== undefined && { oidcProvider: provider }),
    },
    adapt: (dependencies) => adapt({ ...dependencies, fetch: recording }),
  });
  inProcess.clock.set(Date.now());
  const call = (tool: string, given: unknown, token: string) =>
    inProcess.send("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: given } }),
    });
  return { ...inProcess, fetched, call };
}

export function trusted(wellKnownEndpoint: string, more: Partial<McpAuthorizationServer> = {}): McpAuthorizationServer {
  return {
    wellKnownEndpoint,
    refreshInterval: 86_400_000,
    expectedAudiences: [RESOURCE],
    method: "jwt",
    clockSkew: 0,
    ...more,
  };
}

/** By the app's name: what is compiled says the same each time. */
const catalogs = new Map<string, Promise<McpBridgeAppConfiguration["catalog"]>>();

async function notesCatalog(app: string): Promise<McpBridgeAppConfiguration["catalog"]> {
  const text = readFileSync(new URL("../support/upstream.openapi.yaml", import.meta.url), "utf8");
  const result = await compileCatalog(text, { app, namespace: { disabled: app === "notes" } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  return result.catalog;
}

async function notesApp(
  app: Pick<McpBridgeAppConfiguration, "name" | "organization" | "policies" | "outbound" | "stepUp">,
  baseURL: string,
  inboundTools: McpBridgeAppConfiguration["inboundTools"],
): Promise<McpBridgeAppConfiguration> {
  const catalog = catalogs.get(app.name) ?? notesCatalog(app.name);
  catalogs.set(app.name, catalog);
  return {
    type: "mcpBridge",
    ...app,
    catalog: await catalog,
    baseURL,
    timeout: 5_000,
    inboundTools,
  };
}
