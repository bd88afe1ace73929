import { describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import type { EventReader, Message } from "../mcp/events.ts";
import { holdsStreams } from "../mcp/fixture.ts";
import { type ConnectionsUnderTest, linkIn, NOTE } from "./fixture.ts";

const URL_MODE = { url: {} };

/** What an agent is told whose person has no account connected, and that it goes on from there. */
export function telling(runtime: RuntimeUnderTest, it: () => ConnectionsUnderTest): void {
  const callsOf = (login: string) => it().hub.calls.filter((caller) => caller === login).length;

  describe.each([
    ["a REST API", NOTE],
    ["an MCP server", { name: "desk_whoami", arguments: {} }],
  ] as const)("an agent calls %s for a person who has not connected", (_, tool) => {
    const [plain, modern, older] = ["plain", "modern", "older"].map((kind) => `${kind}-${tool.name.slice(0, 4)}`) as [
      string,
      string,
      string,
    ];

    test("without URL mode it gets the link in text, and its next call carries the person's token", async () => {
      const agent = await it().agentOf(plain);
      const before = it().hub.calls.length;
      const told = await agent.ask("tools/call", tool);
      expect(told.result.isError).toBe(true);
      expect(it().hub.calls.length).toBe(before);
      await it().walk(linkIn(told), plain);
      const answer = await agent.ask("tools/call", tool);
      expect(answer.result.isError ?? false).toBe(false);
      expect(answer.result.content[0]?.text).toContain(plain);
      expect(callsOf(plain)).toBeGreaterThan(0);
    });

    test("in 2026-07-28 with URL mode it is asked for input, and its repetition waits for the person", async () => {
      const agent = await it().agentOf(modern);
      const { result } = await agent.ask("tools/call", tool, URL_MODE);
      expect(result.resultType).toBe("input_required");
      const { requestState, inputRequests } = result;
      const again = { ...tool, requestState, inputResponses: { connect: { action: "accept" } } };
      const waiting = agent.ask("tools/call", again, URL_MODE);
      await it().walk(inputRequests.connect.params.url, modern);
      const answer = (await waiting).result;
      expect(answer.resultType).toBe("complete");
      expect(answer.content[0]?.text).toContain(modern);
    });

    test("in a session of 2025-11-25 with URL mode it gets -32042, and hears of the end where it has a stream", async () => {
      const session = await (await it().agentOf(older)).session();
      const events = holdsStreams(runtime) ? await session.listen() : undefined;
      const { error } = await session.call(tool.name);
      expect(error.code).toBe(-32042);
      const [elicitation] = error.data.elicitations;
      await it().walk(elicitation?.url ?? "", older);
      if (events !== undefined) {
        const { elicitationId } = elicitation as { readonly elicitationId: string };
        expect(await heardFirst(events, "notifications/elicitation/complete")).toEqual({ elicitationId });
      }
      await events?.cancel();
      const { result } = await session.call(tool.name);
      expect(result.content[0]?.text).toContain(older);
    });
  });

  test("an MCP server has one tool, which tells how to connect, until its person has", async () => {
    const agent = await it().agentOf("lister");
    const names = async () => {
      const { result } = await agent.ask("tools/list", {});
      return result.tools.map(({ name }) => name).filter((name) => name.startsWith("desk_"));
    };
    expect(await names()).toEqual(["desk_connect"]);
    await it().walk(linkIn(await agent.ask("tools/call", { name: "desk_connect", arguments: {} })), "lister");
    expect(await names()).toContain("desk_whoami");
  });

  test("the account that is connected for one app serves no other", async () => {
    const agent = await it().agentOf("single");
    await it().walk(linkIn(await agent.ask("tools/call", NOTE)), "single");
    expect(linkIn(await agent.ask("tools/call", { name: "desk_whoami", arguments: {} }))).toContain("/connect/");
  });
}

/** The parameters of the first notification of a method; undefined where the stream ends before. */
async function heardFirst(events: EventReader, method: string): Promise<Message["params"]> {
  for (let message = await events.message(); message !== undefined; message = await events.message()) {
    if (message.method === method) return message.params;
  }
  return undefined;
}
