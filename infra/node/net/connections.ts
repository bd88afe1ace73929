import { Agent, type Dispatcher, Dispatcher1Wrapper, ProxyAgent } from "undici";
import type { Proxies } from "../../../lib/net/proxies.ts";
import type { TlsOptions } from "./connection-tls.ts";

/** Pooled connections with settings of their own. */
export interface Connections {
  readonly fetch: typeof globalThis.fetch;
  /** Closes them when the requests that run are done. */
  close(): Promise<void>;
}

/**
 * Node's own `fetch` on connections of undici: answers and forms stay those of the platform. The settings are for the
 * server that is asked, also behind a proxy; connections to a proxy trust what Node trusts.
 */
export function openConnections(tls: TlsOptions, proxies: Proxies | undefined): Connections {
  const direct = new Agent({ connect: tls });
  const proxied = new Map<string, ProxyAgent>();
  const through = (proxy: string) => {
    const agent = proxied.get(proxy) ?? new ProxyAgent({ uri: proxy, requestTls: tls });
    proxied.set(proxy, agent);
    return agent;
  };
  const routed = direct.compose(() => (options, handler) => {
    const proxy = proxies?.proxyOf(new URL(options.origin ?? ""));
    return (proxy === undefined ? direct : through(proxy)).dispatch(options, handler);
  });
  // Speaks to the fetch of every Node that we run on, whatever undici is in it.
  const dispatcher = new Dispatcher1Wrapper(routed);
  return {
    fetch: (input, init) => fetch(input, withDispatcher(init, dispatcher)),
    close: async () => {
      await Promise.all([direct.close(), ...Array.from(proxied.values(), (agent) => agent.close())]);
    },
  };
}

/** `dispatcher` is Node's own addition to fetch, and no part of the Web's types. */
function withDispatcher(init: RequestInit | undefined, dispatcher: Dispatcher): RequestInit {
  return { ...init, dispatcher } as RequestInit;
}
