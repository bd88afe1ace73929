import { tokenPrefix } from "../authorization-server/tokens/opaque.ts";
import type { Configuration } from "../config/configuration.ts";
import { ownHosts } from "../config/endpoints.ts";
import { createPolicies } from "../config/policy-engines.ts";
import type { CallConnections } from "../connections/person-connections.ts";
import type { Connector } from "../connectors/connectors.ts";
import { consoleCookieName } from "../directory/session-cookie.ts";
import { webPolicySets } from "../gateway/decision/web-request.ts";
import type { TrustedServer } from "../gateway/inbound/trusted-servers.ts";
import { DENIED_CALLS, UNKNOWN_VISITORS } from "../gateway/limit-calls.ts";
import { createMemberships } from "../gateway/memberships.ts";
import { createOrganizationOf } from "../gateway/organization.ts";
import { createUpstreamStates, type UpstreamStates } from "../gateway/upstream-states.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { systemTimers } from "../kernel/timers.ts";
import type { Limits } from "../limits/limits.ts";
import { createWebApps, type WebApps } from "../web-apps/web-apps.ts";
import type { WebRequestPorts } from "../web-apps/web-request.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Gateway } from "./gateway.ts";

/** The web apps of one state of the configuration, with all that their requests take. */
export interface WebGateway extends WebApps {
  readonly ports: WebRequestPorts & { readonly upstreams: UpstreamStates };
  /** All whose tokens some app takes, each once. */
  readonly servers: readonly TrustedServer[];
}

/** What the configuration has brought to life already. */
interface Given {
  readonly configuration: Configuration;
  readonly limits: Limits;
  readonly gateway: Gateway | undefined;
  readonly connectors: readonly Connector[];
  /** Accounts of people at providers; absent: no app needs them. */
  readonly connections?: CallConnections | undefined;
}

/**
 * Undefined: there are no web apps.
 *
 * @param former the one of the configuration before: what it learnt from elsewhere stays known
 */
export function createWebGateway(
  { configuration, limits, gateway, connectors, connections }: Given,
  dependencies: Dependencies,
  former?: WebGateway,
): WebGateway | undefined {
  const known = [...(gateway?.servers ?? []), ...(former?.servers ?? [])];
  const webApps = createWebApps(configuration, dependencies, known);
  if (webApps === undefined) return undefined;
  const { oidcProvider, mcpProvider, publicURL, session } = configuration;
  const { clock, random, keyRing } = dependencies;
  const issuer = oidcProvider?.issuer;
  const ports: WebGateway["ports"] = {
    ...dependencies,
    timers: systemTimers,
    publicURL: new URL(publicURL),
    configRevision: configuration.published?.revision,
    mcpProvider,
    limits,
    connectors,
    connections,
    policies: createPolicies(webPolicySets(configuration.apps), dependencies),
    scopes: [],
    ownIssuer: issuer,
    ownTokenPrefix: oidcProvider && tokenPrefix(oidcProvider.region),
    ownHosts: ownHosts(configuration),
    ownCookies: [session.cookieName, consoleCookieName(session)],
    assertions: issuer === undefined ? undefined : { keyRing, issuer, clock, random },
    upstreams: gateway?.upstreams ?? createUpstreamStates(dependencies.otherProcesses),
    organizationOf: gateway?.organizationOf ?? createOrganizationOf(dependencies),
    memberships: gateway?.memberships ?? former?.ports.memberships ?? createMemberships(dependencies),
    deniedCalls: gateway?.deniedCalls ?? former?.ports.deniedCalls ?? createRateLimit(clock, DENIED_CALLS),
    unknownVisitors: former?.ports.unknownVisitors ?? createRateLimit(clock, UNKNOWN_VISITORS),
  };
  return { ...webApps, ports, servers: serversOf(webApps) };
}

/** Policies have the same servers, each with its own audiences: one of each is tended. */
function serversOf({ apps }: WebApps): readonly TrustedServer[] {
  const all = apps.flatMap(({ policies }) => policies.flatMap(({ servers }) => servers));
  return [...new Map(all.map((server) => [server.settings.wellKnownEndpoint, server])).values()];
}
