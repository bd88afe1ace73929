import type { AuthorizationServerPorts } from "../authorization-server/ports.ts";
import type { Configuration } from "../config/configuration.ts";
import { ownHosts } from "../config/endpoints.ts";
import type { PolicyConfiguration } from "../config/policy-engines.ts";
import type { WebAppConfiguration, WebPolicyConfiguration } from "../config/web-app-configuration.ts";
import type { ServerPorts } from "../gateway/inbound/authorization-server.ts";
import type { TrustedServer } from "../gateway/inbound/trusted-servers.ts";
import { foldedName } from "../protocol/http/field-names.ts";
import type { Forward } from "../reverse-proxy/forward.ts";
import { createLocations, type Located } from "../reverse-proxy/locations.ts";
import type { ClientFields } from "../reverse-proxy/request-headers.ts";
import { createRouteTable, type RouteTable } from "../reverse-proxy/routes.ts";
import type { Cookies } from "./attempt.ts";
import { programServers } from "./program.ts";

/** An app of the configuration, ready for requests. */
export interface WebApp {
  readonly settings: WebAppConfiguration;
  /** Which policy a canonical path has; undefined: none. */
  readonly locate: (path: string, method: string) => Located | undefined;
  /** In the order of `settings.policies`. */
  readonly policies: readonly WebPolicy[];
  /** Where requests go; `path` is without trailing slash. */
  readonly upstream: { readonly url: URL; readonly origin: string; readonly path: string };
  /** Names, folded, of the headers that only we may set. */
  readonly ownHeaders: ReadonlySet<string>;
  readonly forward: Forward;
}

export interface WebPolicy {
  readonly settings: WebPolicyConfiguration;
  /** Some check of it reads the path: one that an upstream could read in another way would be judged by the wrong one. */
  readonly readsPath: boolean;
  /** Whose tokens it takes. */
  readonly servers: readonly TrustedServer[];
}

/** A request for a web app, read once: what is matched, what policies see and what is sent are these texts. */
export interface WebRequest {
  readonly request: Request;
  /** Its headers, where the runtime has them quicker. */
  readonly fields?: ClientFields | undefined;
  readonly cookies: Cookies;
  /** As the client named it, in lower case. */
  readonly host: string;
  /** Canonical. */
  readonly path: string;
  /** Empty, or with its `?`. */
  readonly query: string;
  /** It asks for a WebSocket (RFC 6455). */
  readonly isSocket?: boolean;
}

/** The web apps of one state of the configuration. */
export interface WebApps {
  /** The host belongs to web apps alone: nothing else of the instance is served there. */
  readonly isAppHost: (host: string) => boolean;
  /** The app that a canonical path belongs to on a host. */
  readonly find: (host: string, path: string) => WebApp | undefined;
  readonly apps: readonly WebApp[];
  /** Bytes of the longest body that some app takes. */
  readonly longestBody: number;
}

export interface WebAppsPorts extends ServerPorts, OwnTokenPorts {
  readonly forward: (tls?: string) => Forward;
}

type OwnTokenPorts = Pick<AuthorizationServerPorts, "stores" | "clock" | "configuration" | "keyRing" | "clientIds">;

/**
 * Undefined: the configuration has none.
 *
 * @param known servers of tokens of which something was learnt
 */
export function createWebApps(
  configuration: Configuration,
  ports: WebAppsPorts,
  known: readonly TrustedServer[] = [],
): WebApps | undefined {
  const settings = webAppsOf(configuration);
  if (settings.length === 0) return undefined;
  const learnt = [...known];
  const apps = settings.map((app) => createWebApp(app, configuration, ports, learnt));
  const byName = new Map(apps.map((app) => [app.settings.name, app]));
  const table = routeTableOf(configuration);
  return {
    isAppHost: table.isAppHost,
    find: (host, path) => byName.get(table.find(host, path) ?? ""),
    apps,
    longestBody: Math.max(...settings.map(({ maxBody }) => maxBody)),
  };
}

export function webAppsOf({ apps }: Pick<Configuration, "apps">): readonly WebAppConfiguration[] {
  return apps.filter((app) => app.type === "proxy");
}

/** Which app a host and a path belong to, by its name. */
export function routeTableOf(
  configuration: Pick<Configuration, "apps" | "publicURL" | "oidcProvider" | "console">,
): RouteTable {
  const { port } = new URL(configuration.publicURL);
  return createRouteTable(webAppsOf(configuration), ownHosts(configuration), port);
}

/** Which policy of an app a canonical path and a method have. */
export function locatorOf({ policies }: Pick<WebAppConfiguration, "policies">): WebApp["locate"] {
  return createLocations(policies.map((policy) => ({ ...policy, isOpen: policy.allowUnauthenticated })));
}

/** @param learnt grows with each policy's servers, so that the next one shares what they know */
function createWebApp(
  settings: WebAppConfiguration,
  configuration: Configuration,
  ports: WebAppsPorts,
  learnt: TrustedServer[],
): WebApp {
  const { policies, headers, assertion, upstream, tls } = settings;
  const url = new URL(upstream);
  const { origin, pathname } = url;
  const own = [...headers.map((header) => header.name), ...(assertion === undefined ? [] : [assertion.header])];
  return {
    settings,
    locate: locatorOf(settings),
    policies: policies.map((policy) => {
      const servers = programServers(policy, configuration, ports, learnt);
      learnt.push(...servers);
      return { settings: policy, servers, readsPath: policyReadsPath(policy) };
    }),
    upstream: { url, origin, path: pathname.replace(/\/$/, "") },
    ownHeaders: new Set(own.map(foldedName)),
    forward: ports.forward(tls),
  };
}

/** Whether some check of a policy reads the path of a request. */
export function policyReadsPath({ policies }: Pick<WebPolicyConfiguration, "policies">): boolean {
  return policies.some(readsPath);
}

/** Servers are shown it. An expression that does not name it does not read it. */
function readsPath(check: PolicyConfiguration): boolean {
  return check.engine === "opa" || (check.engine === "cel" && /path|http\s*[^.\s]/.test(check.expression));
}
