import type { McpProviderConfiguration } from "../config/configuration.ts";

export interface OriginGuard {
  /**
   * Which of the request's `Host` and its `Origin`, if any, is neither ours nor allowed (checklist 22: DNS rebinding);
   * undefined when both are.
   */
  refused(request: Request): Verdict;
}

type Verdict = "Host" | "Origin" | undefined;

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export function createOriginGuard(
  publicURL: string,
  { allowedHosts, allowedOrigins }: Pick<McpProviderConfiguration, "allowedHosts" | "allowedOrigins">,
): OriginGuard {
  const own = new URL(publicURL);
  const hosts = new Set([...ownHosts(own), ...allowedHosts.map((host) => normalizedHost(host, own.protocol))]);
  const origins = new Set([
    ...ownHosts(own).map((host) => `${own.protocol}//${host}`),
    ...allowedOrigins.map((origin) => normalizedOrigin(origin.replace(/\/$/, ""))),
  ]);
  const judge = (url: string, origin: string | null): Verdict => {
    // A URL's host is in lower case and ASCII, and has no port that its scheme has anyway.
    const { host, hostname } = new URL(url);
    if (!hosts.has(host) && !hosts.has(hostname)) return "Host";
    if (origin === null) return undefined;
    // What a page without an origin of its own sends (`null`) is nobody's, whatever the configuration says.
    return origin !== "null" && origins.has(normalizedOrigin(origin)) ? undefined : "Origin";
  };
  // Nearly every request is like the one before, and the same is judged the same.
  let latest: { readonly url: string; readonly origin: string | null; readonly verdict: Verdict } | undefined;
  return {
    refused({ url, headers }) {
      const origin = headers.get("origin");
      if (latest?.url !== url || latest.origin !== origin) latest = { url, origin, verdict: judge(url, origin) };
      return latest.verdict;
    },
  };
}

/** A loopback address has several names, and none of them can be rebound from outside. */
function ownHosts({ host, hostname, port }: URL): string[] {
  if (!LOOPBACK.includes(hostname)) return [host];
  return LOOPBACK.map((name) => (port === "" ? name : `${name}:${port}`));
}

/** As the URL of a request writes it; `münchen.example` is `xn--mnchen-3ya.example` there. */
function normalizedHost(host: string, protocol: string): string {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url).host : host.toLowerCase();
}

/** Browsers write origins in this form already; schemes that are not the web's have no other (RFC 6454 §6.2). */
function normalizedOrigin(origin: string): string {
  const isOfTheWeb = /^https?:\/\/[^/?#@\\]+$/i.test(origin) && URL.canParse(origin);
  return isOfTheWeb ? new URL(origin).origin : origin.toLowerCase();
}
