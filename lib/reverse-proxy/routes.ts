import { canonicalPath } from "../protocol/http/request-target.ts";
import { createPathTree, type PathTree } from "./path-tree.ts";

/** Where an app is reached: one entry of `routePatterns`. */
export interface RoutePattern {
  /** In lower case, with its port where one is written; absent: the host of the instance itself. */
  readonly host?: string;
  /** Canonical, without a trailing slash unless it is `/`. */
  readonly path: string;
}

/** A name of DNS or an IPv4 address, or an IPv6 address in brackets; then perhaps a port (RFC 3986 §3.2). */
const HOST = /^(?<name>[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?<port>:[1-9]\d{0,4})?$/;

/**
 * Reads `/path`, `host`, or `host/path`, each host with or without a port.
 *
 * @returns undefined when it is none of them, or has a path that requests are refused for
 */
export function parseRoutePattern(text: string): RoutePattern | undefined {
  const slash = text.indexOf("/");
  const path = canonicalPath(slash === -1 ? "/" : text.slice(slash));
  if (typeof path !== "string") return undefined;
  const location = { path: path === "/" ? path : path.replace(/\/$/, "") };
  if (slash === 0) return location;
  const host = parseHost((slash === -1 ? text : text.slice(0, slash)).toLowerCase());
  return host === undefined ? undefined : { host, ...location };
}

/** As the URL Standard writes it, which is how a request's host is compared. */
function parseHost(text: string): string | undefined {
  const { name = "", port = "" } = HOST.exec(text)?.groups ?? {};
  if (name === "" || !URL.canParse(`http://${name}${port}`)) return undefined;
  const { hostname } = new URL(`http://${name}`);
  // What it rewrites is another host than the one that was written, say `1.2` or `0x7f.1`.
  return name.startsWith("[") || hostname === name ? `${hostname}${port}` : undefined;
}

/** Which app a request is for. */
export interface RouteTable {
  /** The host belongs to apps, and is not one of the instance's own. */
  readonly isAppHost: (host: string) => boolean;
  /**
   * The app whose pattern fits best: first by host (with its port, without it, the instance's own), then by the longest path.
   *
   * @param host in lower case, with its port where there is one
   * @param path canonical
   */
  readonly find: (host: string, path: string) => string | undefined;
}

/**
 * @param apps of two equal patterns the first counts
 * @param ownHosts hosts of the instance itself, in lower case, with their ports
 * @param port of the instance, which a pattern without one is about, too; empty: that of the scheme
 */
export function createRouteTable(
  apps: readonly { readonly name: string; readonly routes: readonly RoutePattern[] }[],
  ownHosts: ReadonlySet<string>,
  port: string,
): RouteTable {
  const own = createPathTree<string>();
  const hosts = new Map<string, PathTree<string>>();
  for (const { name, routes } of apps) {
    for (const { host, path } of routes) {
      const tree = host === undefined ? own : (hosts.get(host) ?? createPathTree<string>());
      if (host !== undefined) hosts.set(host, tree);
      tree.put(path, name);
    }
  }
  return {
    isAppHost: (host) => !ownHosts.has(host) && (hosts.has(host) || hosts.has(withoutPort(host))),
    find: (host, path) =>
      hosts.get(host)?.downTo(path).at(-1) ??
      (isAtPort(host, port) ? hosts.get(withoutPort(host))?.downTo(path).at(-1) : undefined) ??
      (ownHosts.has(host) ? own.downTo(path).at(-1) : undefined),
  };
}

/** Clients leave out the port of the scheme; one of their own choice would end up in links. */
function isAtPort(host: string, port: string): boolean {
  const [, named = ""] = /:(\d+)$/.exec(host) ?? [];
  return named === port;
}

/** The name or address of a host as requests name it. */
export function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}
