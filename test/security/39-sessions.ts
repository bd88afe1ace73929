import { describe, expect, test } from "vitest";
import { readEvents } from "../behaviour/mcp/events.ts";
import type { McpUnderTest } from "../behaviour/mcp/fixture.ts";
import { notification, openSession, post, request } from "../behaviour/mcp/session.ts";
import { eventually } from "../support/eventually.ts";

/** Devices of one agent and agents of one organization use the same ids and tokens, and hear nothing of each other. */
export function sessionsSideBySide(it: () => McpUnderTest, { streams }: { readonly streams: boolean }): void {
  describe("39. sessions side by side", () => {
    const devices = async () => {
      const { us, agent, stranger } = it();
      return Promise.all([agent, agent, stranger].map(({ stream }) => openSession(us, stream)));
    };

    test("39. each hears of its own calls only, although all use the same ids and tokens", async () => {
      const { us } = it();
      const sessions = await devices();
      const heard = await Promise.all(
        sessions.map(async ({ headers }, index) => {
          const level = index === 1 ? "info" : "emergency";
          await (await post(us, request("logging/setLevel", { level }), headers)).text();
          const tool = index === 2 ? "listTags" : "getNote";
          const given = index === 2 ? {} : { noteId: "1" };
          const params = { name: `upstream_${tool}`, arguments: given, _meta: { progressToken: "same" } };
          return readEvents(await post(us, request("tools/call", params), headers)).rest();
        }),
      );
      const methods = heard.map((messages) => messages.map(({ method = "answer" }) => method));
      const [progress, message] = ["notifications/progress", "notifications/message"];
      expect(methods).toEqual([
        [progress, "answer"],
        [progress, message, "answer"],
        [progress, "answer"],
      ]);
      expect(JSON.stringify(heard[0])).toContain("First");
      expect(JSON.stringify(heard[2])).not.toContain("First");
    });

    test("39. a cancellation in one leaves the same id in the others alone", async () => {
      const { us, upstream } = it();
      const sessions = await devices();
      const call = request("tools/call", { name: "upstream_slow", arguments: {} }, "same");
      const responses = await Promise.all(sessions.map(({ headers }) => post(us, call, headers)));
      const waiting = (count: number) =>
        eventually(
          async () => upstream.waiting,
          (open) => open === count,
        );
      await waiting(3);
      const first = sessions[0]?.headers ?? {};
      await post(us, notification("notifications/cancelled", { requestId: "same" }), first);
      if (streams) await waiting(2);
      upstream.release();
      const answers = await Promise.all(responses.map((response) => readEvents(response).rest()));
      expect(answers.map(({ length }) => length)).toEqual([streams ? 0 : 1, 1, 1]);
    });
  });
}
