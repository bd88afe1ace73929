import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionHash } from "../../../lib/protocol/mcp/session-id.ts";
import { type EventReader, readEvents } from "../../behaviour/mcp/events.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { eventually } from "../../support/eventually.ts";
import { ISSUER } from "../../support/in-process.ts";
import { type ProxyGateway, proxyGateway } from "./gateway.ts";
import { type Came, type OpenedStream, type SessionUpstream, startSessionUpstream } from "./session-upstream.ts";

/** An agent of the legacy transport, whose session is there before it says what it is and what it can be asked. */

const CAPABLE = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
const CLIENT = { name: "legacy", version: "1" };

let upstream: SessionUpstream;
let it: ProxyGateway;
beforeAll(async () => {
  upstream = await startSessionUpstream({
    said: { capabilities: { tools: {}, prompts: { listChanged: true } }, instructions: "Ask twice." },
    call: async ({ message: { id } }, stream) => {
      stream.send({ jsonrpc: "2.0", id: 7, method: "elicitation/create", params: {} });
      await came((message) => message.id === 7);
      stream.send({ jsonrpc: "2.0", id, result: { content: [] } });
      stream.end();
    },
  });
  it = await proxyGateway({ ledger: upstream.url });
});
afterAll(async () => {
  await it.close();
  await upstream.close();
});

/** The last message at the upstream that fits, once there is one. */
async function came(fits: (message: Came["message"]) => boolean): Promise<Came> {
  const find = async () => upstream.came.findLast(({ message }) => fits(message));
  return (await eventually(find, (found) => found !== undefined)) as Came;
}

interface LegacyAgent {
  readonly events: EventReader;
  readonly id: string;
  send(body: unknown): Promise<Response>;
  initialize(capabilities: object): Promise<unknown>;
}

async function connect(): Promise<LegacyAgent> {
  const events = readEvents(await it.send("/sse", { headers: { accept: "text/event-stream" } }));
  const messages = (await events.next())?.data ?? "";
  const headers = { "content-type": "application/json" };
  const send = (body: unknown) => it.send(messages, { method: "POST", headers, body: JSON.stringify(body) });
  return {
    events,
    id: new URL(messages, ISSUER).searchParams.get("sessionId") ?? "",
    send,
    initialize: async (capabilities) => {
      await send(request("initialize", { protocolVersion: "2024-11-05", capabilities, clientInfo: CLIENT }));
      return (await events.message())?.result;
    },
  };
}

/** The stream of the latest session at the upstream. */
async function streamAt(before: number): Promise<OpenedStream> {
  const opened = async () => upstream.streams[before];
  return (await eventually(opened, (found) => found !== undefined)) as OpenedStream;
}

test("introduces itself to administration and upstream, and hears and answers what that asks on the stream that is its session", async () => {
  const before = upstream.streams.length;
  const { events, id, send, initialize } = await connect();
  expect(await initialize(CAPABLE)).toMatchObject({ instructions: "Ask twice." });
  const record = await it.dependencies.stores.mcpSessions.get(sessionHash(id), it.clock.now());
  expect(record).toMatchObject({ clientInfo: CLIENT, clientCapabilities: CAPABLE });
  const { stream, session } = await streamAt(before);
  const began = await came(({ method }) => method === "initialize");
  expect(began.message.params).toMatchObject({ capabilities: CAPABLE, clientInfo: CLIENT });

  stream.send({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
  expect(await events.message()).toMatchObject({ method: "notifications/prompts/list_changed" });
  stream.send({ jsonrpc: "2.0", id: "q", method: "roots/list" });
  expect(await events.message()).toMatchObject({ id: 'ledger/"q"', method: "roots/list" });
  expect((await send({ jsonrpc: "2.0", id: 'ledger/"q"', result: { roots: [] } })).status).toBe(202);
  const answered = await came((message) => message.id === "q");
  expect(answered).toMatchObject({ session, message: { result: { roots: [] } } });

  await send(request("tools/call", { name: "ledger_ask" }, 23));
  expect(await events.message()).toMatchObject({ id: "ledger/7", method: "elicitation/create" });
  await send({ jsonrpc: "2.0", id: "ledger/7", result: { action: "decline" } });
  expect(await events.message()).toMatchObject({ id: 23, result: { content: [] } });
  await events.cancel();
  await eventually(async () => upstream.ended.includes(session ?? ""), Boolean);
});

test("is not asked what it said that it cannot do", async () => {
  const before = upstream.streams.length;
  const { events, initialize } = await connect();
  await initialize({ roots: {} });
  const { stream, session } = await streamAt(before);
  stream.send({ jsonrpc: "2.0", id: "s", method: "sampling/createMessage", params: {} });
  const refused = await came((message) => message.id === "s");
  expect(refused).toMatchObject({ session, message: { error: { code: -32601 } } });
  await events.cancel();
});

test("begins without a handshake, is asked nothing, and goes by the gateway's name until it says its own", async () => {
  const { events, id, send } = await connect();
  await send(request("tools/list", {}, 2));
  expect(await events.message()).toMatchObject({ id: 2, result: { tools: expect.any(Array) } });
  const began = await came(({ method }) => method === "initialize");
  expect(began.message.params).toMatchObject({ capabilities: {}, clientInfo: { name: "gateway" } });
  const record = await it.dependencies.stores.mcpSessions.get(sessionHash(id), it.clock.now());
  expect(record?.clientInfo).toEqual({ name: "", version: "" });
  await events.cancel();
});
