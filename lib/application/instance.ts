import { signsTokens } from "../authorization-server/keys/signs-tokens.ts";
import type { Configuration, ConfigurationSnapshot } from "../config/configuration.ts";
import { mcpEndpoints } from "../config/endpoints.ts";
import { connectsAccounts } from "../config/oauth-features.ts";
import { createPersonConnections, type PersonConnections } from "../connections/connections.ts";
import { createProviderResolver, type ProviderDiscovery } from "../connections/discover.ts";
import { type Connector, connectorComponents, createConnectors } from "../connectors/connectors.ts";
import { serverComponents } from "../gateway/inbound/trusted-servers.ts";
import { settingsComponents } from "../gateway/settings.ts";
import { unreachableUpstreams } from "../gateway/upstream-states.ts";
import type { Component } from "../health/component.ts";
import { createHealthCheck, type HealthCheck } from "../health/health.ts";
import { joinedReport } from "../health/other-processes.ts";
import type { StoreProbe } from "../health/store-probe.ts";
import { createLimits, type Limits } from "../limits/limits.ts";
import { createSignalReceiver, type SignalReceiver } from "../signals/receiver.ts";
import { createWebhooks, type Webhooks } from "../webhooks/webhooks.ts";
import type { Dependencies } from "./dependencies.ts";
import { createGateway, type Gateway } from "./gateway.ts";
import { createWebGateway, type WebGateway } from "./web-gateway.ts";

/** What one state of the configuration brings to life. */
export interface Instance extends ConfigurationSnapshot {
  readonly connectors: readonly Connector[];
  /** Absent: no MCP endpoint is configured. */
  readonly gateway: Gateway | undefined;
  /** Absent: there are no web apps. */
  readonly webGateway: WebGateway | undefined;
  readonly limits: Limits;
  readonly webhooks: Webhooks;
  /** Accounts of people at providers. Absent: no app needs them. */
  readonly accounts: Accounts | undefined;
  /** Security events of identity providers. Absent: none are received. */
  readonly signals: SignalReceiver | undefined;
  /** What has to come up, and is tended from then on. */
  readonly components: readonly Component[];
  readonly health: HealthCheck;
}

/** People's connections, and where their providers are. */
export interface Accounts {
  readonly connections: PersonConnections;
  readonly providers: ProviderDiscovery;
}

/**
 * @param former the one of the configuration before: what it learnt from elsewhere stays known
 */
export function createInstance(
  { revision, configuration }: ConfigurationSnapshot,
  dependencies: Dependencies,
  store: StoreProbe,
  former?: Instance,
): Instance {
  const connectors = createConnectors(configuration.connectors, dependencies, former?.connectors);
  const limits = createLimits(configuration.limits, dependencies.limiter);
  const accounts = connectsAccounts(configuration) ? createAccounts(configuration, dependencies, former) : undefined;
  const signals =
    configuration.signals.length > 0
      ? createSignalReceiver(configuration, connectors, dependencies, former?.signals)
      : undefined;
  const webhooks = createWebhooks(configuration.webhooks, dependencies);
  const gateway = servesMcp(configuration)
    ? createGateway(dependencies, { connectors, webhooks }, former?.gateway, accounts?.connections)
    : undefined;
  const { connections } = accounts ?? {};
  const given = { configuration, limits, gateway, connectors, connections };
  const webGateway = createWebGateway(given, dependencies, former?.webGateway);
  const servers = gateway?.mcpProvider.oauth.enabled ? gateway.servers : (webGateway?.servers ?? []);
  const keys = signsTokens(configuration) ? [dependencies.keyRing.component] : [];
  const settings = settingsComponents(dependencies.gatewaySettings);
  const components = [...keys, ...settings, ...connectorComponents(connectors), ...serverComponents(servers)];
  const asked = gateway ?? webGateway?.ports;
  const unreachable = () => (asked === undefined ? [] : unreachableUpstreams(asked));
  const own = createHealthCheck(components, store, unreachable, unservedApps(configuration));
  const health = ofAllProcesses(own, dependencies);
  return {
    ...{ revision, configuration, connectors, gateway, webGateway, limits, webhooks, accounts, signals },
    ...{ components, health },
  };
}

function createAccounts(configuration: Configuration, dependencies: Dependencies, former?: Instance): Accounts {
  const providers = createProviderResolver(configuration, dependencies, former?.accounts?.providers);
  return { connections: createPersonConnections(configuration, { ...dependencies, resolver: providers }), providers };
}

/** The answer is the instance's, whichever of its processes is asked. */
function ofAllProcesses(
  own: HealthCheck,
  { otherProcesses: others }: Pick<Dependencies, "otherProcesses">,
): HealthCheck {
  if (others === undefined) return own;
  others.answerHealth(() => own(ignore));
  return async (waitUntil) => {
    const [report, theirs] = await Promise.all([own(waitUntil), others.health()]);
    return joinedReport(report, theirs);
  };
}

function ignore(): void {
  // Where processes stay, work goes on by itself.
}

function unservedApps({ apps }: Configuration): readonly string[] {
  return apps.flatMap((app) => (app.type === "oidc" && app.isUnserved ? [app.name] : []));
}

function servesMcp({ mcpProvider }: Configuration): boolean {
  return mcpProvider !== undefined && mcpEndpoints(mcpProvider).length > 0;
}
