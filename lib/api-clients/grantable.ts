import type { McpAppConfiguration } from "../config/app-configuration.ts";
import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { Directory } from "../stores/directory.ts";

/** What an organization's API clients cannot be granted, as it belongs to the apps of others (D166). */
export interface OthersGrants {
  readonly scopes: ReadonlySet<string>;
  /** Audiences of tokens that the gateway itself exchanges for those apps. */
  readonly audiences: ReadonlySet<string>;
}

interface GrantPorts {
  readonly configuration: () => Pick<ConfigurationSnapshot, "configuration">;
  readonly stores: { readonly directory: Pick<Directory, "firstOrganization"> };
}

/** The first organization of an instance never changes once there is one: no token request reads it again. */
const firsts = new WeakMap<GrantPorts["stores"], string>();

export async function othersGrants(
  { configuration, stores }: GrantPorts,
  organizationId: string,
): Promise<OthersGrants> {
  const { apps } = configuration().configuration;
  const mcp = apps.filter((app) => app.type === "mcpBridge" || app.type === "mcpProxy");
  // Whose the others are says the configuration alone.
  const first = mcp.some((app) => app.organization === undefined && !app.isShared) ? await firstOf(stores) : undefined;
  return grantsOfOthers(mcp, organizationId, first);
}

async function firstOf(stores: GrantPorts["stores"]): Promise<string | undefined> {
  const first = firsts.get(stores) ?? (await stores.directory.firstOrganization())?.organizationId;
  if (first !== undefined) firsts.set(stores, first);
  return first;
}

/** @param first has the apps that name no organization; undefined: there is none yet */
function grantsOfOthers(
  apps: readonly McpAppConfiguration[],
  organizationId: string,
  first: string | undefined,
): OthersGrants {
  const ownerOf = (app: McpAppConfiguration) => app.organization ?? first ?? organizationId;
  const isOwn = (app: McpAppConfiguration) => app.isShared === true || ownerOf(app) === organizationId;
  const [own, others] = [apps.filter(isOwn), apps.filter((app) => !isOwn(app))];
  const besides = (of: (app: McpAppConfiguration) => readonly string[]): ReadonlySet<string> => {
    const ours = new Set(own.flatMap(of));
    return new Set(others.flatMap(of).filter((one) => !ours.has(one)));
  };
  return { scopes: besides(scopesOf), audiences: besides(audiencesOf) };
}

/** What the gateway checks, and what the API behind it does, with which tokens are exchanged. */
function scopesOf({ inboundTools, outbound }: McpAppConfiguration): readonly string[] {
  const exchanged = outbound.type === "tokenExchange" ? outbound.tools : [];
  return [...inboundTools, ...exchanged].flatMap(({ scopes }) => scopes);
}

function audiencesOf({ outbound }: McpAppConfiguration): readonly string[] {
  return outbound.type === "tokenExchange" ? [outbound.audience] : [];
}
