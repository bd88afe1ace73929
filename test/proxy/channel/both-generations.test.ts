import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "../../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { type ProxyGateway, proxyGateway } from "./gateway.ts";
import { type Came, type Json, listening, listOf } from "./session-upstream.ts";

const SESSION_CAPABILITIES = { tools: { listChanged: true }, resources: {} };
const STATELESS_CAPABILITIES = { tools: {}, resources: {}, extensions: { "com.example/x": {} } };
const ASKING = { content: [], inputRequests: { a: { method: "roots/list" } }, requestState: "raw state" };

/** A server that speaks both generations, or that of sessions alone, and refuses what it does not know with a status. */
function server(isBoth: boolean) {
  return listening(async (incoming) => {
    if (incoming.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params } = JSON.parse(await incoming.text()) as Came["message"];
    const isStateless = incoming.headers.get("mcp-protocol-version") === "2026-07-28";
    if (isStateless && !isBoth) return new Response("Bad Request", { status: 400 });
    const result = (value: Json, headers = {}) =>
      Response.json(
        { jsonrpc: "2.0", id, result: isStateless ? { resultType: "complete", ...value } : value },
        { headers },
      );
    if (id === undefined) return new Response(null, { status: 202 });
    const list = listOf(method);
    if (list !== undefined) return result(list);
    if (method === "server/discover")
      return result({ supportedVersions: ["2026-07-28"], capabilities: STATELESS_CAPABILITIES });
    if (method === "initialize") {
      const serverInfo = { name: "both", version: "1" };
      const said = { protocolVersion: "2025-11-25", capabilities: SESSION_CAPABILITIES, serverInfo };
      return result(said, { "mcp-session-id": "s" });
    }
    if (method === "tools/call" && params?.name === "ask") return result(ASKING);
    if (method === "tools/call") return result({ ...ASKING, content: [{ type: "text", text: "x".repeat(600_000) }] });
    return new Response("Bad Request", { status: 400 });
  });
}

let both: Awaited<ReturnType<typeof server>>;
let old: Awaited<ReturnType<typeof server>>;
beforeAll(async () => {
  [both, old] = await Promise.all([server(true), server(false)]);
});
afterAll(() => Promise.all([both.close(), old.close()]));

async function withGateway(url: string, work: (it: ProxyGateway) => Promise<void>): Promise<void> {
  const it = await proxyGateway({ ledger: url });
  try {
    await work(it);
  } finally {
    await it.close();
  }
}

test("each generation of agents gets the capabilities that the server has in it, whoever came first", async () => {
  const stateless = async (it: ProxyGateway) =>
    (await it.ask(modern("server/discover"), modernHeaders("server/discover"))).result?.capabilities;
  const session = async (it: ProxyGateway) => (await it.open()).said.capabilities;
  await withGateway(both.url, async (it) => {
    expect(await stateless(it)).toMatchObject({ extensions: { "com.example/x": {} } });
    expect(await session(it)).toMatchObject({ tools: { listChanged: true } });
    expect(await session(it)).not.toHaveProperty("extensions");
  });
  await withGateway(both.url, async (it) => {
    expect(await session(it)).not.toHaveProperty("extensions");
    expect(await stateless(it)).toMatchObject({ extensions: { "com.example/x": {} } });
    expect(await stateless(it)).not.toMatchObject({ tools: { listChanged: true } });
  });
});

test.each([
  ["both", "a method that the server never declared", "completion/complete"],
  ["old", "a method that the server never declared", "completion/complete"],
])("of a server of %s, %s is not found", async (which, _what, method) => {
  await withGateway(which === "both" ? both.url : old.url, async (it) => {
    const params = { ref: { type: "ref/prompt", name: "ledger_a" }, argument: { name: "x", value: "" } };
    const { headers } = await it.open();
    const answer = await it.post(request(method, params), headers);
    expect(answer.status).toBe(200);
    expect(await it.ask(request(method, params), headers)).toMatchObject({ error: { code: -32_601 } });
    await it.ask(modern("server/discover"), modernHeaders("server/discover"));
    const alone = await it.post(modern(method, params), modernHeaders(method));
    expect(alone.status).toBe(404);
    expect(await alone.json()).toMatchObject({ error: { code: -32_601 } });
  });
});

test.each(["ask", "pay"])(
  "30. a server of the session generation hands out no state by its result of %s",
  async (tool) => {
    await withGateway(old.url, async (it) => {
      const call = { name: `ledger_${tool}`, arguments: {} };
      const { headers } = await it.open();
      for (const answer of [
        await it.post(request("tools/call", call), headers),
        await it.post(modern("tools/call", call), { ...modernHeaders("tools/call"), "mcp-name": call.name }),
      ]) {
        const { text, isWhole } = await received(answer);
        expect(text).not.toContain("raw state");
        // A long one has begun before its state is read, and breaks off there.
        expect(isWhole).toBe(tool === "ask");
        if (isWhole) expect(JSON.parse(text).result.content[0].text).toContain("asked for input in its result");
      }
    });
  },
);

async function received(response: Response): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, isWhole: true };
  } catch {
    return { text, isWhole: false };
  }
}
