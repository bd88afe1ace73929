import { tokenPrefix } from "../authorization-server/tokens/opaque.ts";
import type { McpProviderConfiguration } from "../config/configuration.ts";
import { createPolicies, type Policies } from "../config/policy-engines.ts";
import { META_TOOL_NAMES } from "../config/tool-names.ts";
import type { CallConnections } from "../connections/person-connections.ts";
import type { Connector } from "../connectors/connectors.ts";
import { type CatalogChanges, createCatalogChanges } from "../gateway/catalog-changes.ts";
import { type Credentials, createCredentials } from "../gateway/credentials/credentials.ts";
import { createTrustedServers, type TrustedServer } from "../gateway/inbound/trusted-servers.ts";
import { callableTools } from "../gateway/invoke-bridged.ts";
import { DENIED_CALLS } from "../gateway/limit-calls.ts";
import { createMemberships, type Memberships } from "../gateway/memberships.ts";
import { createOpenStreams, type OpenStreams } from "../gateway/open-streams.ts";
import { createOrganizationOf, type OrganizationOf } from "../gateway/organization.ts";
import { mcpProviderOf } from "../gateway/provider.ts";
import { createProxies, type Proxies } from "../gateway/proxied/proxies.ts";
import { isMetaTool } from "../gateway/search/meta-tools.ts";
import { createSearch, type Search } from "../gateway/search/search.ts";
import {
  bridgeApps,
  type CallableIndex,
  createToolIndex,
  documentVersions,
  mcpApps,
  proxyApps,
  scopesOf,
} from "../gateway/tool-index.ts";
import { createUpstreamStates, type UpstreamStates } from "../gateway/upstream-states.ts";
import { createRateLimit, type RateLimit } from "../kernel/rate-limit.ts";
import { createLimits, type Limits } from "../limits/limits.ts";
import { createResumptionRoom, type ResumptionRoom } from "../mcp/resumption-room.ts";
import { createSchemaCheck, type SchemaCheck } from "../openapi/validation.ts";
import { createInstancePins, type InstancePins } from "../pins/instance-pins.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { Dependencies } from "./dependencies.ts";

/** What the gateway's endpoints and every call share: made once for a configuration. */
export interface Gateway {
  readonly configuration: Dependencies["configuration"];
  readonly gatewaySettings: Dependencies["gatewaySettings"];
  readonly stores: Dependencies["stores"];
  readonly refusals: Dependencies["refusals"];
  readonly storeKeepsWrites: Dependencies["storeKeepsWrites"];
  readonly clock: Dependencies["clock"];
  readonly random: Dependencies["random"];
  readonly fetch: Dependencies["fetch"];
  readonly outbound: Dependencies["outbound"];
  readonly sessionChannel: Dependencies["sessionChannel"];
  readonly stopping: Dependencies["stopping"];
  readonly instanceStops: Dependencies["instanceStops"];
  readonly messageRoom: Dependencies["messageRoom"];
  readonly stateSecret: Dependencies["stateSecret"];
  readonly telemetry: Dependencies["telemetry"];
  readonly publicURL: string;
  /** Of the configuration that this is made for; undefined: it came with the instance. */
  readonly configRevision: number | undefined;
  readonly mcpProvider: McpProviderConfiguration;
  readonly tools: CallableIndex;
  /** Absent: every tool is listed. */
  readonly search: Search | undefined;
  readonly policies: Policies;
  readonly credentials: Credentials;
  /** Absent: no app needs accounts of people. */
  readonly connections: CallConnections | undefined;
  /** Every scope that some tool needs. */
  readonly scopes: readonly string[];
  readonly servers: readonly TrustedServer[];
  /** What every opaque token of this instance begins with; undefined where it issues none. */
  readonly ownTokenPrefix: string | undefined;
  /** Of the tokens that this instance issues; undefined where it issues none. */
  readonly ownIssuer: string | undefined;
  readonly check: SchemaCheck;
  readonly limits: Limits;
  readonly deniedCalls: RateLimit;
  readonly organizationOf: OrganizationOf;
  /** What is approved of tools, of each configuration anew: an app may pin tools from now on. */
  readonly pins: InstancePins;
  readonly webhooks: Webhooks | undefined;
  readonly memberships: Memberships;
  readonly upstreams: UpstreamStates;
  /** Bounds the sessions that one caller begins. */
  readonly sessionStarts: RateLimit;
  /** Bounds the streams that one caller holds open. */
  readonly openStreams: OpenStreams;
  readonly resumptionRoom: ResumptionRoom;
  readonly proxies: Proxies;
  /** The same for every configuration of the instance. */
  readonly catalogChanges: CatalogChanges;
}

/** A client begins a session when its user does something; a reconnecting fleet of one client id begins many at once. */
const SESSION_STARTS = { capacity: 100, perSecond: 10 };
/** At some 50 KB each; a fleet of one client id has one for each of its agents. */
const STREAMS_A_CALLER = 1_000;

/** What others of the instance use, too. */
interface GatewayParts {
  /** Where tokens are exchanged. */
  readonly connectors: readonly Connector[];
  /** Absent: nobody is told of anything. */
  readonly webhooks?: Webhooks | undefined;
}

/**
 * Throws where `mcpProvider` is not configured.
 *
 * @param former the one of the configuration before
 * @param connections accounts of people at providers; absent: no app needs them
 */
export function createGateway(
  dependencies: Dependencies,
  { connectors, webhooks }: GatewayParts,
  former?: Gateway,
  connections?: CallConnections,
): Gateway {
  const { configuration } = dependencies.configuration();
  const mcpProvider = mcpProviderOf(configuration);
  const { apps, oidcProvider, publicURL } = configuration;
  const { servers } = mcpProvider.oauth;
  const { gatewaySettings, stores, refusals, clock, random, fetch, outbound, sessionChannel, stopping, telemetry } =
    dependencies;
  const { storeKeepsWrites, messageRoom, stateSecret, instanceStops } = dependencies;
  const organizationOf = createOrganizationOf(dependencies);
  const ownIssuer = oidcProvider?.issuer;
  const people = connections && { connections, organizationOf, ownIssuer };
  const credentials = createCredentials(connectors, dependencies, people, former?.credentials);
  const check = createSchemaCheck();
  const upstreams = createUpstreamStates(dependencies.otherProcesses);
  const served = callableTools(createToolIndex(apps), { fetch, outbound, check, upstreams, credentials });
  const proxied = proxyApps(apps);
  const bridged = bridgeApps(apps);
  const search = createSearch(
    mcpProvider.catalog,
    { tools: served, apps: bridged },
    proxied.length > 0,
    former?.search,
  );
  const tools = search === undefined ? served : withoutMetaTools(served);
  const catalogChanges = former?.catalogChanges ?? createCatalogChanges();
  catalogChanges.serve(bridged, search?.above);
  return {
    configuration: dependencies.configuration,
    gatewaySettings,
    stores,
    refusals,
    storeKeepsWrites,
    clock,
    random,
    fetch,
    outbound,
    sessionChannel,
    stopping,
    instanceStops,
    messageRoom,
    stateSecret,
    telemetry,
    publicURL,
    configRevision: configuration.published?.revision,
    mcpProvider,
    tools,
    search,
    policies: createPolicies(mcpApps(apps), dependencies),
    credentials,
    connections,
    scopes: scopesOf(apps),
    servers: createTrustedServers(servers, oidcProvider, dependencies, former?.servers),
    ownIssuer,
    ownTokenPrefix: oidcProvider && tokenPrefix(oidcProvider.region),
    check,
    deniedCalls: former?.deniedCalls ?? createRateLimit(clock, DENIED_CALLS),
    limits: createLimits(configuration.limits, dependencies.limiter),
    organizationOf,
    pins: createInstancePins({ ...dependencies, organizationOf, webhooks }, documentVersions(served, apps)),
    webhooks,
    memberships: former?.memberships ?? createMemberships(dependencies),
    upstreams,
    openStreams: former?.openStreams ?? createOpenStreams(STREAMS_A_CALLER),
    resumptionRoom: former?.resumptionRoom ?? createResumptionRoom(),
    proxies: createProxies(proxied, dependencies, former?.proxies),
    sessionStarts: former?.sessionStarts ?? createRateLimit(clock, SESSION_STARTS),
    catalogChanges,
  };
}

/** Names that stand for all tools cannot be one's. The configuration refuses such a tool where it knows of it. */
function withoutMetaTools(tools: CallableIndex): CallableIndex {
  if (!META_TOOL_NAMES.some((name) => tools.has(name))) return tools;
  return new Map([...tools].filter(([name]) => !isMetaTool(name)));
}
