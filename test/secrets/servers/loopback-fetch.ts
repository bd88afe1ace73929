import { Agent, buildConnector, Dispatcher1Wrapper } from "undici";

/** Ports on loopback of servers that stand in for others, by host. */
export type LoopbackHosts = Readonly<Record<string, number>>;

/**
 * A `fetch` that reaches the named hosts on loopback and nothing else. Names stay as they are in TLS and in the `Host`
 * header; certificates are verified against the authority.
 */
export function loopbackFetch(hosts: LoopbackHosts, authority: string): typeof globalThis.fetch {
  const connect = buildConnector({ ca: authority });
  const agent = new Agent({
    connect: ({ hostname, protocol, servername: _, ...options }, callback) => {
      const port = hosts[hostname];
      if (port === undefined) return callback(new Error(`${hostname} has no server on loopback`), null);
      const servername = protocol === "https:" ? { servername: hostname } : {};
      connect({ ...options, ...servername, protocol, hostname: "127.0.0.1", port: String(port) }, callback);
    },
  });
  const dispatcher = new Dispatcher1Wrapper(agent);
  return (input, init) => fetch(input, { ...init, dispatcher } as RequestInit);
}
