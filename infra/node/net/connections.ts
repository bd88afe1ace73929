import type { LookupFunction, Socket } from "node:net";
import { Agent, type buildConnector, Client, type Dispatcher, Dispatcher1Wrapper, Pool, ProxyAgent } from "undici";
import type { ConnectionConfiguration } from "../../../lib/config/app-configuration.ts";
import type { Proxies } from "../../../lib/net/proxies.ts";
import type { TlsOptions } from "./connection-tls.ts";
import { dispatchedFetch } from "./dispatched-fetch.ts";

/** Pooled connections with settings of their own. */
export interface Connections {
  readonly fetch: typeof globalThis.fetch;
  /** For requests that are sent as they are. */
  readonly dispatcher: Dispatcher;
  /** Closes them when the requests that run are done. */
  close(): Promise<void>;
}

export interface ConnectionSettings {
  readonly tls: TlsOptions;
  /** Absent: undici's own limits, which also end answers that are silent for five minutes. */
  readonly connection?: ConnectionConfiguration | undefined;
  /** HTTP/1.1 alone, as the platform's `fetch` speaks it. Absent: HTTP/2 where the server chooses it. */
  readonly isHttp1?: boolean;
  /** Resolves the names of servers that no proxy is asked for. Absent: as the operating system does. */
  readonly lookup?: LookupFunction;
}

/**
 * `fetch` on connections of undici. What is more than a text goes through Node's own `fetch`, so that forms stay those of the
 * platform. The settings apply to the target server, also behind a proxy. Connections to the proxy itself trust Node's
 * authorities.
 */
export function openConnections(settings: ConnectionSettings, proxies: Proxies | undefined): Connections {
  const { tls, connection, isHttp1 = false, lookup } = settings;
  const dialing = connection === undefined ? {} : dialingOf(connection);
  const versions = isHttp1 ? { allowH2: false } : {};
  const pools = { ...versions, ...(connection !== undefined && { factory: poolFactory(connection) }) };
  const direct = new Agent({ ...pools, connect: { ...tls, ...dialing, ...(lookup !== undefined && { lookup }) } });
  const proxied = new Map<string, ProxyAgent>();
  const through = (proxy: string) => {
    const agent =
      proxied.get(proxy) ??
      new ProxyAgent({ ...pools, uri: proxy, requestTls: { ...tls, ...dialing }, proxyTls: dialing });
    proxied.set(proxy, agent);
    return agent;
  };
  const routed = direct.compose(() => (options, handler) => {
    const proxy = proxies?.proxyOf(new URL(options.origin ?? ""));
    return (proxy === undefined ? direct : through(proxy)).dispatch(options, handler);
  });
  const dispatcher = proxies === undefined ? direct : routed;
  // Speaks to the fetch of every Node that we run on, whatever undici is in it.
  const wrapped = new Dispatcher1Wrapper(dispatcher);
  const platform: typeof fetch = (input, init) => fetch(input, withDispatcher(init, wrapped));
  return {
    fetch: dispatchedFetch(dispatcher, platform),
    dispatcher,
    close: async () => {
      await Promise.all([direct.close(), ...Array.from(proxied.values(), (agent) => agent.close())]);
    },
  };
}

/** Options for making connections. The operating system counts the keep-alive interval in seconds. */
function dialingOf({ dialTimeout, keepAliveInterval }: ConnectionConfiguration) {
  return {
    ...(dialTimeout !== undefined && { timeout: dialTimeout }),
    ...(keepAliveInterval !== undefined && { keepAliveInitialDelay: Math.ceil(keepAliveInterval / 1_000) * 1_000 }),
  };
}

/** An answer may be a stream that is silent for hours. The caller decides how long a call waits. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

function poolFactory(connection: ConnectionConfiguration): (origin: string | URL, options: object) => Dispatcher {
  const { maxIdleConns, maxIdleConnsPerHost } = connection;
  const isLimited = maxIdleConns !== undefined || maxIdleConnsPerHost !== undefined;
  const clients = isLimited ? { factory: limitedIdleClients(connection) } : {};
  return (origin, options) => new Pool(origin, { ...options, ...NO_TIMEOUTS, ...clients });
}

/** `dispatcher` is Node's own addition to fetch, and no part of the Web's types. */
function withDispatcher(init: RequestInit | undefined, dispatcher: Dispatcher): RequestInit {
  return { ...init, dispatcher } as RequestInit;
}

type Limits = Pick<ConnectionConfiguration, "maxIdleConns" | "maxIdleConnsPerHost">;

/** Makes the clients of a pool, each of which has one connection at a time; `options` are the pool's, with its `connect`. */
type ClientFactory = (origin: URL, options: object) => Dispatcher;

interface Connection {
  readonly host: string;
  /** Undefined until it connects first. */
  socket?: Socket;
}

/**
 * Clients that close idle connections beyond the limits. The number of busy connections is not limited. undici itself can only
 * limit both together, and then calls would wait for streams that are open for hours.
 */
function limitedIdleClients({ maxIdleConns = Infinity, maxIdleConnsPerHost = Infinity }: Limits): ClientFactory {
  /** In the order in which they were made. A pool uses the first free one, so the first ones stay. */
  const connections = new Map<Client, Connection>();

  function idle(): readonly Connection[] {
    for (const client of connections.keys()) if (client.destroyed) connections.delete(client);
    const free = [...connections].filter(([client]) => client.stats.connected && client.stats.size === 0);
    return free.map(([, connection]) => connection);
  }

  function closeSurplus(host: string): void {
    if (connections.size <= maxIdleConns && connections.size <= maxIdleConnsPerHost) return;
    const all = idle();
    const ofHost = all.filter((connection) => connection.host === host);
    const surplus = new Set([...ofHost.slice(maxIdleConnsPerHost), ...all.slice(maxIdleConns)]);
    // As undici does when a connection was idle for too long: its client connects again when it is needed.
    for (const { socket } of surplus) socket?.destroy();
  }

  return (origin, options) => {
    const { connect } = options as { readonly connect: buildConnector.connector };
    const connection: Connection = { host: origin.host };
    const client = new Client(origin, {
      ...options,
      connect: (target, done) =>
        connect(target, (...outcome) => {
          if (outcome[1] !== null) connection.socket = outcome[1];
          done(...outcome);
        }),
    });
    connections.set(client, connection);
    // Once the pool has given it what waits for a connection.
    const settle = () => queueMicrotask(() => closeSurplus(origin.host));
    return client.on("connect", settle).on("drain", settle);
  };
}
