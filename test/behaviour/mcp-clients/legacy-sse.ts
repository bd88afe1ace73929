import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { auditOutcome } from "../gateway-fixture.ts";
import { SESSION_CLIENTS, type SessionClient } from "./session-client.ts";
import { toldOfProgress } from "./told-of-progress.ts";
import type { McpClientsUnderTest } from "./under-test.ts";

/** HTTP+SSE (MCP 2024-11-05, Transports): one stream of events, and messages posted to the address that it names. */
export function legacySse(it: () => McpClientsUnderTest): void {
  describe.each(SESSION_CLIENTS)("%s over the legacy transport", (_, connect) => {
    let client: SessionClient;

    beforeAll(async () => {
      client = await connect({ url: `${it().us.url}/sse`, token: it().token["/sse"], transport: "sse" });
    });
    afterAll(() => client.close());

    test("posts its messages to the address that the stream names", async () => {
      await client.ping();
      const [stream, ...messages] = client.exchanges;
      expect(stream).toMatchObject({ method: "GET", status: 200, contentType: "text/event-stream" });
      expect(messages.map(({ rpc }) => rpc)).toEqual(["initialize", "notifications/initialized", "ping"]);
      for (const message of messages) {
        expect(message).toMatchObject({ method: "POST", status: 202 });
        expect(message.url.pathname).toBe("/messages");
      }
    });

    test("lists and calls tools", async () => {
      expect(await client.toolNames()).toContain("upstream_getNote");
      expect(await client.call("getNote", { noteId: "1" })).toMatchObject({ structuredContent: { title: "First" } });
    });

    test("is told of progress, and chooses its log messages", async () => {
      expect(await client.setLoggingLevel("info")).toEqual({});
      await toldOfProgress(it().upstream, (onprogress) => client.call("slow", {}, { onprogress }));
      expect(client.logged).toEqual(["info"]);
    });

    test("gives up on a call", async () => {
      const { upstream, owner } = it();
      const agent = new AbortController();
      const call = client.call("slow", {}, { signal: agent.signal }).then(
        () => "answered",
        () => "given up",
      );
      await eventually(
        async () => upstream.waiting,
        (waiting) => waiting === 1,
      );
      agent.abort();
      expect(await call).toBe("given up");
      await auditOutcome(owner, "slow", "cancelled");
      expect(await client.ping()).toEqual({});
    });

    test("leaves, and what it waited for is given up", async () => {
      const { upstream, owner, us, token } = it();
      const leaving = await connect({ url: `${us.url}/sse`, token: token["/sse"], transport: "sse" });
      const call = leaving.call("slow").then(
        () => "answered",
        () => "given up",
      );
      await eventually(
        async () => upstream.waiting,
        (waiting) => waiting === 1,
      );
      await leaving.close();
      expect(await call).toBe("given up");
      await auditOutcome(owner, "slow", "cancelled");
    });
  });
}
