import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { createRateLimit, type RateLimit } from "../../kernel/rate-limit.ts";
import type { Logger } from "../../logging/logger.ts";
import { createSharedSessions } from "../../upstream/across-generations/shared-sessions.ts";
import { createCatalogs } from "../../upstream/catalog/catalogs.ts";
import { createGivenLinks, type GivenLinks } from "../../upstream/catalog/given-links.ts";
import type { ListKind } from "../../upstream/catalog/kinds.ts";
import { createIntroductions } from "../../upstream/channel/introductions.ts";
import { createGenerations } from "../../upstream/generations.ts";
import { createUpstreamGuard, type GuardPorts } from "../../upstream/guard/guard.ts";
import type { ProxyState, UpstreamPorts } from "../../upstream/upstream.ts";
import { isVisible, type VisibilityPorts } from "../decision/locate.ts";
import type { Identity } from "../identity.ts";
import { createToolTerms, type ToolTerms } from "../tool-terms.ts";

/** The apps that guard upstream MCP servers, and what their requests share. */
export interface Proxies extends ProxyState {
  /** In the order of the configuration. */
  readonly apps: readonly McpProxyAppConfiguration[];
  readonly termsOf: (app: McpProxyAppConfiguration, upstreamName: string) => ToolTerms;
  readonly hiddenNames: HiddenNames;
  /** How often lists are read on behalf of one principal because of names that they do not have. */
  readonly lookups: Pick<RateLimit, "take">;
  readonly givenLinks: GivenLinks;
}

/** Enough for clients that come with lists of their own, and for a list that grows; a caller that invents names gets one a second. */
const LOOKUPS = { capacity: 100, perSecond: 1 };

/** @param former those of the configuration before: what was learnt of upstreams stays known */
export function createProxies(
  apps: readonly McpProxyAppConfiguration[],
  ports: UpstreamPorts & GuardPorts,
  former?: Proxies,
): Proxies {
  const { clock, random, stores, sessionChannel, waitingCalls, upstreamConnections, stopping, telemetry } = ports;
  const { stateSecret, configuration } = ports;
  const terms = new Map(apps.map((app) => [app, createToolTerms(app)]));
  return {
    apps,
    clock,
    random,
    stores,
    sessionChannel,
    waitingCalls,
    upstreamConnections,
    stopping,
    telemetry,
    stateSecret,
    configuration,
    termsOf: (app, upstreamName) => terms.get(app)?.(upstreamName) ?? createToolTerms(app)(upstreamName),
    generations: former?.generations ?? createGenerations(clock),
    guard: former?.guard ?? createUpstreamGuard(ports),
    sharedSessions: former?.sharedSessions ?? createSharedSessions(clock),
    introductions: former?.introductions ?? createIntroductions(clock),
    hiddenNames: createHiddenNames(),
    lookups: former?.lookups ?? createRateLimit(clock, LOOKUPS),
    givenLinks: former?.givenLinks ?? createGivenLinks(),
    // What is offered of a list is the configuration's choice, so that lists are read anew with it.
    catalogs: createCatalogs(clock),
  };
}

/** What an app lists under a name that another app, which goes before it, has as well. */
export interface HiddenName {
  /** The app whose entry agents do not see. */
  readonly app: string;
  /** The app whose entry they see. */
  readonly behind: string;
  readonly name: string;
}

interface HiddenNames {
  /** Warns of what is hidden, once for each kind and two apps: lists are asked for again and again. */
  tell(kind: ListKind, hidden: readonly HiddenName[], logger: Logger): void;
}

/** As long as the configuration is the same. */
function createHiddenNames(): HiddenNames {
  const told = new Set<string>();
  return {
    tell: (kind, hidden, logger) => {
      for (const { app, behind, name } of hidden) {
        const pair = JSON.stringify([kind, app, behind]);
        if (told.has(pair)) continue;
        told.add(pair);
        const count = hidden.filter((other) => other.app === app && other.behind === behind).length;
        logger.warn("names of an app are another's, which goes before it", { kind, app, behind, count, example: name });
      }
    },
  };
}

/** The apps with upstream MCP servers that exist for an agent (D32), in the order of the configuration. */
export async function visibleProxies(
  identity: Identity | undefined,
  ports: VisibilityPorts & { readonly proxies: Pick<Proxies, "apps"> },
): Promise<readonly McpProxyAppConfiguration[]> {
  const { apps } = ports.proxies;
  const visible = await Promise.all(apps.map((app) => isVisible(app, identity, ports)));
  return apps.filter((_, index) => visible[index]);
}
