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
import type { Component, Maintenance } from "../health/component.ts";
import { createHealthCheck, type HealthCheck } from "../health/health.ts";
import { joinedReport } from "../health/other-processes.ts";
import type { StoreProbe } from "../health/store-probe.ts";
import { createLimits, type Limits } from "../limits/limits.ts";
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
  /** Accounts of people at providers. Absent: no app needs them. */
  readonly accounts: Accounts | undefined;
  /** What has to come up, and is tended from then on. */
  readonly components: readonly Component[];
  readonly health: HealthCheck;
}

/** People's connections, and where their providers are. */
export interface Accounts {
  readonly connections: PersonConnections;
  readonly providers: ProviderDiscovery;
  /** Providers are told of connections that were taken back and of which they do not know yet; cheap when nothing is due. */
  readonly revokeDue: (maintenance: Pick<Maintenance, "waitUntil">) => void;
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
  const gateway = servesMcp(configuration)
    ? createGateway(dependencies, connectors, former?.gateway, accounts?.connections)
    : undefined;
  const webGateway = createWebGateway({ configuration, limits, gateway, connectors }, dependencies, former?.webGateway);
  const servers = gateway?.mcpProvider.oauth.enabled ? gateway.servers : (webGateway?.servers ?? []);
  const keys = signsTokens(configuration) ? [dependencies.keyRing.component] : [];
  const settings = settingsComponents(dependencies.gatewaySettings);
  const components = [...keys, ...settings, ...connectorComponents(connectors), ...serverComponents(servers)];
  const asked = gateway ?? webGateway?.ports;
  const own = createHealthCheck(components, store, () => (asked === undefined ? [] : unreachableUpstreams(asked)));
  const health = ofAllProcesses(own, dependencies);
  return { revision, configuration, connectors, gateway, webGateway, limits, accounts, components, health };
}

function createAccounts(configuration: Configuration, dependencies: Dependencies, former?: Instance): Accounts {
  const providers = createProviderResolver(configuration, dependencies, former?.accounts?.providers);
  const connections = createPersonConnections(configuration, { ...dependencies, resolver: providers });
  // Many instances live for a few requests, and these have nothing to do with it.
  let revokedAt = dependencies.clock.now();
  return {
    connections,
    providers,
    revokeDue: ({ waitUntil }) => {
      const now = dependencies.clock.now();
      // A clock that was set back makes it due.
      if (Math.abs(now - revokedAt) < REVOKE_EVERY) return;
      revokedAt = now;
      waitUntil(connections.revokePending());
    },
  };
}

/** Milliseconds: on Workers it asks each of the 256 objects. Mostly the provider is told at once, when a connection is taken back. */
const REVOKE_EVERY = 300_000;

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

function servesMcp({ mcpProvider }: Configuration): boolean {
  return mcpProvider !== undefined && mcpEndpoints(mcpProvider).length > 0;
}
