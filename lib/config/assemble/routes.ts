import { canonicalPath, isBelow } from "../../protocol/http/request-target.ts";
import { parseRoutePattern, type RoutePattern } from "../../reverse-proxy/routes.ts";
import type { Configuration } from "../configuration.ts";
import { CONNECT, OWN_PATHS, ownHosts, SIGNALS } from "../endpoints.ts";
import { connectsAccounts } from "../oauth-features.ts";
import type { Path } from "../path.ts";
import type { Problem } from "../rules/rule.ts";
import type { AppDocument, Shown, WebAppDocument } from "./context.ts";
import { ownPaths } from "./paths.ts";

/**
 * What is wrong with where web apps are reached, which only a known public URL tells: routes that nobody would ever get to, requests
 * that would come back here for ever, and pages for failures behind the app that fails.
 */
export function routeProblems(
  apps: readonly AppDocument[],
  configuration: Configuration,
  shown: Shown,
): readonly Problem[] {
  const instance = { configuration, shown, own: ownPaths(configuration), publicURL: new URL(configuration.publicURL) };
  return apps.flatMap((app, index) => (app.type === "proxy" ? appProblems(app, ["apps", index], instance) : []));
}

interface Instance {
  readonly configuration: Configuration;
  readonly shown: Shown;
  /** Who has each of our own paths. */
  readonly own: ReadonlyMap<string, string>;
  readonly publicURL: URL;
}

interface Route extends Required<RoutePattern> {
  readonly key: Path;
  readonly written: string;
}

function appProblems(app: WebAppDocument, path: Path, instance: Instance): readonly Problem[] {
  const routes = app.routePatterns.flatMap((written, at): readonly Route[] => {
    const route = parseRoutePattern(written);
    return route === undefined
      ? []
      : [{ host: instance.publicURL.host, ...route, key: [...path, "routePatterns", at], written }];
  });
  return [
    ...routes.flatMap((route) => hiddenProblems(route, instance)),
    ...loopProblems(app, path, routes),
    ...pageProblems(app, path, routes),
  ];
}

/** Our own paths always win. A route that has some of them below it is fine. */
function hiddenProblems(route: Route, { configuration, shown, own, publicURL }: Instance): readonly Problem[] {
  const { path, key, written } = route;
  const isOurs = [...ownHosts(configuration)].some((host) => isAt(route, new URL(`${publicURL.protocol}//${host}`)));
  const owner = isOurs ? (own.get(path) ?? ownerBelow(path, configuration)) : undefined;
  const hidden = owner ?? (isBelow(OWN_PATHS.slice(0, -1), path) ? "sign-in for web apps" : undefined);
  if (hidden === undefined) return [];
  const named = shown(key, written) === written ? path : "its path";
  return [{ path: key, message: `${named} belongs to ${hidden}, which always wins; accepted: another path or host` }];
}

function ownerBelow(path: string, configuration: Configuration): string | undefined {
  if (connectsAccounts(configuration) && isBelow(CONNECT, path)) return "connecting accounts";
  if (configuration.signals.length > 0 && isBelow(SIGNALS, path)) return "security events";
  if (!configuration.console.enabled) return undefined;
  if (isBelow("/api/v1", path)) return "the management API";
  return isBelow("/console", path) ? "the Console" : undefined;
}

/** The upstream is one of the app's own routes, seen from where requests come in. */
function loopProblems(app: WebAppDocument, path: Path, routes: readonly Route[]): readonly Problem[] {
  const upstream = new URL(app.upstream);
  const base = withoutTrailingSlash(upstream.pathname);
  const prefix = withoutTrailingSlash(app.stripPrefix ?? "");
  const goesTo = (route: Route) => canonicalPath(`${base}${route.path.slice(prefix.length)}` || "/");
  const comesBack = (target: ReturnType<typeof canonicalPath>) =>
    typeof target === "string" && routes.some((route) => isAt(route, upstream) && isBelow(route.path, target));
  if (!routes.some((route) => comesBack(goesTo(route)))) return [];
  const message = "is the app's own route: requests would go round for ever; accepted: another server";
  return [{ path: [...path, "upstream"], message }];
}

/** Whoever may not see the app may not see the page that says so either, and browsers would be sent there again. */
function pageProblems(app: WebAppDocument, path: Path, routes: readonly Route[]): readonly Problem[] {
  return (["unauthorizedPage", "errorPage"] as const).flatMap((key) => {
    const written = app[key];
    const page = written === undefined ? undefined : new URL(written);
    if (page === undefined || !routes.some((route) => isAt(route, page) && isBelow(route.path, page.pathname)))
      return [];
    return [{ path: [...path, key], message: "is a page of the app itself; accepted: a page that is not behind it" }];
  });
}

/** A host without a port stands for every port. */
function isAt({ host }: Route, { host: at, hostname }: URL): boolean {
  return host === at || host === hostname;
}

function withoutTrailingSlash(text: string): string {
  return text.endsWith("/") ? text.slice(0, -1) : text;
}
