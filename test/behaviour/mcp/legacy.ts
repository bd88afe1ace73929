import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { auditOutcome, type Headers } from "../gateway-fixture.ts";
import { SESSION_HEADER } from "./configuration.ts";
import type { Message } from "./events.ts";
import { legacyURL, type McpUnderTest } from "./fixture.ts";
import { type Connection, connectLegacy } from "./legacy-connection.ts";
import { initialize, notification, openSession, post, request } from "./session.ts";
import { hashOf, sessionRecords } from "./session-records.ts";

const LIST_TAGS = expect.objectContaining({ name: "upstream_listTags" });

/** The transport of 2024-11-05 (MCP 2024-11-05, Transports, HTTP with SSE). */
export function legacyTransport(it: () => McpUnderTest): void {
  describe("HTTP+SSE", () => {
    const open: Connection[] = [];
    const connect = async (): Promise<Connection> => {
      const connection = await connectLegacy(it().us, it().agent);
      open.push(connection);
      return connection;
    };
    afterEach(() => {
      for (const { leave } of open.splice(0)) leave();
    });
    const gone = ({ send }: Connection) =>
      eventually(
        async () => (await send(request("ping"))).status,
        (status) => status === 404,
      );

    test("begins with the path to post to, below basePath, with a session of 256 bits", async () => {
      const { url, contentType } = await connect();
      expect(contentType).toBe("text/event-stream");
      const { pathname, searchParams, origin } = new URL(url);
      expect(origin).toBe(it().us.url);
      expect(pathname).toBe("/legacy/messages");
      expect(searchParams.get("sessionId")).toMatch(/^[\w-]{43}$/);
    });

    test("takes messages with 202 and answers on the stream", async () => {
      const { events, send } = await connect();
      const accepted = await send(initialize("2024-11-05"));
      expect(accepted.status).toBe(202);
      expect(await events.message()).toMatchObject({ id: 1, result: { protocolVersion: "2024-11-05" } });
      expect((await send(notification("notifications/initialized"))).status).toBe(202);
      await send(request("ping", undefined, "p"));
      expect(await events.message()).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
      await send(request("tools/list", undefined, 3));
      expect((await events.message())?.result?.tools).toContainEqual(LIST_TAGS);
      await send(request("no/such", undefined, 4));
      expect(await events.message()).toMatchObject({ id: 4, error: { code: -32601 } });
      const call = { name: "upstream_getNote", arguments: { noteId: "1" }, _meta: { progressToken: "t" } };
      await send(request("tools/call", call, 5));
      expect(await events.message()).toMatchObject({
        method: "notifications/progress",
        params: { progressToken: "t" },
      });
      const answer = await events.message();
      expect(answer).toMatchObject({ id: 5, result: { structuredContent: { title: "First" } } });
    });

    test("serves a client that connected again and does not begin anew", async () => {
      const { events, send } = await connect();
      await send(request("tools/list", undefined, 1));
      expect((await events.message())?.result?.tools).toContainEqual(LIST_TAGS);
    });

    test("sends comments at the configured interval", async () => {
      const { events } = await connect();
      expect(await events.comment()).toEqual(expect.any(String));
      expect(await events.comment()).toEqual(expect.any(String));
    });

    test("carries a message to its own session and to no other", async () => {
      const [one, other] = [await connect(), await connect()];
      await one.send(request("ping", undefined, "one"));
      await other.send(request("ping", undefined, "other"));
      expect((await one.events.message())?.id).toBe("one");
      expect((await other.events.message())?.id).toBe("other");
    });

    test("ends its session with the stream, and what runs in it", async () => {
      const connection = await connect();
      expect((await connection.send(request("tools/call", { name: "upstream_slow", arguments: {} }))).status).toBe(202);
      await eventually(
        async () => it().upstream.waiting,
        (waiting) => waiting === 1,
      );
      connection.leave();
      await gone(connection);
      await eventually(
        async () => it().upstream.waiting,
        (waiting) => waiting === 0,
      );
      await auditOutcome(it().owner, "slow", "cancelled");
      const id = new URL(connection.url).searchParams.get("sessionId") ?? "";
      const records = await eventually(
        () => sessionRecords(it().owner, "session.terminated", hashOf(id)),
        (found) => found.length > 0,
      );
      expect(records).toMatchObject([{ reason: "stream_closed", agent: it().agent.signer.clientId }]);
    });

    test("gives up on what its client cancels, without an answer", async () => {
      const { events, send } = await connect();
      await send(request("tools/call", { name: "upstream_slow", arguments: {} }, 9));
      await eventually(
        async () => it().upstream.waiting,
        (waiting) => waiting === 1,
      );
      expect((await send(notification("notifications/cancelled", { requestId: 9 }))).status).toBe(202);
      await eventually(
        async () => it().upstream.waiting,
        (waiting) => waiting === 0,
      );
      await send(request("ping", undefined, 10));
      expect((await events.message())?.id).toBe(10);
    });

    test("keeps the log level of its session", async () => {
      const { events, send } = await connect();
      await send(request("logging/setLevel", { level: "info" }, 1));
      expect(await events.message()).toMatchObject({ id: 1, result: {} });
      await send(request("tools/call", { name: "upstream_listTags", arguments: {} }, 2));
      expect(await events.message()).toMatchObject({ method: "notifications/message", params: { level: "info" } });
      expect((await events.message())?.id).toBe(2);
    });

    test("has sessions of its own, which are none over Streamable HTTP, nor the other way round", async () => {
      const { us, agent } = it();
      const { url, send } = await connect();
      const id = new URL(url).searchParams.get("sessionId") ?? "";
      expect((await post(us, request("ping"), { ...agent.stream, [SESSION_HEADER]: id })).status).toBe(404);
      const session = await openSession(us, agent.stream);
      const other = await fetch(url.replace(id, session.id), {
        method: "POST",
        headers: { "content-type": "application/json", ...agent.legacy },
        body: JSON.stringify(request("ping")),
      });
      expect(other.status).toBe(404);
      expect((await send(request("ping"))).status).toBe(202);
    });

    test.each([
      ["no JSON", "{", {}, 400],
      ["no message", "{}", {}, 400],
      ["a batch", [request("ping")], {}, 400],
      ["another content type", request("ping"), { "content-type": "text/plain" }, 415],
      ["a message above 4 MB", request("x".repeat(4 * 1024 * 1024)), {}, 413],
    ])("refuses %s", async (_, body, headers, status) => {
      const { send } = await connect();
      expect((await send(body, headers as Headers)).status).toBe(status);
    });

    test("26. refuses a message whose headers say something else", async () => {
      const { send } = await connect();
      const call = request("tools/call", { name: "upstream_createNote", arguments: { title: "x" } });
      for (const headers of [{ "mcp-method": "tools/list" }, { "mcp-name": "upstream_listTags" }]) {
        const response = await send(call, headers as unknown as Headers);
        expect(response.status).toBe(400);
        expect(((await response.json()) as Message).error?.code).toBe(-32020);
      }
      expect((await send(request("ping"), { "mcp-method": "ping" })).status).toBe(202);
    });

    test("refuses messages to no session, and other methods on its paths", async () => {
      const { us, agent } = it();
      const headers = { "content-type": "application/json", ...agent.legacy };
      const messages = `${us.url}/legacy/messages`;
      const init = { method: "POST", headers, body: JSON.stringify(request("ping")) };
      expect((await fetch(messages, init)).status).toBe(400);
      expect((await fetch(`${messages}?sessionId=nonsense`, init)).status).toBe(404);
      expect((await fetch(`${messages}?sessionId=${"A".repeat(43)}`, init)).status).toBe(404);
      const [get, posted] = [await fetch(messages, { headers }), await fetch(legacyURL(us), init)];
      expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, OPTIONS"]);
    });
  });
}
