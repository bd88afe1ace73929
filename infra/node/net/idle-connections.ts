import type { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher } from "undici";
import type { ConnectionConfiguration } from "../../../lib/config/app-configuration.ts";

type Limits = Pick<ConnectionConfiguration, "maxIdleConns" | "maxIdleConnsPerHost">;

/** Makes the clients of a pool, each of which has one connection at a time; `options` are the pool's, with its `connect`. */
export type ClientFactory = (origin: URL, options: object) => Dispatcher;

interface Connection {
  readonly host: string;
  /** Undefined until it connects first. */
  socket?: Socket;
}

/**
 * Clients whose idle connections are closed where there are more than the limits allow. Busy ones are as many as there are
 * requests: undici itself can only limit the two together, and a limit of that kind would make calls wait for streams
 * that are open for hours.
 */
export function limitedIdleClients({ maxIdleConns = Infinity, maxIdleConnsPerHost = Infinity }: Limits): ClientFactory {
  /** In the order in which they were made: a pool uses the first that is free, so that the first are those to keep. */
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
