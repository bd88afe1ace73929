import { MANAGEMENT_SCOPES, managementAudience } from "../api-clients/audiences.ts";
import type { McpAppConfiguration } from "../config/app-configuration.ts";
import type { Configuration } from "../config/configuration.ts";
import { mcpEndpoints } from "../config/endpoints.ts";
import { createOrganizationOf } from "../gateway/organization.ts";
import { mcpApps, scopesOfApp } from "../gateway/tool-index.ts";
import { trialTarget } from "../gateway/trial.ts";
import { VERSION } from "../kernel/version.ts";
import type { ManagementPorts } from "./ports.ts";
import type { Instance } from "./schemas/instance.ts";

/** Built once a configuration; the result tells what an organization's members need to know of the instance. */
export function createInstanceDescription(
  dependencies: Pick<ManagementPorts, "configuration" | "stores">,
): (organizationId: string) => Promise<Instance> {
  const { configuration } = dependencies.configuration();
  const fixed = describe(configuration);
  const organizationOf = createOrganizationOf(dependencies);
  let scopes: ScopesByApp | undefined;
  return async (organizationId) => {
    scopes ??= scopesByApp(configuration);
    const own: string[] = [];
    for (const [app, needed] of scopes) if ((await organizationOf(app)) === organizationId) own.push(...needed);
    const tools = [...new Set(own)].sort();
    return {
      ...fixed,
      scopes: [
        ...MANAGEMENT_SCOPES.map((scope) => ({ scope, kind: "management" as const, ...descriptionOf(scope) })),
        ...tools.map((scope) => ({ scope, kind: "tool" as const })),
      ],
      isFirstOrganization: (await organizationOf({})) === organizationId,
    };
  };
}

type ScopesByApp = ReadonlyMap<McpAppConfiguration, readonly string[]>;

/** Not before somebody asks: to look at all tools is work. */
function scopesByApp({ apps }: Configuration): ScopesByApp {
  return new Map(mcpApps(apps).map((app) => [app, scopesOfApp(app)]));
}

function describe(configuration: Configuration): Omit<Instance, "scopes" | "isFirstOrganization"> {
  const { publicURL, oidcProvider, mcpProvider, console } = configuration;
  const endpoints = mcpProvider === undefined ? [] : mcpEndpoints(mcpProvider);
  const trialURL = trialTarget(configuration)?.url;
  return {
    version: VERSION,
    ...(oidcProvider !== undefined && {
      region: oidcProvider.region,
      issuer: oidcProvider.issuer,
      tokenEndpoint: oidcProvider.endpoints.token,
    }),
    managementAudience: managementAudience(configuration),
    mcpURLs: endpoints.map(({ path }) => `${publicURL}${path}`),
    ...(trialURL !== undefined && { trialURL }),
    ...(console.traceURL !== undefined && { traceURL: console.traceURL }),
    resources: [...new Set(endpoints.map(({ resource }) => resource))].map((url) => ({ url, name: "MCP" })),
    regions: console.regions,
    ...(console.documentationURL !== undefined && { documentationURL: console.documentationURL }),
  };
}

function descriptionOf(scope: string): { readonly description?: string } {
  const description = DESCRIPTIONS[scope];
  return description === undefined ? {} : { description };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "audit:read": "Read and export the organization's audit log",
  "deployments:publish": "Publish configurations for the whole instance",
  "sessions:read": "List the live MCP sessions of the organization's agents",
  "sessions:write": "End MCP sessions of the organization's agents",
  "stops:read": "List what is stopped",
  "stops:write": "Suspend, resume, and end tokens and sessions",
  "tools:read": "List the organization's tools and the state of their upstreams",
};
