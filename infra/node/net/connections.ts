import { Agent, type Dispatcher, Dispatcher1Wrapper, Pool, ProxyAgent } from "undici";
import type { ConnectionConfiguration } from "../../../lib/config/app-configuration.ts";
import type { Proxies } from "../../../lib/net/proxies.ts";
import type { TlsOptions } from "./connection-tls.ts";
import { dispatchedFetch } from "./dispatched-fetch.ts";
import { limitedIdleClients } from "./idle-connections.ts";

/** Pooled connections with settings of their own. */
export interface Connections {
  readonly fetch: typeof globalThis.fetch;
  /** Closes them when the requests that run are done. */
  close(): Promise<void>;
}

export interface ConnectionSettings {
  readonly tls: TlsOptions;
  /** Absent: undici's own limits, which also end answers that are silent for five minutes. */
  readonly connection?: ConnectionConfiguration | undefined;
}

/**
 * Node's own `fetch` on connections of undici: answers and forms stay those of the platform. The settings are for the
 * server that is asked, also behind a proxy; connections to a proxy trust what Node trusts.
 */
export function openConnections({ tls, connection }: ConnectionSettings, proxies: Proxies | undefined): Connections {
  const dialing = connection === undefined ? {} : dialingOf(connection);
  const pools = connection === undefined ? {} : { factory: poolFactory(connection) };
  const direct = new Agent({ ...pools, connect: { ...tls, ...dialing } });
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
    fetch: connection === undefined ? platform : dispatchedFetch(dispatcher, platform),
    close: async () => {
      await Promise.all([direct.close(), ...Array.from(proxied.values(), (agent) => agent.close())]);
    },
  };
}

/** How connections are made. The operating system counts the silence before a probe in seconds. */
function dialingOf({ dialTimeout, keepAliveInterval }: ConnectionConfiguration) {
  return {
    ...(dialTimeout !== undefined && { timeout: dialTimeout }),
    ...(keepAliveInterval !== undefined && { keepAliveInitialDelay: Math.ceil(keepAliveInterval / 1_000) * 1_000 }),
  };
}

/** Answers may be streams that say nothing for hours: how long a call waits is for whoever makes it to decide. */
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
