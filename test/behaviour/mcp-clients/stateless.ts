import { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { auditOutcome } from "../gateway-fixture.ts";
import { type RecordedFetch, recordedFetch } from "./recorded-fetch.ts";
import { toldOfProgress } from "./told-of-progress.ts";
import type { McpClientsUnderTest } from "./under-test.ts";

/**
 * What a client that finds out by itself does with a server of MCP 2026-07-28.
 *
 * @param options.streams whether the runtime holds streams open, and notices that a client leaves
 */
export function stateless(it: () => McpClientsUnderTest, { streams }: { readonly streams: boolean }): void {
  describe("version 2 of the SDK, which finds out the revision", () => {
    let client: Client;
    let recorded: RecordedFetch;

    beforeAll(async () => {
      recorded = recordedFetch();
      client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      const requestInit = { headers: { authorization: `Bearer ${it().token["/mcp"]}` } };
      const { fetch } = recorded;
      await client.connect(new StreamableHTTPClientTransport(new URL(`${it().us.url}/mcp`), { fetch, requestInit }));
    });
    afterAll(() => client.close());

    test("takes 2026-07-28 with one request and without a session", () => {
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      expect(recorded.exchanges.map(({ rpc }) => rpc)).toEqual(["server/discover"]);
      expect(client.getDiscoverResult()).toMatchObject({ supportedVersions: ["2026-07-28"] });
    });

    test("keeps a list of tools as long as the gateway says, to itself", async () => {
      const listed = await client.listTools();
      expect(listed).toMatchObject({ ttlMs: expect.any(Number), cacheScope: "private" });
      expect(listed.ttlMs).toBeGreaterThan(0);
      await client.listTools();
      expect(recorded.exchanges.filter(({ rpc }) => rpc === "tools/list")).toHaveLength(1);
    });

    test("calls a tool, is told of progress and gets the log messages that it asks for", async () => {
      const logged = vi.fn();
      client.setNotificationHandler("notifications/message", ({ params }) => logged(params.level));
      const call = { name: "upstream_getNote", arguments: { noteId: "1" } };
      const result = await client.callTool({ ...call, _meta: { [LOG_LEVEL_META_KEY]: "info" } });
      expect(result).toMatchObject({ structuredContent: { title: "First" } });
      expect(logged.mock.calls).toEqual([["info"]]);
      await client.callTool(call);
      expect(logged).toHaveBeenCalledTimes(1);
      const slow = { name: "upstream_slow", arguments: {} };
      await toldOfProgress(it().upstream, (onprogress) => client.callTool(slow, { onprogress }));
    });

    test("gives up on a call by leaving its stream", async () => {
      const { upstream, owner } = it();
      const agent = new AbortController();
      const call = client.callTool({ name: "upstream_slow", arguments: {} }, { signal: agent.signal }).then(
        () => "answered",
        () => "given up",
      );
      await eventually(
        async () => upstream.waiting,
        (waiting) => waiting === 1,
      );
      agent.abort();
      expect(await call).toBe("given up");
      if (!streams) upstream.release();
      await auditOutcome(owner, "slow", streams ? "cancelled" : "success");
    });

    if (streams) {
      test("listens for changes until it has heard enough", async () => {
        const subscription = await client.listen({ toolsListChanged: true });
        expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
        await client.callTool({ name: "upstream_listTags", arguments: {} });
        await subscription.close();
        expect(await subscription.closed).toBe("local");
      });
    } else {
      test("is refused where no stream can be held open", async () => {
        await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
        expect(await client.callTool({ name: "upstream_listTags", arguments: {} })).toBeDefined();
      });
    }
  });
}
