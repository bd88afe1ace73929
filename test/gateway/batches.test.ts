import { describe, expect, test } from "vitest";
import { RESOURCE } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();

async function send(messages: readonly unknown[], revision?: string): Promise<Response> {
  const token = await it.server.sign({ aud: RESOURCE, scope: "notes:read" });
  return it.gateway.send("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(revision !== undefined && { "mcp-protocol-version": revision }),
    },
    body: JSON.stringify(messages),
  });
}

const calls = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "getNote", arguments: { noteId: "1" } },
  }));

async function refused(response: Response): Promise<void> {
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
}

describe("a batch", () => {
  test.each([undefined, "2025-03-26"])("of the revision %j is served", async (revision) => {
    const response = await send(calls(2), revision);
    expect(response.status).toBe(200);
    expect((await response.text()).match(/Hello\./g)?.length).toBeGreaterThanOrEqual(2);
  });

  test.each(["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "", "2025-03-26, 2025-06-18"])(
    "of the revision %j is refused, and nothing of it runs",
    async (revision) => {
      const before = it.upstream.requests.length;
      await refused(await send(calls(1), revision));
      expect(it.upstream.requests).toHaveLength(before);
    },
  );

  test("has at most 20 messages", async () => {
    const response = await send(calls(20));
    expect(response.status).toBe(200);
    await response.text();
    const before = it.upstream.requests.length;
    await refused(await send(calls(21)));
    expect(it.upstream.requests).toHaveLength(before);
  });
});
