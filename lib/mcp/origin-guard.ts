import type { McpProviderConfiguration } from "../config/configuration.ts";

export interface OriginGuard {
  /** Both the request's `Host` and its `Origin`, if any, are ours or allowed (checklist 22: DNS rebinding). */
  isAllowed(request: Request): boolean;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export function createOriginGuard(
  publicURL: string,
  { allowedHosts, allowedOrigins }: McpProviderConfiguration,
): OriginGuard {
  const own = new URL(publicURL);
  const hosts = new Set([...ownHosts(own), ...lowerCased(allowedHosts)]);
  const origins = new Set([...ownHosts(own).map((host) => `${own.protocol}//${host}`), ...lowerCased(allowedOrigins)]);
  return {
    isAllowed(request) {
      const { host, hostname } = new URL(request.url);
      const origin = request.headers.get("origin");
      const hostAllowed = hosts.has(host) || hosts.has(hostname);
      return hostAllowed && (origin === null || origins.has(origin.toLowerCase()));
    },
  };
}

/** A loopback address has several names, and none of them can be rebound from outside. */
function ownHosts({ host, hostname, port }: URL): string[] {
  if (!LOOPBACK.includes(hostname)) return [host];
  return LOOPBACK.map((name) => (port === "" ? name : `${name}:${port}`));
}

function lowerCased(values: readonly string[]): string[] {
  return values.map((value) => value.toLowerCase().replace(/\/$/, ""));
}
