import type { LoggerConfiguration } from "../../logging/logger-configuration.ts";
import type { Catalog } from "../../openapi/catalog.ts";
import type { Branding } from "../../pages/page.ts";
import type {
  MetricReaderConfiguration,
  OtlpExporterConfiguration,
  SpanProcessorConfiguration,
  TelemetryConfiguration,
} from "../../telemetry/configuration.ts";
import type { Configuration, HealthConfiguration, Runtime } from "../configuration.ts";
import type { EmailConfiguration } from "../email-configuration.ts";
import { mcpEndpoints } from "../endpoints.ts";
import type { FilledParts } from "../fill.ts";
import { isOwnConnector } from "../oauth-features.ts";
import { pathText } from "../path.ts";
import type { AppPolicies } from "../policy-plans.ts";
import type { Problem } from "../rules/rule.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { parseRetention } from "../schema/store.ts";
import { webhookTypes } from "../webhook-configuration.ts";
import { assembleApps } from "./apps.ts";
import { assembleConnectors } from "./connectors.ts";
import { present, type Report, type Shown } from "./context.ts";
import { assembleHttp, assembleTls } from "./http.ts";
import { assembleLimits } from "./limits.ts";
import { assembleMcpProvider, gatewayOrigin } from "./mcp-provider.ts";
import { reportUnusableKeys } from "./oidc-apps.ts";
import { assembleOidcProvider, assembleRegistration, issuerOrigin } from "./oidc-provider.ts";
import { pathProblems } from "./paths.ts";
import { routeProblems } from "./routes.ts";
import { assembleSession, assembleSingleLogout, sessionProblems } from "./session.ts";
import { assembleSignals } from "./signals.ts";

export interface AssembleOptions {
  readonly runtime: Runtime;
  /** How placeholders are written, by path text: messages show that and never a value. */
  readonly written: ReadonlyMap<string, string>;
  /** How texts with secrets in them were put together, by path text. */
  readonly withSecrets: ReadonlyMap<string, FilledParts>;
  /** Policies in Rego, by app name. */
  readonly policies: Readonly<Record<string, AppPolicies>>;
}

/** Makes the configuration out of a valid document: what is left to default depends on the runtime and on other keys. */
export async function assemble(
  document: ConfigurationDocument,
  catalogs: Readonly<Record<string, Catalog>>,
  { runtime, written, withSecrets, policies }: AssembleOptions,
): Promise<{ readonly configuration: Configuration } | { readonly problems: readonly Problem[] }> {
  const problems: Problem[] = [];
  const report: Report = (path, message) => problems.push({ path, message });
  const shown: Shown = (path, value) => written.get(pathText(path)) ?? value;

  const { publicURL: derived, ...http } = assembleHttp(document.http, runtime, report);
  const known = gatewayOrigin(document.mcpProvider) ?? issuerOrigin(document.oidcProvider);
  const publicURL = (document.http.publicURL === undefined && known) || derived;
  const mcpProvider = assembleMcpProvider(document.mcpProvider, { publicURL, report, shown });
  const { connectors, oauthConnectors } = await assembleConnectors(document, report);
  const provider = await assembleOidcProvider(document.oidcProvider, { publicURL, connectors, report, shown });
  const signIn = connectors.filter((connector) => !isOwnConnector(connector, provider)).map(({ name }) => name);
  await reportUnusableKeys(document.apps, report);
  const apps = assembleApps(document.apps, {
    ...{ catalogs, policies, connectors, signIn, written, withSecrets, report },
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
  const { overridable } = document.deployment;
  const configuration: Configuration = {
    version: String(document.version),
    publicURL,
    http,
    tls: assembleTls(document.tls),
    health: assembleHealth(document.health),
    logger: assembleLogger(document.logger),
    ...present({ telemetry: assembleTelemetry(document.telemetry) }),
    ...{ connectors, oauthConnectors, vaultKeys: document.vault.keys },
    signals: assembleSignals(document.signals, { connectors, publicURL }),
    webhooks: document.webhooks.map(({ tls, types, ...webhook }) => ({
      ...webhook,
      types: webhookTypes(types),
      ...present({ tls }),
    })),
    store: { path: document.store.path },
    ...present({ auditRetention: parseRetention(document.audit.retention ?? "") || undefined }),
    auditWebRequests: document.audit.proxy,
    ...present({ branding: assembleBranding(document.branding), email: assembleEmail(document.email) }),
    ...present({ oidcProvider, mcpProvider }),
    // Also where the gateway is off: sign-ins for web apps are sealed with it.
    ...present({ stateSecret: document.mcpProvider?.stateSecret }),
    console: assembleConsole(document.console, publicURL),
    session: assembleSession(document.session),
    ...present({ singleLogout: assembleSingleLogout(document.singleLogout, { oidcProvider, publicURL }) }),
    limits: assembleLimits(document.limits),
    ...(overridable.length > 0 && { overridable: [...new Set(overridable)] }),
    apps,
  };
  problems.push(
    ...pathProblems(configuration, shown),
    ...routeProblems(document.apps, configuration, shown),
    ...sessionProblems(configuration, shown),
  );
  return problems.length > 0 ? { problems } : { configuration };
}

function assembleConsole(
  {
    enabled,
    baseURL,
    passkeys,
    connectors,
    regions,
    playground,
    traceURL,
    documentationURL,
    setupToken,
    recoverOwner,
  }: ConfigurationDocument["console"],
  publicURL: string,
): Configuration["console"] {
  return {
    enabled,
    baseURL: withoutTrailingSlash(baseURL ?? publicURL),
    passkeys,
    connectors: [...new Set(connectors)],
    regions: Object.entries(regions).map(([region, url]) => ({ region, url: withoutTrailingSlash(url) })),
    playground,
    ...(documentationURL !== undefined && { documentationURL: withoutTrailingSlash(documentationURL) }),
    ...present({ traceURL, setupToken, recoverOwner }),
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

type Document = NonNullable<ConfigurationDocument["telemetry"]>;
type Reader = Document["metrics"]["readers"][number];
type Processor = Document["traces"]["processors"][number];
type Exporter = NonNullable<Processor["simple"]>["exporter"]["otlp"];

/** Where metrics and traces go; undefined when the document says nothing about it. */
function assembleTelemetry(document: ConfigurationDocument["telemetry"]): TelemetryConfiguration | undefined {
  if (document === undefined) return undefined;
  return {
    readers: document.metrics.readers.map(assembleReader),
    processors: document.traces.processors.flatMap(assembleProcessor),
    samplerRatio: document.traces.sampler.ratio,
  };
}

function assembleReader({ periodic: { interval, exporter } }: Reader): MetricReaderConfiguration {
  const { temporality, ...otlp } = exporter.otlp;
  return { interval, exporter: assembleExporter(otlp), temporality };
}

/** One of the two is there: `rules/telemetry.ts` has seen to it. */
function assembleProcessor({ simple, batch }: Processor): readonly SpanProcessorConfiguration[] {
  if (simple !== undefined) return [{ type: "simple", exporter: assembleExporter(simple.exporter.otlp) }];
  if (batch === undefined) return [];
  const { exporter, ...limits } = batch;
  return [{ type: "batch", exporter: assembleExporter(exporter.otlp), ...limits }];
}

function assembleExporter({
  certificate,
  clientCertificate,
  clientKey,
  ...exporter
}: Exporter): OtlpExporterConfiguration {
  return { ...exporter, ...present({ certificate, clientCertificate, clientKey }) };
}

function assembleEmail(email: ConfigurationDocument["email"]): EmailConfiguration | undefined {
  if (email === undefined) return undefined;
  const { from, smtp, http } = email;
  if (smtp !== undefined) {
    const { host, port, security, ...more } = smtp;
    return { from, smtp: { host, port, security, ...present(more) } };
  }
  if (http === undefined) return { from };
  const { provider, apiKey, ...more } = http;
  return { from, http: { provider, apiKey, ...present(more) } };
}

function assembleBranding(branding: ConfigurationDocument["branding"]): Branding | undefined {
  if (branding === undefined) return undefined;
  const { name, ...look } = branding;
  return { name, ...present(look) };
}
