import { afterAll, beforeAll, expect, test } from "vitest";
import { type InProcess, ISSUER, START, startInProcess } from "../support/in-process.ts";

const HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

let gateway: InProcess;

beforeAll(async () => {
  const session = { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 };
  gateway = await startInProcess({
    configuration: {
      mcpProvider: {
        serverName: "Gateway",
        stream: { path: "/mcp", resource: `${ISSUER}/mcp`, session },
        sse: { path: "/sse", messagePath: "/messages", resource: `${ISSUER}/sse`, timeout: 3_600_000 },
        oauth: { enabled: false, metadataPath: "/.well-known/oauth-protected-resource", servers: [] },
        allowedOrigins: [ISSUER],
        allowedHosts: ["us.example"],
      },
    },
  });
});
afterAll(() => gateway.close());

function post(message: unknown, address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...(message as object) });
  return gateway.send("/mcp", { method: "POST", headers: { ...HEADERS, ...headers }, body }, address);
}

function initialize(address: string): Promise<Response> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  return post({ method: "initialize", params }, address);
}

/** Begins sessions until one is refused. Returns how many were begun, and the refusal. */
async function exhaust(address: string): Promise<{ readonly begun: number; readonly refusal: Response }> {
  for (let begun = 0; ; begun++) {
    const answer = await initialize(address);
    if (answer.status !== 200) return { begun, refusal: answer };
  }
}

test("who begins sessions without end is told to wait, and nobody else is", async () => {
  const working = (await initialize("192.0.2.1")).headers.get("mcp-session-id") ?? "";
  const { begun, refusal } = await exhaust("192.0.2.2");
  expect(begun).toBe(100);
  expect(refusal.status).toBe(429);
  expect(refusal.headers.get("retry-after")).toBe("1");
  expect(await refusal.json()).toMatchObject({ id: 1, error: { message: expect.stringContaining("too fast") } });
  expect((await initialize("192.0.2.3")).status).toBe(200);
  expect((await post({ method: "ping" }, "192.0.2.1", { "Mcp-Session-Id": working })).status).toBe(200);
  const stream = await gateway.send("/sse", { headers: { Accept: "text/event-stream" } }, "192.0.2.2");
  expect(stream.status).toBe(429);
});

test("after the time that it was told, it may again", async () => {
  await exhaust("192.0.2.4");
  gateway.clock.set(START + 1_000);
  expect((await exhaust("192.0.2.4")).begun).toBe(10);
});

test("a handshake that is refused counts for nothing", async () => {
  for (let index = 0; index < 200; index++) {
    expect((await post({ method: "initialize", params: {} }, "192.0.2.5")).status).toBe(200);
  }
  expect((await exhaust("192.0.2.5")).begun).toBe(100);
});

test("who has a whole network of addresses is one caller", async () => {
  let begun = 0;
  for (let index = 0; index < 150; index++) {
    if ((await initialize(`2001:db8:0:7::${index.toString(16)}`)).status === 200) begun += 1;
  }
  expect(begun).toBe(100);
  expect((await initialize("2001:db8:0:8::1")).status).toBe(200);
});
