import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import { createSharedSessions } from "../../proxy/bridge/shared-sessions.ts";
import { createCatalogs } from "../../proxy/catalog/catalogs.ts";
import { createIntroductions } from "../../proxy/channel/introductions.ts";
import { createGenerations } from "../../proxy/generations.ts";
import { createUpstreamGuard } from "../../proxy/guard/guard.ts";
import type { ProxyState } from "../../proxy/upstream.ts";
import type { ToolTerms } from "../tool-index.ts";
import { createToolTerms } from "../tool-terms.ts";
import { createHiddenNames, type HiddenNames } from "./hidden-names.ts";

/** The apps that guard upstream MCP servers, and what their requests share. */
export interface Proxies extends ProxyState {
  /** In the order of the configuration. */
  readonly apps: readonly McpProxyAppConfiguration[];
  readonly termsOf: (app: McpProxyAppConfiguration, upstreamName: string) => ToolTerms;
  readonly hiddenNames: HiddenNames;
}

/** @param former those of the configuration before: what was learnt of upstreams stays known */
export function createProxies(
  apps: readonly McpProxyAppConfiguration[],
  dependencies: Dependencies,
  former?: Proxies,
): Proxies {
  const { clock } = dependencies;
  const terms = new Map(apps.map((app) => [app, createToolTerms(app)]));
  return {
    apps,
    dependencies,
    termsOf: (app, upstreamName) => terms.get(app)?.(upstreamName) ?? createToolTerms(app)(upstreamName),
    generations: former?.generations ?? createGenerations(clock),
    guard: former?.guard ?? createUpstreamGuard(dependencies),
    sharedSessions: former?.sharedSessions ?? createSharedSessions(clock),
    introductions: former?.introductions ?? createIntroductions(clock),
    hiddenNames: createHiddenNames(),
    // What is offered of a list is the configuration's choice, so that lists are read anew with it.
    catalogs: createCatalogs(clock),
  };
}
