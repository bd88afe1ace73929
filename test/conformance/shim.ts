import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as requestTo, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Stands in for a client that has a token: the suite's scenarios bring none. */
export interface Shim {
  /** The target's path at another port. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Passes requests and answers on as they come, with the token added. `Host` and `Origin` stay what they are, but for the
 * shim's own address, which becomes the target's: whoever means another host is judged by the target.
 *
 * @param token by default nothing is added
 */
export async function startShim(target: string, token?: string): Promise<Shim> {
  const { host: targetHost, pathname } = new URL(target);
  const agent = new Agent({ keepAlive: false });
  const server = createServer((request, response) => {
    const headers = forwarded(request.rawHeaders, ownHost, targetHost);
    if (token !== undefined) headers.push("Authorization", `Bearer ${token}`);
    forward(request, response, new URL(request.url ?? "", target), { agent, headers });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const ownHost = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${ownHost}${pathname}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

interface Forwarding {
  readonly agent: Agent;
  readonly headers: readonly string[];
}

/** Whichever side goes away, the other one is told. */
function forward(request: IncomingMessage, response: ServerResponse, to: URL, { agent, headers }: Forwarding): void {
  const outgoing = requestTo(to, { method: request.method ?? "GET", agent, headers });
  outgoing.on("response", (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage ?? "", endToEnd(incoming.rawHeaders));
    response.flushHeaders();
    incoming.pipe(response);
    incoming.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  response.once("close", () => outgoing.destroy());
  request.pipe(outgoing);
}

function forwarded(rawHeaders: readonly string[], ownHost: string, targetHost: string): string[] {
  return endToEnd(rawHeaders).map((text) => {
    if (text === ownHost) return targetHost;
    return text === `http://${ownHost}` ? `http://${targetHost}` : text;
  });
}

/** Without what is about one connection (RFC 9110 §7.6.1); the body's framing is made anew by Node. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1 || ["connection", "keep-alive", "transfer-encoding"].includes(name.toLowerCase())) return [];
    return [name, rawHeaders[index + 1] ?? ""];
  });
}
