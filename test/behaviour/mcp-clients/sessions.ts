import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { auditOutcome } from "../gateway-fixture.ts";
import { SESSION_CLIENTS, type SessionClient } from "./session-client.ts";
import { toldOfProgress } from "./told-of-progress.ts";
import type { McpClientsUnderTest } from "./under-test.ts";

/**
 * What clients of the session generation do with a session over Streamable HTTP (MCP 2025-11-25, Transports).
 *
 * @param options.streams whether the runtime holds streams open, and notices that a client leaves
 */
export function sessions(it: () => McpClientsUnderTest, { streams }: { readonly streams: boolean }): void {
  describe.each(SESSION_CLIENTS)("%s in a session", (_, connect) => {
    let client: SessionClient;
    const open = (session?: { id: string; protocolVersion: string }) =>
      connect({ url: `${it().us.url}/mcp`, token: it().token["/mcp"], ...(session !== undefined && { session }) });

    beforeEach(async () => {
      client = await open();
    });
    afterEach(() => client.close());

    test("gets an id with the handshake and sends it with every request", async () => {
      expect(client.protocolVersion).toBe("2025-11-25");
      expect(client.sessionId).toMatch(/^[\x21-\x7e]{22,}$/);
      await client.ping();
      const later = client.exchanges.filter(({ rpc }) => rpc !== "initialize");
      expect(later.length).toBeGreaterThan(1);
      for (const { headers } of later) expect(headers.get("mcp-session-id")).toBe(client.sessionId);
    });

    test("pings, lists and calls tools", async () => {
      expect(await client.ping()).toEqual({});
      expect(await client.toolNames()).toContain("upstream_getNote");
      expect(await client.call("getNote", { noteId: "1" })).toMatchObject({ structuredContent: { title: "First" } });
    });

    test("is told of progress when it asks for it", async () => {
      await toldOfProgress(it().upstream, (onprogress) => client.call("slow", {}, { onprogress }));
    });

    test("chooses which log messages it gets", async () => {
      await client.call("listTags");
      expect(client.logged).toEqual([]);
      expect(await client.setLoggingLevel("info")).toEqual({});
      await client.call("listTags");
      expect(client.logged).toEqual(["info"]);
      await client.setLoggingLevel("debug");
      await client.call("listTags");
      expect(client.logged).toEqual(["info", "debug", "info"]);
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
      if (streams) {
        await auditOutcome(owner, "slow", "cancelled");
        await eventually(
          async () => upstream.waiting,
          (waiting) => waiting === 0,
        );
      } else {
        upstream.release();
        await auditOutcome(owner, "slow", "success");
      }
      // The session goes on.
      expect(await client.ping()).toEqual({});
    });

    test("ends its session, which is gone then", async () => {
      await client.ping();
      await client.terminate();
      expect(client.exchanges.filter(({ method }) => method === "DELETE")).toMatchObject([{ status: 204 }]);
      expect(client.sessionId).toBeUndefined();
    });

    test("is told 404 when the session is lost, and opens another one", async () => {
      const lost = client.sessionId ?? "";
      const other = await open({ id: lost, protocolVersion: client.protocolVersion ?? "" });
      await other.terminate();
      await other.close();
      await expect(client.ping()).rejects.toThrow();
      expect(client.exchanges.findLast(({ rpc }) => rpc === "ping")).toMatchObject({ status: 404 });
      await client.close();

      client = await open();
      expect(client.sessionId).not.toBe(lost);
      expect(await client.ping()).toEqual({});
    });

    test("goes on with its session after a restart of the client", async () => {
      const [id, protocolVersion] = [client.sessionId ?? "", client.protocolVersion ?? ""];
      await client.close();
      client = await open({ id, protocolVersion });
      // Without a handshake, version 2 of the SDK does not know that there are tools, and lists none.
      expect(await client.call("getNote", { noteId: "1" })).toMatchObject({ structuredContent: { title: "First" } });
      expect(client.exchanges.map(({ rpc }) => rpc)).not.toContain("initialize");
    });

    if (streams) {
      test("holds a stream open until the session ends", async () => {
        const find = () => client.exchanges.find(({ method }) => method === "GET");
        await eventually(
          async () => find(),
          (stream) => stream !== undefined,
        );
        expect(find()).toMatchObject({ status: 200, contentType: expect.stringMatching(/^text\/event-stream/) });
        await client.call("listTags");
        expect(find()?.isEnded).toBe(false);
        await client.terminate();
        await eventually(
          async () => find()?.isEnded,
          (isEnded) => isEnded === true,
        );
      });
    } else {
      test("is told 405 where no stream can be held open, and does without", async () => {
        await eventually(
          async () => client.exchanges.find(({ method }) => method === "GET")?.status,
          (status) => status === 405,
        );
        expect(await client.ping()).toEqual({});
      });
    }
  });
}
