import { describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { auditOutcome, type Headers } from "../gateway-fixture.ts";
import { SESSION_HEADER } from "./configuration.ts";
import { answerTo, type Message, messagesOf } from "./events.ts";
import type { McpUnderTest } from "./fixture.ts";
import { notification, openSession, post, request } from "./session.ts";
import { modern, modernHeaders, type Params, sendModern } from "./stateless-fixture.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const LIST = modernHeaders("tools/list");

/** The generation in which each request tells everything about itself (MCP 2026-07-28). */
export function stateless(it: () => McpUnderTest, { streams }: { readonly streams: boolean }): void {
  describe("the stateless generation", () => {
    const ask = (method: string, params?: Params, id?: string | number) =>
      sendModern(it().us, it().agent.stream, method, params, id);
    const send = (body: unknown, headers: Headers) => post(it().us, body, { ...it().agent.stream, ...headers });
    const errorOf = async (response: Response) => ((await response.json()) as Message).error;

    test("discovers what is served, with no session on either side", async () => {
      const response = await ask("server/discover", {}, 0);
      expect(response.status).toBe(200);
      expect(response.headers.get(SESSION_HEADER)).toBeNull();
      expect(await answerTo(response, 0)).toEqual({
        jsonrpc: "2.0",
        id: 0,
        result: {
          resultType: "complete",
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: streams ? { listChanged: true } : {}, logging: {} },
          ttlMs: expect.any(Number),
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": expect.objectContaining({ version: expect.any(String) }) },
        },
      });
    });

    test("ignores a session that comes along", async () => {
      const headers = { ...LIST, [SESSION_HEADER]: "nonsense", "last-event-id": "1" };
      expect((await send(modern("tools/list"), headers)).status).toBe(200);
    });

    test("every result says that it is complete and whose it is; only lists and discovery may be kept", async () => {
      const listed = (await answerTo(await ask("tools/list"))).result;
      expect(listed).toMatchObject({ resultType: "complete", ttlMs: expect.any(Number), cacheScope: "private" });
      const called = (await answerTo(await ask("tools/call", { name: "upstream_listTags", arguments: {} }))).result;
      expect(called).toMatchObject({ resultType: "complete", content: [{ text: '["a","b"]' }] });
      for (const member of ["ttlMs", "cacheScope"]) expect(called).not.toHaveProperty(member);
      for (const result of [listed, called]) {
        expect(result?._meta).toHaveProperty(["io.modelcontextprotocol/serverInfo", "name"]);
      }
    });

    test.each([
      "initialize",
      "ping",
      "logging/setLevel",
      "resources/subscribe",
      "prompts/list",
      "resources/read",
      "completion/complete",
      "tasks/get",
      "no/such",
      "",
    ])("knows no %s: 404 and -32601, with the id", async (method) => {
      const response = await ask(method, {}, "mine");
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ id: "mine", error: { code: -32601 } });
    });

    test.each([
      ["its version is missing", { [VERSION]: undefined }],
      ["its version is no text", { [VERSION]: 5 }],
      ["the capabilities are missing", { [CAPABILITIES]: undefined }],
      ["the capabilities are a list", { [CAPABILITIES]: [] }],
      ["the capabilities have no end", { [CAPABILITIES]: { experimental: { values: Array(600).fill(0) } } }],
      ["the client is nameless", { "io.modelcontextprotocol/clientInfo": { version: "1" } }],
      ["the log level is none", { "io.modelcontextprotocol/logLevel": "loud" }],
      ["the progress token is an object", { progressToken: {} }],
    ])("an envelope in which %s is 400 and -32602, naming the key", async (_, meta) => {
      const response = await send(modern("tools/list", { _meta: meta }), LIST);
      expect(response.status).toBe(400);
      const error = await errorOf(response);
      expect(error?.code).toBe(-32602);
      expect(error?.message).toContain(Object.keys(meta)[0]);
      expect(error?.data).toMatchObject({ envelope: { key: Object.keys(meta)[0] } });
    });

    test("a header of this generation without an envelope is 400 and -32602, never treated as old", async () => {
      for (const message of [request("tools/list"), request("tools/list", { _meta: {} })]) {
        const response = await send(message, LIST);
        expect(response.status).toBe(400);
        expect((await errorOf(response))?.code).toBe(-32602);
      }
    });

    test("capabilities that a client does not have are never missed: no tool here needs any", async () => {
      const params = { name: "upstream_listTags", arguments: {}, _meta: { [CAPABILITIES]: {} } };
      expect((await answerTo(await ask("tools/call", params))).result).toMatchObject({ resultType: "complete" });
    });

    test.each(["1900-01-01", "2025-11-25", "2099-01-01", "nonsense"])(
      "the version %s is 400 and -32022, with what is supported",
      async (version) => {
        const body = modern("tools/list", { _meta: { [VERSION]: version } });
        const response = await send(body, { ...LIST, "mcp-protocol-version": version });
        expect(response.status).toBe(400);
        expect(await errorOf(response)).toMatchObject({
          code: -32022,
          data: { supported: ["2026-07-28"], requested: version },
        });
      },
    );

    const call = { name: "upstream_listTags", arguments: {} };
    test("what its methods refuse is an answer like any other: 200 and -32602", async () => {
      for (const [method, params] of [
        ["tools/call", { name: "nothing" }],
        ["tools/call", {}],
        ["tools/list", { cursor: "x" }],
      ] as const) {
        const response = await ask(method, params);
        expect(response.status).toBe(200);
        expect((await answerTo(response)).error?.code).toBe(-32602);
      }
    });

    test("notifications are 202 with no body; cancelling by one has no effect", async () => {
      for (const method of ["notifications/cancelled", "notifications/initialized", "no/such"]) {
        const response = await send(notification(method, { requestId: 1 }), modernHeaders(method));
        expect(response.status).toBe(202);
        expect(await response.text()).toBe("");
      }
    });

    test("one message is one body: batches and answers are refused", async () => {
      for (const body of [[modern("tools/list")], [modern("tools/list"), request("ping")], [], "5", "null"]) {
        const response = await send(body, LIST);
        expect(response.status).toBe(400);
        expect((await errorOf(response))?.code).toBe(-32600);
      }
    });

    test("log messages come with the requests that ask for them, and with no others", async () => {
      const logged = async (meta: Params) => {
        const messages = await messagesOf(await ask("tools/call", { ...call, _meta: meta }));
        return messages.filter(({ method }) => method === "notifications/message").map(({ params }) => params?.level);
      };
      expect(await logged({ "io.modelcontextprotocol/logLevel": "debug" })).toEqual(["debug", "info"]);
      expect(await logged({ "io.modelcontextprotocol/logLevel": "info" })).toEqual(["info"]);
      expect(await logged({})).toEqual([]);
    });

    test("progress comes under the request's token, before the answer", async () => {
      const messages = await messagesOf(await ask("tools/call", { ...call, _meta: { progressToken: "p" } }));
      expect(messages[0]).toMatchObject({ method: "notifications/progress", params: { progressToken: "p" } });
      expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete" } });
    });

    if (streams)
      test("a call is given up when its client closes the stream", async () => {
        const { us, agent, upstream, owner } = it();
        const leaving = new AbortController();
        const params = { name: "upstream_slow", arguments: {} };
        const headers = { ...agent.stream, ...modernHeaders("tools/call", params) };
        const response = await post(us, modern("tools/call", params), headers, leaving.signal);
        const waiting = (count: number) =>
          eventually(
            async () => upstream.waiting,
            (open) => open === count,
          );
        await waiting(1);
        leaving.abort();
        await expect(response.text()).rejects.toThrow();
        await waiting(0);
        await auditOutcome(owner, "slow", "cancelled");
      });

    test("shares its path with sessions: either is answered in its own way", async () => {
      const { us, agent } = it();
      const { headers } = await openSession(us, agent.stream);
      const [old, current] = await Promise.all([post(us, request("tools/list"), headers), ask("tools/list")]);
      expect((await answerTo(old)).result).not.toHaveProperty("resultType");
      expect((await answerTo(current)).result).toHaveProperty("resultType");
    });
  });
}
