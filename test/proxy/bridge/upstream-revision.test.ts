import { expect, test } from "vitest";
import { SESSION_REVISIONS } from "../../../lib/protocol/mcp/revisions.ts";
import { sseProxy } from "../sse/proxy.ts";
import { SAID, withSSEServer } from "../sse/sse-server.ts";
import { testProxy } from "./agent.ts";
import { sessionServer, statelessServer } from "./servers.ts";

const ECHO = { name: "echo", arguments: {} };

type Fetch = typeof globalThis.fetch;

/** A server that begins sessions of a revision of its choice, and leaves everything else to another. */
function answeringWith(protocolVersion: string, others: Fetch) {
  const asked: string[] = [];
  const ended: (string | null)[] = [];
  const fetch: Fetch = async (input, init) => {
    const { id, method = init?.method } = JSON.parse(String(init?.body ?? "{}"));
    asked.push(method);
    if (init?.method === "DELETE") ended.push(new Headers(init.headers).get("mcp-session-id"));
    if (method !== "initialize") return others(input, init);
    const result = { protocolVersion, capabilities: {}, serverInfo: { name: "x", version: "1" } };
    return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": "begun" } });
  };
  return { fetch, asked, ended };
}

test.each(["1999-01-01", "2026-07-28", ""])("a session of the revision %j is left at once", async (revision) => {
  const { fetch, asked, ended } = answeringWith(revision, sessionServer().fetch);
  const failure = await testProxy(fetch)
    .inSession(ECHO, {})
    .catch((cause: unknown) => cause);
  expect(failure).toMatchObject({
    reason: "other_revision",
    message: `The upstream answered initialize with a revision of MCP that is not accepted here; accepted: ${SESSION_REVISIONS.join(", ")}.`,
  });
  expect(asked).not.toContain("tools/call");
  expect(asked).not.toContain("notifications/initialized");
  expect(ended).toContain("begun");
});

test("a server that serves the generation without sessions as well is spoken to in that", async () => {
  const { fetch } = answeringWith("2026-07-28", statelessServer().fetch);
  expect(await testProxy(fetch).inSession(ECHO, {})).toMatchObject({ result: { content: [{ text: "{}" }] } });
});

const legacy = withSSEServer();

test("a connection of the legacy transport with such a revision is closed", async () => {
  legacy.said = { ...SAID, protocolVersion: "1999-01-01" };
  const proxy = sseProxy(() => legacy.url);
  await expect(proxy.send()).rejects.toMatchObject({ reason: "other_revision" });
  expect(legacy.posts.map(({ message }) => message.method)).toEqual(["initialize"]);
  await legacy.streams[0]?.closed;
});
