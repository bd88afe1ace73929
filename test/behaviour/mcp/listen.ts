import { describe, expect, test } from "vitest";
import { type Message, readEvents } from "./events.ts";
import type { McpUnderTest } from "./fixture.ts";
import { type Params, sendModern } from "./stateless-fixture.ts";

const METHOD = "subscriptions/listen";
const ID = "io.modelcontextprotocol/subscriptionId";

/** `subscriptions/listen`, where the runtime holds streams open (MCP 2026-07-28, Subscriptions). */
export function listening(it: () => McpUnderTest): void {
  describe("listening for changes", () => {
    const ask = (params: Params, id?: string | number) => sendModern(it().us, it().agent.stream, METHOD, params, id);

    test.each([0, "a listener"])("is acknowledged first, under the id %j, with what is honored", async (id) => {
      const notifications = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["x:y"] };
      const response = await ask({ notifications }, id);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      const events = readEvents(response);
      expect(await events.message()).toEqual({
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true }, _meta: { [ID]: id } },
      });
      await events.cancel();
    });

    test.each([{}, { toolsListChanged: false }, { promptsListChanged: true }])(
      "to nothing that changes here (%j) is over with its acknowledgement",
      async (notifications) => {
        const [acknowledged, result, ...more] = await readEvents(await ask({ notifications }, 7)).rest();
        expect(acknowledged?.params).toEqual({ notifications: {}, _meta: { [ID]: 7 } });
        expect(result).toMatchObject({ id: 7, result: { resultType: "complete", _meta: { [ID]: 7 } } });
        expect(more).toEqual([]);
      },
    );

    test.each([undefined, "tools", []])("to %j is no request: 200 and -32602", async (notifications) => {
      const response = await ask({ notifications }, 3);
      expect(response.status).toBe(200);
      expect((await response.json()) as Message).toMatchObject({ id: 3, error: { code: -32602 } });
    });
  });
}

/** The same where the runtime can hold no stream open. */
export function noListening(it: () => McpUnderTest): void {
  describe("listening for changes", () => {
    test("is a method that is not there: 404 and -32601", async () => {
      const { us, agent } = it();
      const response = await sendModern(us, agent.stream, METHOD, { notifications: { toolsListChanged: true } });
      expect(response.status).toBe(404);
      expect((await response.json()) as Message).toMatchObject({ id: 1, error: { code: -32601 } });
    });
  });
}
