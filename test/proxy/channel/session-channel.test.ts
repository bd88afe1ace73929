import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type EventReader, readEvents } from "../../behaviour/mcp/events.ts";
import { notification, request } from "../../behaviour/mcp/session.ts";
import { eventually } from "../../support/eventually.ts";
import { type AgentSession, type ProxyGateway, proxyGateway } from "./gateway.ts";
import { type Came, type OpenedStream, type SessionUpstream, startSessionUpstream } from "./session-upstream.ts";

const CAPABLE = { sampling: {}, elicitation: {}, roots: { listChanged: true } };

let upstream: SessionUpstream;
let it: ProxyGateway;
/** Sessions at the upstream begin when it is resolved. */
let begin: Promise<void> | undefined;
beforeAll(async () => {
  upstream = await startSessionUpstream({
    begin: async () => begin,
    said: {
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, experimental: { odd: { a: 1 } } },
      instructions: "Ask twice.",
    },
    call: async ({ session, message: { id, params } }, stream) => {
      if (params?.name === "wait") return;
      if (params?.name === "ask") {
        stream.send({ jsonrpc: "2.0", id: 7, method: "elicitation/create", params: {} });
        await came(session ?? "", (message) => message.id === 7);
      }
      stream.send({ jsonrpc: "2.0", id, result: { content: [] } });
      stream.end();
    },
  });
  it = await proxyGateway({ ledger: upstream.url });
});
afterAll(async () => {
  await it.close();
  await upstream.close();
});

/** Messages of an upstream's session, once there are any that fit. */
async function came(session: string, fits: (message: Came["message"]) => boolean): Promise<Came> {
  const find = async () => upstream.came.findLast((one) => one.session === session && fits(one.message));
  return (await eventually(find, (found) => found !== undefined)) as Came;
}

interface Heard {
  readonly agent: AgentSession;
  readonly events: EventReader;
  readonly at: OpenedStream;
  readonly session: string;
}

/** A session whose stream is open, and with it the one of its session at the upstream. */
async function heard(capabilities = CAPABLE): Promise<Heard> {
  const before = upstream.streams.length;
  const agent = await it.open(capabilities);
  const events = await it.get(agent);
  const at = (await eventually(
    async () => upstream.streams[before],
    (found) => found !== undefined,
  )) as OpenedStream;
  return { agent, events, at, session: at.session ?? "" };
}

describe("the stream of an agent's session", () => {
  let agent: AgentSession;
  let events: EventReader;
  let at: OpenedStream;
  let session: string;
  beforeEach(async () => {
    ({ agent, events, at, session } = await heard());
  });
  afterEach(() => events.cancel());

  test("has what the upstream tells, with the agent's names of resources and numbers as they were written", async () => {
    at.stream.send('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":12345678901234567890}}');
    const uri = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "file:///a" } };
    at.stream.send(uri);
    expect((await events.next())?.retry).toBeDefined();
    const event = await events.next();
    expect(event?.data).toContain('"data":12345678901234567890');
    expect(await events.message()).toEqual({ ...uri, params: { uri: "ledger+file:///a" } });
  });

  test("tells that a list has changed, and from then on lists are read anew", async () => {
    const list = () => it.ask(request("tools/list"), agent.headers);
    const asked = () => upstream.lists.filter(({ message }) => message.method === "tools/list").length;
    await list();
    const before = asked();
    await list();
    expect(asked()).toBe(before);
    at.stream.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    await list();
    expect(asked()).toBe(before + 1);
  });

  test("has what the upstream asks, and its answer comes back in the same session", async () => {
    const params = { messages: [], _meta: { progressToken: 3 } };
    at.stream.send({ jsonrpc: "2.0", id: "q", method: "sampling/createMessage", params });
    const asked = await events.message();
    expect(asked).toMatchObject({ id: 'ledger/"q"', params: { _meta: { progressToken: "ledger/3" } } });
    const progress = notification("notifications/progress", { progressToken: "ledger/3", progress: 1 });
    expect((await it.post(progress, agent.headers)).status).toBe(202);
    const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(asked?.id)},"result":{"n":12345678901234567890}}`;
    expect((await it.post(answer, agent.headers)).status).toBe(202);
    const told = await came(session, ({ method }) => method === "notifications/progress");
    expect(told.message.params).toEqual({ progressToken: 3, progress: 1 });
    const answered = await came(session, ({ id }) => id === "q");
    expect(answered.text).toContain('"n":12345678901234567890');
    at.stream.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "q" } });
    expect(await events.message()).toMatchObject({ params: { requestId: 'ledger/"q"' } });
  });

  test("goes on where the upstream's ended", async () => {
    at.stream.write("retry: 100\n\n");
    at.stream.send({ jsonrpc: "2.0", method: "notifications/message", params: { data: "a" } }, "event-1");
    expect(await events.message()).toMatchObject({ params: { data: "a" } });
    const before = upstream.streams.length;
    at.stream.end();
    const next = await eventually(
      async () => upstream.streams[before],
      (found) => found !== undefined,
    );
    expect(next).toMatchObject({ session, lastEventId: "event-1" });
  });

  test("goes on where the upstream forgot the session, in another one", async () => {
    at.stream.write("retry: 100\n\n");
    upstream.forget();
    const before = upstream.streams.length;
    at.stream.end();
    const next = await eventually(
      async () => upstream.streams[before],
      (found) => found !== undefined,
    );
    next?.stream.send({ jsonrpc: "2.0", method: "notifications/message", params: { data: "b" } });
    expect(await events.message()).toMatchObject({ params: { data: "b" } });
    expect(next?.session).not.toBe(session);
  });

  test("ends, and the upstream's with it", async () => {
    await events.cancel();
    await eventually(async () => at.stream.isGone(), Boolean);
  });

  test("does not ask the agent what only the gateway answers", async () => {
    at.stream.send({ jsonrpc: "2.0", id: 5, method: "ping" });
    expect((await came(session, ({ id }) => id === 5)).message.result).toEqual({});
  });

  test("moves to the session that takes the place of one that the upstream forgot, with its subscriptions", async () => {
    await it.ask(request("resources/subscribe", { uri: "ledger+file:///a" }), agent.headers);
    expect((await came(session, ({ method }) => method === "resources/subscribe")).message.params).toEqual({
      uri: "file:///a",
    });
    upstream.forget();
    const before = upstream.streams.length;
    expect(await it.ask(request("tools/call", { name: "ledger_x" }), agent.headers)).toMatchObject({ result: {} });
    const next = await eventually(
      async () => upstream.streams[before],
      (found) => found !== undefined,
    );
    const subscribed = await came(next?.session ?? "", ({ method }) => method === "resources/subscribe");
    expect(subscribed.message.params).toEqual({ uri: "file:///a" });
    await it.ask(request("resources/unsubscribe", { uri: "ledger+file:///a" }), agent.headers);
    const [kept] = Object.values((await record(agent))?.upstreams ?? {});
    expect(kept).toMatchObject({ sessionId: next?.session });
    expect(kept?.subscriptions).toBeUndefined();
  });
});

async function record({ headers }: AgentSession) {
  const { sessionHash } = await import("../../../lib/protocol/mcp/session-id.ts");
  const [id = ""] = Object.values(headers);
  return it.dependencies.stores.mcpSessions.get(sessionHash(id), it.clock.now());
}

test("an agent that cannot be asked is not", async () => {
  const { events, at, session } = await heard({ ...CAPABLE, sampling: undefined } as never);
  at.stream.send({ jsonrpc: "2.0", id: 6, method: "sampling/createMessage", params: {} });
  const refused = await came(session, ({ id }) => id === 6);
  expect(refused.message.error).toMatchObject({ code: -32601 });
  await events.cancel();
});

test("an answer of one agent never gets into the session of another", async () => {
  const [one, other] = [await heard(), await heard()];
  one.at.stream.send({ jsonrpc: "2.0", id: 8, method: "roots/list" });
  const asked = await one.events.message();
  await it.post({ jsonrpc: "2.0", id: asked?.id, result: { roots: ["foreign"] } }, other.agent.headers);
  await came(other.session, ({ id }) => id === 8);
  await it.post({ jsonrpc: "2.0", id: asked?.id, result: { roots: [] } }, one.agent.headers);
  expect((await came(one.session, ({ id }) => id === 8)).message.result).toEqual({ roots: [] });
  await Promise.all([one.events.cancel(), other.events.cancel()]);
});

test("answers that nobody asked for, and those for apps that there are not, go nowhere", async () => {
  const agent = await it.open(CAPABLE);
  await it.settled();
  const before = upstream.came.length;
  for (const id of [1, "ledger", "other/1", "ledger/{}", "ledger/~x", "%/1"]) {
    expect((await it.post({ jsonrpc: "2.0", id, result: {} }, agent.headers)).status).toBe(202);
  }
  await it.settled();
  expect(upstream.came.slice(before)).toEqual([]);
});

test("what a call asks goes out on its own stream, and the call goes on with the answer", async () => {
  const agent = await it.open(CAPABLE);
  const events = readEvents(await it.post(request("tools/call", { name: "ledger_ask" }, 21), agent.headers));
  const asked = await events.message();
  expect(asked).toMatchObject({ id: "ledger/7", method: "elicitation/create" });
  await it.post({ jsonrpc: "2.0", id: asked?.id, result: { action: "decline" } }, agent.headers);
  expect(await events.rest()).toMatchObject([{ id: 21, result: { content: [] } }]);
});

test("a call that the agent cancels is cancelled at the upstream", async () => {
  const agent = await it.open(CAPABLE);
  const calling = it.post(request("tools/call", { name: "ledger_wait" }, 22), agent.headers);
  const call = await eventually(
    async () => upstream.came.findLast(({ message }) => message.params?.name === "wait"),
    (found) => found !== undefined,
  );
  await it.post(notification("notifications/cancelled", { requestId: 22 }), agent.headers);
  const told = await came(call?.session ?? "", ({ method }) => method === "notifications/cancelled");
  expect(told.message.params).toMatchObject({ requestId: 22 });
  await (await calling).text();
});

test.each([
  ["The user closed the page.", "The user closed the page."],
  [`${"x".repeat(499)}\u{1f600}`, `${"x".repeat(499)}\ufffd`],
  [{ a: 1 }, undefined],
])("what the agent says of a cancellation reaches the upstream, up to 500 characters", async (reason, told) => {
  const agent = await it.open(CAPABLE);
  const calling = it.post(request("tools/call", { name: "ledger_wait" }, 23), agent.headers);
  const call = await eventually(
    async () => upstream.came.findLast(({ message }) => message.params?.name === "wait"),
    (found) => found !== undefined && !upstream.came.some((one) => isCancelled(one, found.session)),
  );
  await it.post(notification("notifications/cancelled", { requestId: 23, reason }), agent.headers);
  const { message } = await came(call?.session ?? "", ({ method }) => method === "notifications/cancelled");
  expect(message.params?.requestId).toBe(23);
  expect(message.params?.reason).toBe(told);
  await (await calling).text();
});

function isCancelled({ session, message }: Came, of: string | null): boolean {
  return session === of && message.method === "notifications/cancelled";
}

describe("a session", () => {
  test("begins one at the upstream, as the same client, and says what that says", async () => {
    const { said, headers } = await it.open(CAPABLE);
    expect(said.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true },
      experimental: { odd: { a: 1 } },
    });
    expect(said.instructions).toBe("Ask twice.");
    await it.settled();
    const began = upstream.came.findLast(({ message }) => message.method === "initialize");
    expect(began?.message.params).toMatchObject({ capabilities: CAPABLE, clientInfo: { name: "agent", version: "7" } });
    expect(Object.keys((await record({ headers, said }))?.upstreams ?? {})).toEqual(["ledger"]);
  });

  test("passes on what changes for its upstream: roots, log level and what nobody knows", async () => {
    const { agent, events, session } = await heard();
    await it.post(notification("notifications/roots/list_changed"), agent.headers);
    await it.post(notification("notifications/odd", { a: 1 }), agent.headers);
    await it.ask(request("logging/setLevel", { level: "debug" }), agent.headers);
    expect((await came(session, ({ method }) => method === "logging/setLevel")).message.params).toEqual({
      level: "debug",
    });
    expect((await came(session, ({ method }) => method === "notifications/odd")).message.params).toEqual({ a: 1 });
    await came(session, ({ method }) => method === "notifications/roots/list_changed");
    await events.cancel();
  });

  test("passes on the log level that its agent asked for while the session at the upstream began", async () => {
    // From then on the gateway knows the upstream, and an agent does not wait for its session there.
    await (await heard()).events.cancel();
    const { promise, resolve } = Promise.withResolvers<void>();
    const initialized = () => upstream.came.filter(({ message }) => message.method === "initialize").length;
    const [before, streams] = [initialized(), upstream.streams.length];
    begin = promise;
    const agent = await it.open();
    await eventually(
      async () => initialized(),
      (count) => count > before,
    );
    await it.ask(request("logging/setLevel", { level: "notice" }), agent.headers);
    begin = undefined;
    resolve();
    const told = await eventually(
      async () => upstream.came.find(({ message }) => message.params?.level === "notice"),
      (found) => found !== undefined,
    );
    expect(told?.message.method).toBe("logging/setLevel");
    expect(upstream.streams.length).toBe(streams);
    expect((await it.remove(agent)).status).toBe(204);
    await it.settled();
    expect(upstream.ended).toContain(told?.session);
  });

  test("ends its session at the upstream with itself", async () => {
    const { agent, session, events } = await heard();
    expect((await it.remove(agent)).status).toBe(204);
    await it.settled();
    expect(upstream.ended).toContain(session);
    await events.cancel();
  });
});
