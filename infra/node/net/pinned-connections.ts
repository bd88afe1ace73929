import { isIP, isIPv6, type LookupFunction, type Socket } from "node:net";
import { Agent, buildConnector, Dispatcher1Wrapper, Pool } from "undici";
import { NOT_PUBLIC } from "../../../lib/net/agent-supplied.ts";
import { OutboundError } from "../../../lib/net/outbound.ts";
import type { Proxies } from "../../../lib/net/proxies.ts";
import { isPublicAddress } from "../../../lib/net/public-address.ts";

/**
 * For tests, which have no public server. Only these parameters change the connections, and every check of address and name
 * stays.
 */
export interface AgentSuppliedOptions {
  /** The addresses of a name; those that the operating system finds unless given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Where connections go once the addresses of a name have been accepted. */
  readonly connectTo?: { readonly host: string; readonly port: number };
  /** Trusted in place of the public authorities, PEM. */
  readonly ca?: string;
}

export interface PinnedConnections {
  readonly fetch: typeof globalThis.fetch;
}

export interface PinnedOptions extends AgentSuppliedOptions {
  readonly resolve: NonNullable<AgentSuppliedOptions["resolve"]>;
  /** Through these, if a host has one. Absent: directly. */
  readonly proxies?: Proxies | undefined;
}

/**
 * Connections to public addresses alone, whatever a name resolves to. A proxy is asked for the address that was checked, and never for
 * the name, which it would resolve again, in its own network (D223).
 */
export function openPinnedConnections({ resolve, connectTo, ca, proxies }: PinnedOptions): PinnedConnections {
  const connector = buildConnector({
    lookup: checkedLookup(resolve, connectTo?.host),
    timeout: CONNECT_TIMEOUT,
    ...(ca !== undefined && { ca }),
  });
  const tunnels = proxyTunnels();
  const agent = new Agent({
    connect: (options, callback) => {
      const { protocol, host = "", hostname } = options;
      const proxy = proxies?.proxyOf(new URL(`${protocol}//${host}`));
      if (proxy === undefined) {
        connector({ ...options, ...(connectTo !== undefined && { port: String(connectTo.port) }) }, callback);
        return;
      }
      const tunnel = checkedAddresses(hostname, resolve).then((addresses) => tunnels.open(proxy, addresses));
      tunnel.then(
        (httpSocket) => connector({ ...options, httpSocket }, callback),
        (error: Error) => callback(error, null),
      );
    },
    // Agents choose the servers, so few connections stay open.
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    connections: CONNECTIONS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  // Speaks to the fetch of every Node that we run on, whatever undici is in it.
  const dispatcher = new Dispatcher1Wrapper(agent);
  return { fetch: (input, init) => fetch(input, { ...init, dispatcher } as RequestInit) };
}

/** If one address of a name is not public, the name is refused. */
async function checkedAddresses(host: string, resolve: PinnedOptions["resolve"]): Promise<readonly string[]> {
  const literal = host.replace(/^\[|\]$/g, "");
  const addresses = isIP(literal) === 0 ? await resolve(host) : [literal];
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return addresses;
  throw new OutboundError(`The address ${NOT_PUBLIC}.`);
}

/** Node connects to the addresses of this lookup. */
function checkedLookup(resolve: PinnedOptions["resolve"], instead: string | undefined): LookupFunction {
  return (hostname, options, callback) => {
    const accepted = checkedAddresses(hostname, resolve);
    const used = accepted.then((addresses) => (instead === undefined ? addresses : [instead]));
    used.then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, options.all === true ? [] : "", 0),
    );
  };
}

/** Opens tunnels to addresses through proxies (RFC 9110 §9.3.6). A proxy that refuses is not gone around. */
function proxyTunnels() {
  const pools = new Map<string, Pool>();
  const poolOf = (proxy: string) => {
    const known = pools.get(proxy);
    // An answer to CONNECT has no end of its own.
    const pool =
      known ?? new Pool(new URL(proxy).origin, { connectTimeout: CONNECT_TIMEOUT, headersTimeout: CONNECT_TIMEOUT });
    pools.set(proxy, pool);
    return pool;
  };

  async function opened(proxy: string, address: string): Promise<Socket> {
    const target = `${isIPv6(address) ? `[${address}]` : address}:443`;
    const headers = { host: target, ...credentialsOf(new URL(proxy)) };
    const { socket, statusCode } = await poolOf(proxy).connect({ path: target, headers });
    if (statusCode === 200) return socket as Socket;
    socket.on("error", () => undefined).destroy();
    throw new OutboundError(`The proxy answered ${statusCode} for the address of the host.`);
  }

  return {
    /** The first address that the proxy reaches, those of IPv4 first. @throws {OutboundError} */
    async open(proxy: string, addresses: readonly string[]): Promise<Socket> {
      const ordered = [...addresses].sort((one, other) => Number(isIPv6(one)) - Number(isIPv6(other)));
      let failure: unknown;
      for (const address of ordered.slice(0, MAX_TRIES)) {
        try {
          return await opened(proxy, address);
        } catch (error) {
          failure = error;
        }
      }
      // undici repeats a request for ever whose connection fails with some of its own errors.
      throw failure instanceof OutboundError
        ? failure
        : new OutboundError("The proxy cannot be reached.", { cause: failure });
    },
  };
}

/** RFC 7617. Both parts are escaped in a URL. */
function credentialsOf({ username, password }: URL): { readonly "proxy-authorization"?: string } {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

const MAX_TRIES = 3;
/** Milliseconds. */
const CONNECT_TIMEOUT = 5_000;
const KEEP_ALIVE = 1_000;
/** To one origin at a time. */
const CONNECTIONS = 4;
const MAX_HEADER_BYTES = 16_384;
