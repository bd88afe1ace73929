import { describe, expect, test } from "vitest";
import { isJsonObject } from "../../../lib/kernel/json.ts";
import { answerTo, messagesOf, readEvents } from "../mcp/events.ts";
import { listen, post, request } from "../mcp/session.ts";
import { type Generation, type ProxiedAgent, textOf } from "./agent.ts";
import type { ProxyUnderTest } from "./fixture.ts";
import { longText } from "./methods.ts";

const MEBI = 1024 * 1024;
const GENERATIONS: readonly Generation[] = ["session", "stateless"];
const PAIRS = GENERATIONS.flatMap((generation) => ["held", "plain"].map((app) => [generation, app] as const));

/** Calls of agents of both generations at servers of both. */
export function proxiedCalls(it: () => ProxyUnderTest): void {
  describe.each(PAIRS)("a %s agent at the server %s", (generation, app) => {
    const agent = () => it().ada[generation];

    test("gets the answers of tools, failed ones as well", async () => {
      expect(JSON.parse(await agent().said(`${app}_whoami`))).toMatchObject({ sub: it().ada.clientId });
      const failed = await agent().call(`${app}_fail`);
      expect(failed.result).toMatchObject({ isError: true, content: [{ text: "out of order" }] });
    });

    test("hears of progress before the answer", async () => {
      const params = { name: `${app}_count`, arguments: {}, _meta: { progressToken: "mine" } };
      const messages = await messagesOf(await agent().send("tools/call", params));
      expect(messages.map(({ params: told, result }) => told ?? result?.content)).toEqual([
        { progressToken: "mine", progress: 1, total: 2 },
        { progressToken: "mine", progress: 2, total: 2 },
        [{ type: "text", text: "counted" }],
      ]);
    });

    test("73. gets what rules leave of a result, and of what the server says and asks meanwhile", async () => {
      const params = { name: `${app}_account`, arguments: {}, _meta: { progressToken: "mine" } };
      const messages = await messagesOf(await agent().send("tools/call", params));
      expect(messages.map(({ params: told, result }) => told ?? result?.structuredContent)).toEqual([
        { progressToken: "mine", progress: 1 },
        { card: "****" },
      ]);
      expect(JSON.stringify(messages)).not.toMatch(/[0-9]{16}|NL91/);
    });

    test("gets a result of 1 MB as it is", async () => {
      expect((await agent().said(`${app}_long`, { length: MEBI })) === longText(MEBI)).toBe(true);
    });

    test("is asked for what it declared where the runtime carries that; else nothing is declared", async () => {
      const isCarried = canBeAsked(generation, app, it());
      expect(await agent().said(`${app}_declared`)).toBe(isCarried ? "elicitation" : "");
      if (isCarried) expect(await greeted[generation](agent(), `${app}_greet`, it())).toBe("Hello Ada");
    });
  });

  test.each(["held", "plain"])(
    "57. a session's agent that loses a call's stream at %s comes back to it, where streams are held",
    async (app) => {
      const { us, ada, grace, streams } = it();
      if (!streams) return expect(await ada.session.said(`${app}_declared`)).toBe("");
      const { headers } = ada.session;
      const leaving = new AbortController();
      const call = request("tools/call", { name: `${app}_greet`, arguments: {} });
      const lost = readEvents(await post(us, call, headers, leaving.signal));
      const first = (await lost.next()) ?? expect.fail("no event");
      expect(first).toEqual({ type: "message", data: "", id: expect.stringMatching(/^c[\w-]{22}\.0$/), retry: "1000" });
      const asked = (await lost.next()) ?? expect.fail("no event");
      expect(asked.id).toBe(first.id?.replace(/0$/, "1"));
      leaving.abort();
      const back = async (id = "", who = headers) => readEvents(await listen(us, { ...who, "last-event-id": id }));

      // Nobody else gets it, whoever knows the id.
      const stranger = await listen(us, { ...grace.session.headers, "last-event-id": first.id ?? "" });
      expect(stranger.status).toBe(405);
      const again = await back(first.id);
      expect(await again.next()).toEqual(asked);
      await again.cancel();
      const last = await back(asked.id);
      const { id } = JSON.parse(asked.data) as { readonly id: unknown };
      expect((await post(us, { jsonrpc: "2.0", id, result: ANSWER }, headers)).status).toBe(202);
      const answer = await last.next();
      expect([answer?.id, textOf(JSON.parse(answer?.data ?? ""))]).toEqual([first.id?.replace(/0$/, "2"), "Hello Ada"]);
      expect(await last.next()).toBeUndefined();
      // What has ended can be had again for a while.
      const ended = await back(first.id);
      expect([await ended.next(), await ended.next(), await ended.next()]).toEqual([asked, answer, undefined]);
      // A client that has everything is not kept waiting for more.
      expect((await listen(us, { ...headers, "last-event-id": answer?.id ?? "" })).status).toBe(405);
    },
  );

  test("57. a session's stream goes on behind the last event that its client has, where streams are held", async () => {
    const { us, ada, grace, servers, streams } = it();
    const { headers } = ada.session;
    if (!streams) return expect((await listen(us, headers)).status).toBe(405);
    const leaving = new AbortController();
    const lost = readEvents(await listen(us, headers, leaving.signal));
    const first = (await lost.next()) ?? expect.fail("no event");
    await expect.poll(() => servers.listening(ada.clientId)).toBeGreaterThanOrEqual(2);
    servers.tellChange();
    const told = (await lost.next()) ?? expect.fail("no event");
    leaving.abort();
    const back = async (id = "", who = headers) => readEvents(await listen(us, { ...who, "last-event-id": id }));
    const stranger = await back(first.id, grace.session.headers);
    const again = await back(first.id);
    const next = (await again.next()) ?? expect.fail("no event");
    expect(next.id).toMatch(/^s[\w-]{22}\.0$/);
    expect(next.id).not.toBe(first.id);
    expect(JSON.parse((await again.next())?.data ?? "")).toEqual(JSON.parse(told.data));
    await expect.poll(() => servers.listening(ada.clientId)).toBeGreaterThanOrEqual(2);
    servers.tellChange();
    expect(await again.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    for (const stream of [again, stranger]) await stream.cancel();
  });

  test("changes of servers reach those who listen, where streams are held", async () => {
    const { us, ada, servers, streams } = it();
    const stop = new AbortController();
    const stream = await listen(us, ada.session.headers, stop.signal);
    const notifications = { toolsListChanged: true };
    const listening = await ada.stateless.send("subscriptions/listen", { notifications });
    if (!streams) {
      expect(stream.status).toBe(405);
      expect((await answerTo(listening)).error).toBeDefined();
      return;
    }
    const told = [readEvents(stream), readEvents(listening)];
    expect(await told[1]?.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    await expect.poll(() => servers.listening(ada.clientId)).toBeGreaterThanOrEqual(4);
    servers.tellChange();
    for (const reader of told) expect((await reader.message())?.method).toBe("notifications/tools/list_changed");
    await told[1]?.cancel();
    stop.abort();
  });
}

/** Where no stream is held there is no way to an agent but its next request, which only an upstream without sessions waits for. */
function canBeAsked(generation: Generation, app: string, { streams }: ProxyUnderTest): boolean {
  return streams || (generation === "stateless" && app === "plain");
}

const ANSWER = { action: "accept", content: { name: "Ada" } };

/** Calls a tool that asks who calls it, and says so. */
const greeted: Readonly<
  Record<Generation, (agent: ProxiedAgent, name: string, it: ProxyUnderTest) => Promise<string>>
> = {
  session: async ({ send, headers }, name, { us }) => {
    const events = readEvents(await send("tools/call", { name, arguments: {} }));
    const asked = await events.message();
    expect(asked?.params).toMatchObject({ message: "Who pays with ****?" });
    if (asked?.method !== "elicitation/create") throw new Error(`asked ${JSON.stringify(asked)}`);
    expect((await post(us, { jsonrpc: "2.0", id: asked.id, result: ANSWER }, headers)).status).toBe(202);
    return textOf((await events.message()) ?? {});
  },
  stateless: async ({ ask }, name) => {
    const params = { name, arguments: {} };
    const { result } = await ask("tools/call", params);
    const { resultType, inputRequests, requestState } = result ?? {};
    if (resultType !== "input_required" || !isJsonObject(inputRequests))
      throw new Error(`answered ${JSON.stringify(result)}`);
    expect(JSON.stringify(inputRequests)).toContain("Who pays with ****?");
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ANSWER]));
    return textOf(await ask("tools/call", { ...params, inputResponses, requestState }));
  },
};
