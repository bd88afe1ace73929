import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readEvents } from "../../behaviour/mcp/events.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { eventually } from "../../support/eventually.ts";
import { type ProxyGateway, proxyGateway } from "./gateway.ts";
import { type OpenedStream, type SessionUpstream, startSessionUpstream } from "./session-upstream.ts";
import { type Listening, type StatelessUpstream, startStatelessUpstream } from "./stateless-upstream.ts";

const LISTEN = "subscriptions/listen";
const SUBSCRIPTION = { "io.modelcontextprotocol/subscriptionId": "s" };
const CHANGING = { prompts: { listChanged: true }, resources: { subscribe: true } };

let old: SessionUpstream;
let young: StatelessUpstream;
let it: ProxyGateway;
beforeAll(async () => {
  old = await startSessionUpstream({ said: { capabilities: CHANGING, instructions: "Of old." } });
  young = await startStatelessUpstream({ tools: { listChanged: true }, ...CHANGING });
  it = await proxyGateway({ old: old.url, young: young.url, gone: "http://127.0.0.1:9/mcp" });
});
afterAll(async () => {
  await it.close();
  await Promise.all([old.close(), young.close()]);
});

async function last<T>(all: readonly T[], before: number): Promise<T> {
  const found = await eventually(
    async () => all[before],
    (one) => one !== undefined,
  );
  return found as T;
}

describe("an agent without session", () => {
  async function listen(notifications: Readonly<Record<string, unknown>>) {
    const [sessions, subscriptions] = [old.streams.length, young.listenings.length];
    const response = await it.post(modern(LISTEN, { notifications }, "s"), modernHeaders(LISTEN));
    const events = readEvents(response);
    return { events, sessions, subscriptions };
  }

  test("hears upstreams of both generations, by the names that it knows", async () => {
    const resourceSubscriptions = ["old+file:///a", "young+file:///b"];
    const { events, sessions, subscriptions } = await listen({ promptsListChanged: true, resourceSubscriptions });
    const acknowledged = await events.message();
    expect(acknowledged?.params?.notifications).toEqual({ promptsListChanged: true, resourceSubscriptions });
    const at = await last<OpenedStream>(old.streams, sessions);
    const listening = await last<Listening>(young.listenings, subscriptions);
    expect(listening.notifications).toEqual({ promptsListChanged: true, resourceSubscriptions: ["file:///b"] });
    const subscribed = old.came.findLast(({ message }) => message.method === "resources/subscribe");
    expect(subscribed).toMatchObject({ session: at.session, message: { params: { uri: "file:///a" } } });

    // Nobody asked for log messages.
    at.stream.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "a" } });
    at.stream.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "file:///a" } });
    const updated = "notifications/resources/updated";
    expect(await events.message()).toMatchObject({
      method: updated,
      params: { uri: "old+file:///a", _meta: SUBSCRIPTION },
    });
    listening.tell("notifications/prompts/list_changed");
    expect(await events.message()).toMatchObject({
      method: "notifications/prompts/list_changed",
      params: { _meta: SUBSCRIPTION },
    });

    await events.cancel();
    await eventually(async () => listening.stream.isGone(), Boolean);
    await eventually(async () => old.ended.includes(at.session ?? ""), Boolean);
  });

  test("hears what becomes of its tasks, each from the upstream that has it", async () => {
    const { events, subscriptions } = await listen({ taskIds: ["young+1", "old+2", "3"] });
    expect((await events.message())?.params?.notifications).toEqual({ taskIds: ["young+1"] });
    const listening = await last<Listening>(young.listenings, subscriptions);
    expect(listening.notifications).toEqual({ taskIds: ["1"] });
    listening.tell("notifications/tasks", { taskId: "1", status: "working" });
    expect(await events.message()).toMatchObject({
      method: "notifications/tasks",
      params: { taskId: "young+1", _meta: SUBSCRIPTION },
    });
    await events.cancel();
    await eventually(async () => listening.stream.isGone(), Boolean);
  });

  test("learns at once where nobody tells of what it asks for", async () => {
    const events = readEvents(
      await (await onlyOld()).post(
        modern(LISTEN, { notifications: { toolsListChanged: true } }, "s"),
        modernHeaders(LISTEN),
      ),
    );
    expect((await events.message())?.params?.notifications).toEqual({});
    expect(await events.message()).toMatchObject({ id: "s", result: { resultType: "complete" } });
  });

  test("is told what all upstreams can do, and how each is used", async () => {
    const { result } = await it.ask(modern("server/discover"), modernHeaders("server/discover"));
    // Nobody knows what one can do that is not there.
    expect(result?.capabilities).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
    });
    expect(result?.instructions).toBe("# old\n\nOf old.");
  });
});

let alone: ProxyGateway | undefined;
async function onlyOld(): Promise<ProxyGateway> {
  alone ??= await proxyGateway({ old: old.url });
  return alone;
}
afterAll(() => alone?.close());

test("an agent's session hears an upstream without sessions, and of the resources that it subscribed to", async () => {
  const before = young.listenings.length;
  const agent = await it.open();
  await it.settled();
  const events = await it.get(agent);
  const first = await last(young.listenings, before);
  expect(first.notifications).toEqual({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
  });
  const uri = "young+file:///c";
  expect(await it.ask(request("resources/subscribe", { uri }), agent.headers)).toMatchObject({ result: {} });
  const second = await last(young.listenings, before + 1);
  expect(second.notifications).toMatchObject({ resourceSubscriptions: ["file:///c"] });
  second.tell("notifications/resources/updated", { uri: "file:///c" });
  const told = await events.message();
  expect(told).toEqual({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
  await eventually(async () => first.stream.isGone(), Boolean);
  await events.cancel();
  await eventually(async () => second.stream.isGone(), Boolean);
});

test("where no stream is held open, nobody is promised changes, and upstreams cannot ask agents", async () => {
  const lambda = await proxyGateway({ old: old.url }, ({ sessionChannel: _, ...others }) => others);
  const { said } = await lambda.open({ sampling: {}, experimental: {} });
  expect(said.capabilities).toEqual({ prompts: {}, resources: {} });
  const began = old.came.findLast(({ message }) => message.method === "initialize");
  expect(began?.message.params?.capabilities).toEqual({ experimental: {} });
  await lambda.close();
});
