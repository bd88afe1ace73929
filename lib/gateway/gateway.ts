import { createSchemaCheck, type SchemaCheck } from "../bridge/validation.ts";
import type { McpProviderConfiguration } from "../config/configuration.ts";
import type { Connector } from "../connectors/connectors.ts";
import type { Dependencies, RequestContext } from "../dependencies.ts";
import type { JsonObject } from "../json.ts";
import type { AgentSide } from "../proxy/agent-side.ts";
import { createRateLimit, type RateLimit } from "../rate-limit.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import { tokenPrefix } from "../tokens/opaque.ts";
import { type CatalogChanges, createCatalogChanges } from "./catalog-changes.ts";
import { type Credentials, createCredentials } from "./credentials/credentials.ts";
import type { Identity } from "./identity.ts";
import { createTrustedServers, type TrustedServer } from "./inbound/trusted-servers.ts";
import { createOpenStreams, type OpenStreams } from "./open-streams.ts";
import { createOrganizationOf, type OrganizationOf } from "./organization.ts";
import { createPolicies, type Policies } from "./policies.ts";
import { mcpProviderOf } from "./provider.ts";
import { createProxies, type Proxies } from "./proxied/proxies.ts";
import { isMetaTool } from "./search/meta-tools.ts";
import { createSearch, type Search } from "./search/search.ts";
import { createToolIndex, mcpApps, proxyApps, scopesOf, type ToolIndex } from "./tool-index.ts";
import { createUpstreamStates, type UpstreamStates } from "./upstream-states.ts";

/** What the gateway's endpoints and every call share: made once for a configuration. */
export interface Gateway {
  readonly dependencies: Dependencies;
  readonly publicURL: string;
  readonly mcpProvider: McpProviderConfiguration;
  readonly tools: ToolIndex;
  /** Absent: every tool is listed. */
  readonly search: Search | undefined;
  readonly policies: Policies;
  readonly credentials: Credentials;
  /** Every scope that some tool needs. */
  readonly scopes: readonly string[];
  readonly servers: readonly TrustedServer[];
  /** What every opaque token of this instance begins with; undefined where it issues none. */
  readonly ownTokenPrefix: string | undefined;
  readonly check: SchemaCheck;
  readonly organizationOf: OrganizationOf;
  readonly upstreams: UpstreamStates;
  /** Bounds the sessions that one caller begins. */
  readonly sessionStarts: RateLimit;
  /** Bounds the streams that one caller holds open. */
  readonly openStreams: OpenStreams;
  readonly proxies: Proxies;
  /** The same for every configuration of the instance. */
  readonly catalogChanges: CatalogChanges;
}

/** A client begins a session when its user does something; a reconnecting fleet of one client id begins many at once. */
const SESSION_STARTS = { capacity: 100, perSecond: 10 };
/** At some 50 KB each; a fleet of one client id has one for each of its agents. */
const STREAMS_A_CALLER = 1_000;

/** What policies may learn of an HTTP request; nothing is read of it before. */
export type HttpFacts = Pick<Request, "method" | "url" | "headers">;

/** One `tools/call` of an agent. */
export interface ToolCall {
  /** As the agent sees it. */
  readonly name: string;
  readonly arguments: unknown;
  /** Called by way of `call_tool`: the agent knows of no output schema. */
  readonly isWrapped?: boolean;
  /** Undefined when the configuration asks for no authorization. */
  readonly identity: Identity | undefined;
  /** The access token that the identity was read from: only ever exchanged for another. */
  readonly token: string | undefined;
  readonly request: RequestContext;
  /** The HTTP request that it came with; policies may look at it. */
  readonly http: HttpFacts;
  /** Aborts when the agent gives up. */
  readonly signal: AbortSignal;
  /** What the session it belongs to is known by; absent: none. */
  readonly sessionId?: string | undefined;
  readonly reports: CallReports;
  /** Who calls, as an upstream MCP server learns of it. */
  readonly agent: AgentSide;
}

/** What the agent learns of a call while it goes on, if it asked for it. */
export interface CallReports {
  /** `progress` grows with each; `total` where it is known. */
  progress(report: { readonly progress: number; readonly total?: number; readonly message?: string }): void;
  /** @param logger the app */
  log(level: McpLogLevel, logger: string, data: JsonObject): void;
}

/** For calls that nobody listens to. */
export const NO_REPORTS: CallReports = {
  progress: () => undefined,
  log: () => undefined,
};

/**
 * Throws where `mcpProvider` is not configured.
 *
 * @param connectors where tokens are exchanged
 * @param former the one of the configuration before
 */
export function createGateway(dependencies: Dependencies, connectors: readonly Connector[], former?: Gateway): Gateway {
  const { configuration } = dependencies.configuration();
  const mcpProvider = mcpProviderOf(configuration);
  const { apps, oidcProvider, publicURL } = configuration;
  const { servers } = mcpProvider.oauth;
  const served = createToolIndex(apps);
  const proxied = proxyApps(apps);
  const search = createSearch(mcpProvider.catalog, served, proxied.length > 0, former?.search);
  const tools = search === undefined ? served : withoutMetaTools(served);
  const catalogChanges = former?.catalogChanges ?? createCatalogChanges();
  catalogChanges.serve(tools, search?.above);
  return {
    dependencies,
    publicURL,
    mcpProvider,
    tools,
    search,
    policies: createPolicies(mcpApps(apps), dependencies),
    credentials: createCredentials(connectors, dependencies, former?.credentials),
    scopes: scopesOf(tools, proxied),
    servers: createTrustedServers(servers, oidcProvider, dependencies, former?.servers),
    ownTokenPrefix: oidcProvider && tokenPrefix(oidcProvider.region),
    check: createSchemaCheck(),
    organizationOf: createOrganizationOf(dependencies),
    upstreams: createUpstreamStates(),
    openStreams: former?.openStreams ?? createOpenStreams(STREAMS_A_CALLER),
    proxies: createProxies(proxied, dependencies, former?.proxies),
    sessionStarts: former?.sessionStarts ?? createRateLimit(dependencies.clock, SESSION_STARTS),
    catalogChanges,
  };
}

/** Names that stand for all tools cannot be one's. The configuration refuses such a tool where it knows of it. */
function withoutMetaTools(tools: ToolIndex): ToolIndex {
  return new Map([...tools].filter(([name]) => !isMetaTool(name)));
}
