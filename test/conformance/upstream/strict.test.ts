import { request as requestTo } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConformanceUpstream, startConformanceUpstream } from "./server.ts";

/** What a gateway must not send: the upstream refuses it, so that the conformance scenarios behind a gateway fail. */
let upstream: ConformanceUpstream;
beforeAll(async () => {
  upstream = await startConformanceUpstream();
});
afterAll(() => upstream.stop());

const POST = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

test("forms, hosts and credentials that are not to come are refused", async () => {
  const initialize = rpc("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} });

  expect(await status(initialize, POST)).toBe(200);
  expect(await status(initialize, { ...POST, accept: "application/json" })).toBe(406);
  expect(await status(initialize, { ...POST, "content-type": "text/plain" })).toBe(415);
  expect(await status(initialize, { ...POST, authorization: "Bearer the-agents" })).toBe(400);
  expect(await status(initialize, { ...POST, host: "evil.example" })).toBe(403);
  expect(await status(initialize, { ...POST, origin: "http://evil.example" })).toBe(403);
});

test("a session wants to be known, initialized and spoken to in its revision", async () => {
  const opened = await fetch(upstream.url, {
    method: "POST",
    headers: POST,
    body: JSON.stringify(rpc("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} })),
  });
  const session = { ...POST, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const version = { "mcp-protocol-version": "2025-11-25" };
  const list = rpc("tools/list");

  expect(await status(list, { ...session, ...version })).toBe(400);
  expect(await status({ jsonrpc: "2.0", method: "notifications/initialized" }, { ...session, ...version })).toBe(202);
  expect(await status(list, { ...session, ...version })).toBe(200);
  expect(await status(list, session)).toBe(400);
  expect(await status(list, { ...session, "mcp-protocol-version": "2025-06-18" })).toBe(400);
  expect(await status(list, { ...POST, ...version, "mcp-session-id": "of-nobody" })).toBe(404);
  expect(await status(list, { ...POST, ...version })).toBe(400);
  expect(await status({ jsonrpc: "2.0", id: 99, result: {} }, { ...session, ...version })).toBe(400);
});

test("a request without a session repeats itself in its headers, and has none", async () => {
  const call = rpc("tools/call", { name: "test_region", arguments: { region: "eu" }, _meta: META });
  const whole = {
    ...POST,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "test_region",
    "mcp-param-region": "eu",
  };
  const { "mcp-param-region": _, ...withoutParameter } = whole;

  expect(await status(call, whole)).toBe(200);
  expect(await status(call, withoutParameter)).toBe(400);
  expect(await status(call, { ...whole, "mcp-name": "test_other" })).toBe(400);
  expect(await status(call, { ...whole, "mcp-method": "tools/list" })).toBe(400);
  expect(await status(call, { ...whole, "mcp-session-id": "any" })).toBe(400);
});

function rpc(method: string, params: object = {}): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}

/** `fetch` would not send another `Host`. */
function status(message: object, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = requestTo(upstream.url, { method: "POST", headers }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode);
    });
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify(message));
  });
}
