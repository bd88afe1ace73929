import { createSchemaCheck, type SchemaCheck } from "../bridge/validation.ts";
import type { McpProviderConfiguration } from "../config/configuration.ts";
import type { Dependencies, RequestContext } from "../dependencies.ts";
import { tokenPrefix } from "../tokens/opaque.ts";
import type { Identity } from "./identity.ts";
import { createTrustedServers, type TrustedServer } from "./inbound/trusted-servers.ts";
import { createOrganizationOf, type OrganizationOf } from "./organization.ts";
import { mcpProviderOf } from "./provider.ts";
import { createToolIndex, scopesOf, type ToolIndex } from "./tool-index.ts";
import { createUpstreamStates, type UpstreamStates } from "./upstream-states.ts";

/** What the gateway's endpoints and every call share: made once for a configuration. */
export interface Gateway {
  readonly dependencies: Dependencies;
  readonly publicURL: string;
  readonly mcpProvider: McpProviderConfiguration;
  readonly tools: ToolIndex;
  /** Every scope that some tool needs. */
  readonly scopes: readonly string[];
  readonly servers: readonly TrustedServer[];
  /** What every opaque token of this instance begins with; undefined where it issues none. */
  readonly ownTokenPrefix: string | undefined;
  /** Absolute address of the protected resource metadata. */
  readonly resourceMetadata: string;
  readonly check: SchemaCheck;
  readonly organizationOf: OrganizationOf;
  readonly upstreams: UpstreamStates;
}

/** One `tools/call` of an agent. */
export interface ToolCall {
  /** As the agent sees it. */
  readonly name: string;
  readonly arguments: unknown;
  /** Undefined when the configuration asks for no authorization. */
  readonly identity: Identity | undefined;
  readonly request: RequestContext;
  /** Aborts when the agent gives up. */
  readonly signal: AbortSignal;
}

/**
 * Throws where `mcpProvider` is not configured.
 *
 * @param former the one of the configuration before
 */
export function createGateway(dependencies: Dependencies, former?: Gateway): Gateway {
  const { configuration } = dependencies.configuration();
  const mcpProvider = mcpProviderOf(configuration);
  const { apps, oidcProvider, publicURL } = configuration;
  const { servers, metadataPath } = mcpProvider.oauth;
  const tools = createToolIndex(apps);
  return {
    dependencies,
    publicURL,
    mcpProvider,
    tools,
    scopes: scopesOf(tools),
    servers: createTrustedServers(servers, oidcProvider, dependencies, former?.servers),
    ownTokenPrefix: oidcProvider && tokenPrefix(oidcProvider.region),
    resourceMetadata: `${publicURL}${metadataPath}`,
    check: createSchemaCheck(),
    organizationOf: createOrganizationOf(dependencies),
    upstreams: createUpstreamStates(),
  };
}
