import type { McpAppConfiguration } from "../config/app-configuration.ts";
import type { Configuration } from "../config/configuration.ts";

/** What an organization's API clients cannot be granted, as it belongs to the apps of others (D166). */
export interface OthersGrants {
  readonly scopes: ReadonlySet<string>;
  /** Audiences of tokens that the gateway itself exchanges for those apps. */
  readonly audiences: ReadonlySet<string>;
}

/**
 * @param first the instance's first organization, which has the apps that name none; undefined: those are not judged
 */
export function othersGrants(
  { apps }: Pick<Configuration, "apps">,
  organizationId: string,
  first: string | undefined,
): OthersGrants {
  const mcp = apps.filter((app) => app.type !== "oidc");
  const ownerOf = (app: McpAppConfiguration) => app.organization ?? first ?? organizationId;
  const isOwn = (app: McpAppConfiguration) => app.isShared === true || ownerOf(app) === organizationId;
  const [own, others] = [mcp.filter(isOwn), mcp.filter((app) => !isOwn(app))];
  const besides = (of: (app: McpAppConfiguration) => readonly string[]): ReadonlySet<string> => {
    const ours = new Set(own.flatMap(of));
    return new Set(others.flatMap(of).filter((one) => !ours.has(one)));
  };
  return { scopes: besides(scopesOf), audiences: besides(audiencesOf) };
}

function scopesOf({ inboundTools }: McpAppConfiguration): readonly string[] {
  return inboundTools.flatMap(({ scopes }) => scopes);
}

function audiencesOf({ outbound }: McpAppConfiguration): readonly string[] {
  return outbound.type === "tokenExchange" ? [outbound.audience] : [];
}
