import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { agentSideOf } from "../../lib/mcp/agent-side.ts";
import type { LiveSession, MethodContext } from "../../lib/mcp/caller.ts";
import { sessionOutlet } from "../../lib/mcp/sse/messages.ts";
import { readEnvelope } from "../../lib/mcp/stateless/envelope.ts";
import { type RpcRequest, readRpcMessage } from "../../lib/protocol/mcp/message.ts";
import { sessionHash } from "../../lib/protocol/mcp/session-id.ts";
import { readEvents } from "../behaviour/mcp/events.ts";
import { modern } from "../behaviour/mcp/stateless-fixture.ts";
import { callerOf, gatewayOf, SESSION } from "./carrying-out.ts";
import { type OpenGateway, openGateway } from "./open-gateway.ts";

const CALL: RpcRequest = { kind: "request", id: "one", method: "tools/call", params: { name: "a" } };
const OURSELVES = { name: "gateway", version: VERSION };

function contextOf(of: Partial<MethodContext> = {}, headers: Record<string, string> = {}): MethodContext {
  return {
    ...callerOf(new Request("https://gateway.test/mcp", { headers })),
    admissions: new Map(),
    logLevel: undefined,
    relay: vi.fn(),
    notify: vi.fn(),
    openAnswer: vi.fn(),
    hears: true,
    ...of,
  };
}

describe("an agent introduces itself to upstreams", () => {
  test("as in its handshake, in a session", () => {
    const { relay, openAnswer, ...context } = contextOf({ session: SESSION, logLevel: "info" });
    const agent = agentSideOf(CALL, { ...context, relay, openAnswer }, gatewayOf());
    expect(agent).toMatchObject({
      generation: "session",
      id: "one",
      protocolVersion: "2025-11-25",
      clientInfo: { name: "agent", version: "7" },
      clientCapabilities: { sampling: {} },
      logLevel: "info",
      session: SESSION,
      hearsRequests: true,
    });
    expect(agent.params()).toEqual({ name: "a" });
    expect([agent.relay, agent.openAnswer]).toEqual([relay, openAnswer]);
  });

  test("by each request, in the stateless generation", () => {
    const message = readRpcMessage(modern("tools/call", { name: "a" })) as RpcRequest;
    const envelope = readEnvelope(message);
    const agent = agentSideOf(message, contextOf({ envelope }), gatewayOf());
    expect(agent).toMatchObject({ generation: "stateless", protocolVersion: "2026-07-28", hearsRequests: false });
    expect(agent).toMatchObject({ clientInfo: envelope.clientInfo, clientCapabilities: envelope.clientCapabilities });
    const unnamed = agentSideOf(message, contextOf({ envelope: { ...envelope, clientInfo: undefined } }), gatewayOf());
    expect(unnamed.clientInfo).toEqual(OURSELVES);
  });

  test.each([
    ["2025-06-18", { "mcp-protocol-version": "2025-06-18" }],
    ["2025-03-26", {}],
  ])("as the gateway where no sessions are kept, with the revision %s", (protocolVersion, headers) => {
    expect(agentSideOf(CALL, contextOf({}, headers), gatewayOf())).toMatchObject({
      generation: "session",
      protocolVersion,
      clientInfo: OURSELVES,
      clientCapabilities: {},
      hearsRequests: false,
    });
  });
});

test("requests are heard by who holds a stream, where its answers find the way back", () => {
  const hears = (of: Partial<MethodContext>, gateway = gatewayOf()) =>
    agentSideOf(CALL, contextOf({ session: SESSION, ...of }), gateway).hearsRequests;
  expect(hears({})).toBe(true);
  expect(hears({ hears: false })).toBe(false);
  expect(hears({}, { ...gatewayOf(), sessionChannel: undefined })).toBe(false);
});

test("numbers that no double holds are forwarded as they were written", () => {
  const text = '{"jsonrpc":"2.0","id":"one","method":"tools/call","params":{"n":[12345678901234567890,1e400,0.5]}}';
  const message = readRpcMessage(JSON.parse(text)) as RpcRequest;
  const paramsIn = (of: Partial<MethodContext>) =>
    JSON.stringify(agentSideOf(message, contextOf(of), gatewayOf()).params());
  expect(paramsIn({ text })).toBe('{"n":[12345678901234567890,1e400,0.5]}');
  expect(paramsIn({})).toBe(JSON.stringify(message.params));
  const bare = '{"jsonrpc":"2.0","id":"one","method":"tools/list"}';
  const list = readRpcMessage(JSON.parse(bare)) as RpcRequest;
  expect(agentSideOf(list, contextOf({ text: bare }), gatewayOf()).params()).toEqual({});
});

describe("on the legacy transport", () => {
  let it: OpenGateway;
  beforeAll(async () => {
    it = await openGateway();
  });
  afterAll(() => it.close());

  test("what is forwarded goes out on the stream of the session, answers when they are whole", async () => {
    const events = readEvents(await it.send("/sse", { headers: { accept: "text/event-stream" } }));
    const id = new URL((await events.next())?.data ?? "", "https://gateway.test").searchParams.get("sessionId") ?? "";
    const reference = { sessionHash: sessionHash(id), principal: "" };
    const session: LiveSession = { ...SESSION, reference };
    const { request } = callerOf(new Request("https://gateway.test/messages"));
    const { outlet, sent } = sessionOutlet({ session, request }, it.dependencies);
    const answer = outlet.openAnswer(1);
    await answer.write(utf8('{"n":1234567890123'));
    outlet.relay({ jsonrpc: "2.0", id: "app/1", method: "sampling/createMessage" });
    await answer.write(utf8('4567890,"ü":1}'));
    answer.commit();
    await sent();
    expect(outlet.hears).toBe(true);
    expect(await events.message()).toMatchObject({ id: "app/1" });
    expect((await events.next())?.data).toBe('{"n":12345678901234567890,"ü":1}');
    await events.cancel();
  });
});
