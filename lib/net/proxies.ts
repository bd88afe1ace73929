import { networkMatcher, parseIpAddress } from "./networks.ts";
import { OutboundError } from "./outbound.ts";

/** The proxies of an environment: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, of which the names in lower case win. */
export interface Proxies {
  /** The URL of the proxy that a request to the URL goes through, undefined when it goes directly. */
  proxyOf(url: URL): string | undefined;
}

/**
 * Reads the proxies; undefined when the environment names none.
 * @throws OutboundError when a proxy is no http or https URL
 */
export function proxiesOf(environment: Readonly<Record<string, string | undefined>>): Proxies | undefined {
  const http = proxyUrl(environment, "HTTP_PROXY");
  const https = proxyUrl(environment, "HTTPS_PROXY");
  if (http === undefined && https === undefined) return undefined;
  const isExempt = exemptions(variable(environment, "NO_PROXY") ?? "");
  return {
    proxyOf: (url) => {
      const proxy = url.protocol === "https:" ? https : http;
      return proxy === undefined || isExempt(url) ? undefined : proxy;
    },
  };
}

/** A value without a scheme is a host with port, for example `proxy.example:3128`. Messages never show it: it may hold a password. */
function proxyUrl(environment: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const value = variable(environment, name);
  if (value === undefined) return undefined;
  const text = value.includes("://") ? value : `http://${value}`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new OutboundError(`${name} is not the URL of a proxy; accepted: http://HOST:PORT or https://HOST:PORT.`);
  }
  return new URL(text).href;
}

function variable(environment: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return environment[name.toLowerCase()] || environment[name] || undefined;
}

/**
 * `NO_PROXY`: entries with commas or spaces between, each `*`, a host name (with the names below it), `.` or `*.` and a
 * host name (only the names below it), an IP address or a network (CIDR); all but networks may end in `:PORT`. This
 * machine itself, `localhost` and loopback addresses, never needs an entry, nor do link-local ones and the metadata services
 * of clouds, which tell a proxy about the proxy's machine.
 */
function exemptions(text: string): (url: URL) => boolean {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  const rules = [isLocal, ...entries.map(exemption)];
  return ({ protocol, hostname, port }) => {
    const host = hostname.replace(/^\[|\]$|\.$/g, "").toLowerCase();
    return rules.some((rule) => rule(host, port || DEFAULT_PORTS[protocol] || ""));
  };
}

type Exemption = (host: string, port: string) => boolean;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function isLocal(host: string): boolean {
  if (host === "localhost" || host === "metadata.google.internal") return true;
  const range = parseIpAddress(host)?.range();
  return range === "loopback" || range === "linkLocal";
}

function exemption(entry: string): Exemption {
  const [, bracketed, name = "", onlyPort] = /^(?:\[([^\]]+)\]|([^:]*|.*:.*:.*))(?::(\d+))?$/.exec(entry) ?? [];
  const matches = hostExemption((bracketed ?? name).toLowerCase());
  return (host, port) => (onlyPort === undefined || onlyPort === port) && matches(host);
}

function hostExemption(entry: string): (host: string) => boolean {
  if (entry === "*") return () => true;
  const isInNetwork = networkMatcher([entry]);
  const suffix = entry.replace(/^\*?\.|^/, ".").replace(/(?<=.)\.$/, "");
  const isBelowOnly = /^\*?\./.test(entry);
  return (host) => {
    const address = parseIpAddress(host);
    if (address !== undefined) return isInNetwork(address);
    return host.endsWith(suffix) || (!isBelowOnly && `.${host}` === suffix);
  };
}
