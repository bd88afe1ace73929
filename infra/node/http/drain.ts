import type { Server, ServerResponse } from "node:http";
import type { Connections } from "./connections.ts";

/** Milliseconds between two looks at what still runs. */
const LOOK_INTERVAL = 50;
/** Milliseconds for a connection that has sent nothing to bring its request. */
const UNUSED_GRACE = 1_000;
/** Milliseconds for the end of an event stream to leave. */
const LAST_WORDS = 250;

/**
 * Stops accepting, lets running requests finish and closes every connection after its last answer. Event streams of GET
 * requests and WebSockets end at once, because they would never finish.
 * @param within milliseconds after which running requests are cut off
 * @returns the number of requests that were cut off
 */
export async function drain(server: Server, connections: Connections, within: number): Promise<number> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const startedAt = performance.now();
  server.prependListener("request", (_incoming, outgoing) => announceEnd(outgoing));
  const look = () => {
    for (const response of connections.running) {
      announceEnd(response);
      connections.sockets.get(response)?.end();
      // A stream that was asked for to hear of whatever comes; the answer to a POST has an end of its own.
      if (response.req.method === "GET" && connections.streams.has(response)) response.end();
    }
    if (performance.now() - startedAt >= Math.min(UNUSED_GRACE, within)) closeUnused(connections);
    server.closeIdleConnections();
  };
  look();
  const looking = setInterval(look, LOOK_INTERVAL);
  let cut = 0;
  const ending = setTimeout(() => {
    cut = [...connections.running].length;
    for (const response of connections.running) if (connections.streams.has(response)) response.end();
    setTimeout(() => closeAll(server, connections), cut > 0 ? LAST_WORDS : 0);
  }, within);
  await closed;
  clearInterval(looking);
  clearTimeout(ending);
  return cut;
}

/** Tells the client that the connection accepts no further request. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}

/** The server itself does not count connections that became something else. */
function closeAll(server: Server, { sockets }: Connections): void {
  server.closeAllConnections();
  for (const socket of sockets.values()) socket.destroy();
}

function closeUnused({ unused }: Connections): void {
  for (const socket of unused()) socket.destroy();
}
