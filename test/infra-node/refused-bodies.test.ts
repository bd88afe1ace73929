import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Application } from "../../functions/routes.ts";
import { type HttpServer, listen } from "../../infra/node/http/listen.ts";
import { readBody } from "../../lib/protocol/http/read-body.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { listenerOf } from "./listener.ts";

const LIMIT = 64 * 1024;

let server: HttpServer;
let agent: Agent;
let port: number;
let reached: boolean;
let gate: PromiseWithResolvers<void>;

/** Refuses bodies as endpoints do; `/unread` looks at none, `/slow` answers when the gate is open. */
const application: Application = async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/slow") {
    reached = true;
    await gate.promise;
    return new Response("slow");
  }
  if (pathname === "/unread") return new Response("unread", { status: 413 });
  const body = await readBody(request, LIMIT);
  return new Response(String(body?.byteLength), { status: body === undefined ? 413 : 200 });
};

beforeEach(async () => {
  // The timers of what serves, not those of the connections.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  port = await freePort();
  [reached, gate] = [false, Promise.withResolvers()];
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  server = await listen({ ...LISTENER, port }, listenerOf(application));
});
afterEach(async () => {
  vi.useRealTimers();
  agent.destroy();
  await server.drain(0);
});

test.each([
  ["/", 70_000],
  // Small enough to be whole behind whoever reads no more of it, large enough to be more than he takes.
  ["/", 180_000],
  ["/", 1_000_000],
  ["/", 10_000_000],
  ["/unread", 1_000_000],
])(
  "the connection on which %s refused a chunked body of %i bytes is not closed under a later request",
  async (path, length) => {
    const first = await post(path, length);
    expect([first.status, await first.body]).toEqual([413, expect.any(String)]);
    const next = post("/slow", 0);
    await expect.poll(() => reached).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    gate.resolve();
    const second = await next;
    expect([second.status, await second.body, second.connection]).toEqual([200, "slow", first.connection]);
  },
);

test("of a refused body that goes on and on, the rest is not read for ever", async () => {
  const sent = request({ agent, port, host: "127.0.0.1", method: "POST", path: "/" });
  const closed = Promise.withResolvers<void>();
  sent.on("close", closed.resolve).on("error", () => undefined);
  sent.on("response", (response) => response.resume().on("error", () => undefined));
  const piece = Buffer.alloc(1024 * 1024);
  const send = () => sent.write(piece, (error) => error ?? send());
  send();
  await closed.promise;
});

interface Answered {
  readonly status: number | undefined;
  readonly body: Promise<string>;
  /** The client's port: another one is another connection. */
  readonly connection: number | undefined;
}

/** Sends a body in chunks. */
async function post(path: string, length: number): Promise<Answered> {
  const sent = request({ agent, port, host: "127.0.0.1", method: "POST", path });
  const answered = once(sent, "response");
  const piece = Buffer.alloc(1_000);
  for (let at = 0; at < length; at += piece.length) sent.write(piece);
  sent.end();
  const [response]: [IncomingMessage] = (await answered) as [IncomingMessage];
  return { status: response.statusCode, connection: response.socket.localPort, body: text(response) };
}
