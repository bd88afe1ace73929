import type { Catalog } from "../../bridge/catalog.ts";
import { isOwnConnector } from "../../oauth/features.ts";
import type { Configuration, HealthConfiguration, LoggerConfiguration } from "../configuration.ts";
import type { FilledParts } from "../fill.ts";
import { mcpEndpoints } from "../mcp-endpoints.ts";
import { pathText } from "../path.ts";
import type { Runtime } from "../resolve.ts";
import type { Problem } from "../rules/rule.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { reportUnusableKeys } from "./app-keys.ts";
import { assembleApps } from "./apps.ts";
import { assembleConnectors } from "./connectors.ts";
import { assembleHttp, type Report, type Shown } from "./http.ts";
import { assembleMcpProvider, gatewayOrigin } from "./mcp-provider.ts";
import { assembleOidcProvider } from "./oidc-provider.ts";
import { pathProblems } from "./paths.ts";
import { present } from "./present.ts";
import { assembleRegistration } from "./registration.ts";
import { assembleTelemetry } from "./telemetry.ts";
import { assembleTls } from "./tls.ts";

export interface AssembleOptions {
  readonly runtime: Runtime;
  /** How placeholders are written, by path text: messages show that and never a value. */
  readonly written: ReadonlyMap<string, string>;
  /** How texts with secrets in them were put together, by path text. */
  readonly withSecrets: ReadonlyMap<string, FilledParts>;
}

/** Makes the configuration out of a valid document: what is left to default depends on the runtime and on other keys. */
export async function assemble(
  document: ConfigurationDocument,
  catalogs: Readonly<Record<string, Catalog>>,
  { runtime, written, withSecrets }: AssembleOptions,
): Promise<{ readonly configuration: Configuration } | { readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const report: Report = (path, message) => problems.push({ path, message });
  const shown: Shown = (path, value) => written.get(pathText(path)) ?? value;

  const { publicURL: derived, ...http } = assembleHttp(document.http, runtime, report);
  const publicURL = (document.http.publicURL === undefined && gatewayOrigin(document.mcpProvider)) || derived;
  const mcpProvider = assembleMcpProvider(document.mcpProvider, { publicURL, report, shown });
  const connectors = await assembleConnectors(document.connectors, report);
  const provider = await assembleOidcProvider(document.oidcProvider, { publicURL, connectors, report, shown });
  const signIn = connectors.filter((connector) => !isOwnConnector(connector, provider)).map(({ name }) => name);
  await reportUnusableKeys(document.apps, report);
  const apps = assembleApps(document.apps, {
    ...{ catalogs, connectors, signIn, written, withSecrets, report },
    oidcProvider: provider,
    ownEndpoints:
      mcpProvider === undefined ? [] : mcpEndpoints(mcpProvider).map(({ path }) => new URL(path, publicURL).href),
  });
  const oidcProvider = provider && {
    ...provider,
    registration: assembleRegistration(provider.registration, {
      ...{ signIn, mcpProvider, apps },
      canSign: runtime === "node" || provider.keySecret !== undefined || provider.signingKeys.length > 0,
    }),
  };
  const configuration: Configuration = {
    version: String(document.version),
    publicURL,
    http,
    tls: assembleTls(document.tls),
    health: assembleHealth(document.health),
    logger: assembleLogger(document.logger),
    ...present({ telemetry: assembleTelemetry(document.telemetry) }),
    connectors,
    store: { path: document.store.path },
    ...present({ oidcProvider, mcpProvider }),
    console: assembleConsole(document.console, publicURL),
    session: { cookieName: document.session.cookie.name, ...document.session.lifetime },
    apps,
  };
  problems.push(...pathProblems(configuration, shown));
  return problems.length > 0 ? { problems } : { configuration };
}

function assembleConsole(
  { enabled, baseURL, passkeys, connectors, regions, setupToken, recoverOwner }: ConfigurationDocument["console"],
  publicURL: string,
): Configuration["console"] {
  return {
    enabled,
    baseURL: withoutTrailingSlash(baseURL ?? publicURL),
    passkeys,
    connectors: [...new Set(connectors)],
    regions: Object.entries(regions).map(([region, url]) => ({ region, url: withoutTrailingSlash(url) })),
    ...present({ setupToken, recoverOwner }),
  };
}

function assembleHealth({ location, heartbeat }: ConfigurationDocument["health"]): HealthConfiguration {
  const { disabled, logLevel, interval } = heartbeat;
  return { location, heartbeat: { disabled, level: logLevel, interval } };
}

function assembleLogger({ fieldOrdering, ...logger }: ConfigurationDocument["logger"]): LoggerConfiguration {
  return { ...logger, fieldOrdering: fieldOrdering.enabled };
}

function withoutTrailingSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}
