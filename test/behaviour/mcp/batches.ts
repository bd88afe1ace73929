import { describe, expect, test } from "vitest";
import { SESSION_HEADER } from "./configuration.ts";
import { type Message, messagesOf } from "./events.ts";
import type { McpUnderTest } from "./fixture.ts";
import { initialize, notification, openSession, post, request } from "./session.ts";

/** Batches, which one revision has (MCP 2025-03-26, Transports, Sending Messages to the Server). */
export function batches(it: () => McpUnderTest): void {
  describe("a batch in a session", () => {
    const batch = [
      request("ping", undefined, "a"),
      notification("notifications/initialized"),
      request("no/such", undefined, "b"),
      request("tools/call", { name: "upstream_listTags", arguments: {} }, "c"),
    ];
    const send = async (version: string, body: unknown) => {
      const { us, agent } = it();
      return post(us, body, (await openSession(us, agent.stream, version)).headers);
    };

    test("of 2025-03-26 has an answer for each request and for nothing else", async () => {
      const answers = await messagesOf(await send("2025-03-26", batch));
      expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(["a", "b", "c"]));
      expect(answers.find(({ id }) => id === "b")?.error?.code).toBe(-32601);
    });

    test("is answered as one list to a client that takes JSON", async () => {
      const { us, agent } = it();
      const { headers } = await openSession(us, agent.stream, "2025-03-26");
      const response = await post(us, batch.slice(0, 3), { ...headers, accept: "application/json" });
      expect(response.headers.get("content-type")).toMatch(/^application\/json/);
      const answers = (await response.json()) as readonly Message[];
      expect(answers).toHaveLength(2);
      expect(answers).toContainEqual({ jsonrpc: "2.0", id: "a", result: {} });
      expect(answers.find(({ id }) => id === "b")?.error?.code).toBe(-32601);
    });

    test("of notifications alone is 202", async () => {
      const response = await send("2025-03-26", [notification("notifications/initialized")]);
      expect(response.status).toBe(202);
      expect(await response.text()).toBe("");
    });

    test.each(["2024-11-05", "2025-06-18", "2025-11-25"])("of %s is refused", async (version) => {
      const response = await send(version, batch);
      expect(response.status).toBe(400);
      expect(((await response.json()) as Message).error?.code).toBe(-32600);
    });

    test.each([
      ["nothing", []],
      ["initialize", [initialize()]],
      ["initialize and another", [initialize(), request("ping")]],
      ["what is no message", [request("ping"), 5]],
      ["a batch", [[request("ping")]]],
    ])("of %s is refused", async (_, body) => {
      const response = await send("2025-03-26", body);
      expect(response.status).toBe(400);
      expect(response.headers.get(SESSION_HEADER)).toBeNull();
      expect(((await response.json()) as Message).error?.code).toBe(-32600);
    });
  });
}
