import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { eventually } from "../../support/eventually.ts";
import { proxyGateway } from "../channel/gateway.ts";
import { type Came, listening, listOf } from "../channel/session-upstream.ts";

const TIMES = 200;
const TOGETHER = 10;

/** A server with sessions whose calls run until they are cancelled, which it does not know after its session is over. */
async function startSlowServer() {
  const running = new Set<string>();
  const sessions = new Set<string>();
  let begun = 0;
  const { url, close } = await listening(async (incoming) => {
    const session = incoming.headers.get("mcp-session-id") ?? "";
    if (incoming.method === "DELETE") {
      sessions.delete(session);
      return new Response(null, { status: 204 });
    }
    if (incoming.method !== "POST" || incoming.headers.get("mcp-protocol-version") === "2026-07-28")
      return new Response(null, { status: 405 });
    const { id, method } = JSON.parse(await incoming.text()) as Came["message"];
    const list = listOf(method);
    if (list !== undefined) return Response.json({ jsonrpc: "2.0", id, result: list });
    if (method === "initialize") {
      const own = `session-${++begun}`;
      sessions.add(own);
      const serverInfo = { name: "slow", version: "1" };
      const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
      return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": own } });
    }
    if (!sessions.has(session)) return new Response(null, { status: 404 });
    if (method === "tools/call") {
      running.add(session);
      return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    }
    if (method === "notifications/cancelled") {
      // Others get their turn, as in a server that looks something up first.
      await pause(1);
      if (sessions.has(session)) running.delete(session);
    }
    return new Response(null, { status: 202 });
  });
  return { url, close, running, sessions, begun: () => begun };
}

test("a call of an agent without session that is cancelled stops at a server with sessions, before its session is left", async () => {
  const server = await startSlowServer();
  const it = await proxyGateway({ ledger: server.url }, undefined, { shareable: false });
  const call = { name: "ledger_a", arguments: {} };
  const headers = { ...modernHeaders("tools/call"), "mcp-name": call.name };
  try {
    for (let done = 0; done < TIMES; done += TOGETHER) {
      const agents = Array.from({ length: TOGETHER }, () => new AbortController());
      const answers = agents.map(({ signal }) =>
        it.post(modern("tools/call", call), headers, signal).then(
          (response) => response.body?.cancel(),
          () => undefined,
        ),
      );
      await eventually(
        async () => server.running.size,
        (count) => count === TOGETHER,
      );
      for (const agent of agents) agent.abort();
      await Promise.all(answers);
      const left = await eventually(
        async () => [server.running.size, server.sessions.size],
        ([, sessions]) => sessions === 0,
      );
      expect(left).toEqual([0, 0]);
    }
  } finally {
    await it.close();
    await server.close();
  }
});
