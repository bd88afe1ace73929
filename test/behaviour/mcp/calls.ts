import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { auditOutcome } from "../gateway-fixture.ts";
import { answerTo, type Message, messagesOf, readEvents } from "./events.ts";
import type { McpUnderTest } from "./fixture.ts";
import { notification, openSession, post, request, type Session } from "./session.ts";

/**
 * What a client learns of a call while it goes on, and how it gives up on one (MCP 2025-11-25, Progress, Logging,
 * Cancellation).
 *
 * @param options.streams whether requests of a session hear of each other
 */
export function callsInSessions(it: () => McpUnderTest, { streams }: { readonly streams: boolean }): void {
  describe("a call in a session", () => {
    let session: Session;
    const send = (message: unknown) => post(it().us, message, session.headers);
    const call = (name: string, more: object = {}, id: number | string = 1) =>
      request("tools/call", { name: `upstream_${name}`, arguments: {}, ...more }, id);
    const waiting = (count: number) =>
      eventually(
        async () => it().upstream.waiting,
        (open) => open === count,
      );

    beforeAll(async () => {
      session = await openSession(it().us, it().agent.stream);
    });

    test("is answered as a stream, whose headers and first byte do not wait for the API", async () => {
      const response = await send(call("slow"));
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
      expect(response.headers.get("cache-control")).toMatch(/no-cache|no-store/);
      const events = readEvents(response);
      expect(await events.comment()).toEqual(expect.any(String));
      await waiting(1);
      it().upstream.release();
      expect(await events.rest()).toMatchObject([{ id: 1, result: { content: [{ text: "at last" }] } }]);
    });

    test("has no event ids: nobody could go on with a stream that broke off", async () => {
      expect(await (await send(call("listTags"))).text()).not.toMatch(/^(id|retry):/m);
    });

    test.each([0, "", "token", 17])("tells of its progress under the token %j, growing", async (progressToken) => {
      const messages = await messagesOf(await send(call("listTags", { _meta: { progressToken } })));
      const reports = messages.filter(({ method }) => method === "notifications/progress").map(({ params }) => params);
      expect(reports.length).toBeGreaterThan(0);
      for (const report of reports) expect(report?.progressToken).toBe(progressToken);
      const steps = reports.map((report) => Number(report?.progress));
      expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
      expect(messages.at(-1)).toMatchObject({ id: 1, result: {} });
    });

    test("tells of no progress that nobody asked for", async () => {
      expect(await messagesOf(await send(call("listTags")))).toEqual([expect.objectContaining({ id: 1 })]);
    });

    test("sends log messages of the chosen level and above, before the answer, from the next request on", async () => {
      const logged = async (level: string, tool: string) => {
        expect((await answerTo(await send(request("logging/setLevel", { level })))).result).toEqual({});
        const messages = await messagesOf(await send(call(tool)));
        expect(messages.at(-1)).toHaveProperty("result");
        return messages.slice(0, -1).map(({ method, params }) => [method, params?.level]);
      };
      const of = (...levels: readonly string[]) => levels.map((level) => ["notifications/message", level]);
      expect(await logged("debug", "listTags")).toEqual(of("debug", "info"));
      expect(await logged("info", "listTags")).toEqual(of("info"));
      expect(await logged("warning", "listTags")).toEqual([]);
      expect(await logged("warning", "failure")).toEqual(of("error"));
      expect(await logged("emergency", "failure")).toEqual([]);
    });

    test("that its client cancels by another request ends, without an answer where that can be told", async () => {
      const response = await send(call("slow", {}, "to cancel"));
      await waiting(1);
      const foreign = await openSession(it().us, it().agent.stream);
      const cancelled = notification("notifications/cancelled", { requestId: "to cancel", reason: "no more" });
      const others = [
        await post(it().us, cancelled, foreign.headers),
        await send(notification("notifications/cancelled", { requestId: "another" })),
      ];
      expect(others.map(({ status }) => status)).toEqual([202, 202]);
      expect(it().upstream.waiting).toBe(1);
      expect((await send(cancelled)).status).toBe(202);
      if (streams) {
        await waiting(0);
        expect(await messagesOf(response)).toEqual([]);
        const record = await auditOutcome(it().owner, "slow", "cancelled");
        expect(record.reason).toBe("cancelled_by_client");
      } else {
        // Each request is served by itself there, so that the call runs to its end.
        it().upstream.release();
        expect((await answerTo(response, "to cancel")).result).toBeDefined();
        await auditOutcome(it().owner, "slow", "success");
      }
      expect((await answerTo(await send(request("ping")))).result).toEqual({});
    });

    test("leaves the others of a batch alone when it is cancelled", async () => {
      const { us, agent } = it();
      const { headers } = await openSession(us, agent.stream, "2025-03-26");
      const response = await post(us, [call("slow", {}, 1), call("slow", {}, 2)], headers);
      await waiting(2);
      await post(us, notification("notifications/cancelled", { requestId: 1 }), headers);
      if (streams) await waiting(1);
      it().upstream.release();
      const answered = (await messagesOf(response)).map(({ id }: Message) => id);
      expect(answered.sort()).toEqual(streams ? [2] : [1, 2]);
    });

    if (streams)
      test("that is cancelled has 202 for an answer where its client takes JSON alone", async () => {
        const headers = { ...session.headers, accept: "application/json" };
        const answering = post(it().us, call("slow", {}, 5), headers);
        await waiting(1);
        await send(notification("notifications/cancelled", { requestId: 5 }));
        const response = await answering;
        expect([response.status, await response.text()]).toEqual([202, ""]);
      });

    if (streams)
      test("is given up when its session ends", async () => {
        const { us, agent } = it();
        const ending = await openSession(us, agent.stream);
        const response = await post(us, call("slow"), ending.headers);
        await waiting(1);
        const url = `${us.url}/mcp`;
        expect((await fetch(url, { method: "DELETE", headers: ending.headers })).status).toBe(204);
        await waiting(0);
        expect(await messagesOf(response)).toEqual([expect.objectContaining({ error: SESSION_OVER })]);
      });
  });
}

/** Its client may not be who ended it, and waits. */
const SESSION_OVER = { code: -32001, message: "The session is over." };
