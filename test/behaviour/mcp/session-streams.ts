import { describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { readEvents } from "./events.ts";
import type { McpUnderTest } from "./fixture.ts";
import { listen, openSession, post, request, terminate } from "./session.ts";

/** GET, where the runtime holds streams open (MCP 2025-11-25, Transports, Listening for Messages from the Server). */
export function sessionStreams(it: () => McpUnderTest): void {
  describe("the stream of a session", () => {
    const open = () => openSession(it().us, it().agent.stream);

    test("opens at once with a first byte, for no cache, and stays open while requests are answered", async () => {
      const { us } = it();
      const { headers } = await open();
      const response = await listen(us, headers);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      expect(response.headers.get("cache-control")).toMatch(/no-cache|no-store/);
      const events = readEvents(response);
      expect(await events.next()).toEqual({ type: "message", data: "", id: expect.any(String), retry: "1000" });
      expect((await post(us, request("ping"), headers)).status).toBe(200);
      await terminate(us, headers);
      // Answers never come here.
      expect(await events.rest()).toEqual([]);
    });

    test("ends with its session", async () => {
      const { headers } = await open();
      const events = readEvents(await listen(it().us, headers));
      expect((await terminate(it().us, headers)).status).toBe(204);
      expect(await events.message()).toBeUndefined();
      expect((await listen(it().us, headers)).status).toBe(404);
    });

    test("gives way to a later one of the same session, and to no other's", async () => {
      const { us } = it();
      const [one, other] = [await open(), await open()];
      const first = readEvents(await listen(us, one.headers));
      const foreign = readEvents(await listen(us, other.headers));
      const second = readEvents(await listen(us, one.headers));
      expect(await first.message()).toBeUndefined();
      const third = await listen(us, one.headers);
      expect(await second.message()).toBeUndefined();
      expect(third.status).toBe(200);
      await terminate(us, other.headers);
      expect(await foreign.message()).toBeUndefined();
      await third.body?.cancel();
    });

    test("is one also when a client opens several at once", async () => {
      const { us } = it();
      const { headers } = await open();
      let isOpen = 6;
      const ended = await Promise.all(
        Array.from({ length: isOpen }, async () => {
          const events = readEvents(await listen(us, headers));
          const end = events.message().then(() => {
            isOpen -= 1;
          });
          return { end, events };
        }),
      );
      await eventually(
        async () => isOpen,
        (count) => count <= 1,
      );
      expect(isOpen).toBe(1);
      expect((await terminate(us, headers)).status).toBe(204);
      await Promise.all(ended.map(({ end }) => end));
    });

    test("can be opened again by a client that lost it, also with the id of an event", async () => {
      const { us } = it();
      const { headers } = await open();
      const leaving = new AbortController();
      const lost = await listen(us, headers, leaving.signal);
      leaving.abort();
      await expect(lost.text()).rejects.toThrow();
      const again = await listen(us, { ...headers, "last-event-id": "42" });
      expect(again.status).toBe(200);
      await again.body?.cancel();
      expect((await post(us, request("ping"), headers)).status).toBe(200);
    });

    test("needs a session that is live, and a client that takes it", async () => {
      const { us, agent } = it();
      const { headers } = await open();
      expect((await listen(us, agent.stream)).status).toBe(400);
      expect((await listen(us, { ...headers, "x-agent-session": "A".repeat(43) })).status).toBe(404);
      expect((await listen(us, { ...headers, accept: "application/json" })).status).toBe(406);
      const unauthorized = await listen(us, { ...headers, authorization: "Bearer nonsense" });
      expect(unauthorized.status).toBe(401);
    });
  });
}

/** GET, where the runtime can hold none: clients take 405 for that. */
export function noSessionStreams(it: () => McpUnderTest): void {
  describe("the stream of a session", () => {
    test("is 405 with what is served, with a session and without", async () => {
      const { us, agent } = it();
      const { headers } = await openSession(us, agent.stream);
      for (const response of [await listen(us, headers), await listen(us, agent.stream)]) {
        expect(response.status).toBe(405);
        expect(response.headers.get("allow")).toBe("POST, DELETE");
      }
    });
  });
}
