import type { AppConfiguration, McpAppConfiguration } from "../config/app-configuration.ts";
import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import type { Directory } from "../stores/directory.ts";

/** What an organization's API clients cannot be granted, as it belongs to the apps of others (D166). */
export interface OthersGrants {
  readonly scopes: ReadonlySet<string>;
  /** Audiences of tokens that the gateway itself exchanges for those apps, and that it takes for web apps. */
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
  const granting = apps.filter(isGranting);
  // Whose the others are says the configuration alone.
  const first = granting.some((app) => app.organization === undefined && !app.isShared)
    ? await firstOf(stores)
    : undefined;
  return grantsOfOthers(granting, organizationId, first);
}

/** An app for which tokens with scopes are asked for. */
type GrantingApp = McpAppConfiguration | WebAppConfiguration;

function isGranting(app: AppConfiguration): app is GrantingApp {
  return app.type !== "oidc";
}

async function firstOf(stores: GrantPorts["stores"]): Promise<string | undefined> {
  const first = firsts.get(stores) ?? (await stores.directory.firstOrganization())?.organizationId;
  if (first !== undefined) firsts.set(stores, first);
  return first;
}

/** @param first has the apps that name no organization; undefined: there is none yet */
function grantsOfOthers(apps: readonly GrantingApp[], organizationId: string, first: string | undefined): OthersGrants {
  const ownerOf = (app: GrantingApp) => app.organization ?? first ?? organizationId;
  const isOwn = (app: GrantingApp) => app.isShared === true || ownerOf(app) === organizationId;
  const [own, others] = [apps.filter(isOwn), apps.filter((app) => !isOwn(app))];
  const besides = (of: (app: GrantingApp) => readonly string[]): ReadonlySet<string> => {
    const ours = new Set(own.flatMap(of));
    return new Set(others.flatMap(of).filter((one) => !ours.has(one)));
  };
  return { scopes: besides(scopesOf), audiences: besides(audiencesOf) };
}

/** What the gateway checks, and what the API behind it does, with which tokens are exchanged. */
function scopesOf(app: GrantingApp): readonly string[] {
  if (app.type === "proxy") return app.policies.flatMap(({ bearer }) => bearer?.scopes ?? []);
  const { inboundTools, outbound } = app;
  const exchanged = outbound.type === "tokenExchange" ? outbound.tools : [];
  return [...inboundTools, ...exchanged].flatMap(({ scopes }) => scopes);
}

function audiencesOf(app: GrantingApp): readonly string[] {
  if (app.type === "proxy") return app.policies.flatMap(({ bearer }) => bearer?.audiences ?? []);
  return app.outbound.type === "tokenExchange" ? [app.outbound.audience] : [];
}
