import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type EventReader, readEvents } from "../behaviour/mcp/events.ts";
import { notification, request } from "../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { startUpstream } from "../support/upstream.ts";
import { HOUR, type OpenGateway, openGateway } from "./open-gateway.ts";

const LOOK = 15_000;

let it: OpenGateway;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await it.close();
});

/** Time goes by for clock and timers alike. */
async function pass(milliseconds: number): Promise<void> {
  it.clock.set(it.clock.now() + milliseconds);
  await vi.advanceTimersByTimeAsync(milliseconds);
}

/** What an open stream keeps going has ended. */
async function noTimers(): Promise<void> {
  await eventually(
    async () => vi.getTimerCount(),
    (count) => count === 0,
  );
}

const LISTEN = "subscriptions/listen";
type Open = (signal?: AbortSignal) => Promise<Response>;
const STREAMS: Readonly<Record<string, Open>> = {
  "the stream of a session": async (signal) => it.get(await it.open(), signal),
  "a stream of changes": (signal) =>
    it.post(modern(LISTEN, { notifications: { toolsListChanged: true } }), modernHeaders(LISTEN), signal),
};

describe.each(Object.entries(STREAMS))("%s", (name, open) => {
  /** The reader behind what the stream begins with. */
  const opened = async (): Promise<EventReader> => {
    const events = readEvents(await open());
    if (name.includes("changes")) await events.message();
    else await events.next();
    return events;
  };

  test("has a comment every 15 seconds and none before, for as long as nothing else is said", async () => {
    it = await openGateway();
    const events = await opened();
    let comments = 0;
    const counting = (async () => {
      while ((await events.comment()) !== undefined) comments += 1;
    })();
    await pass(LOOK - 1);
    expect(comments).toBe(0);
    await pass(1);
    expect(comments).toBe(1);
    await pass(LOOK);
    expect(comments).toBe(2);
    await events.cancel();
    await counting;
    await noTimers();
  });

  test("tells once that the tools have changed, and nothing when they have not", async () => {
    it = await openGateway();
    const events = await opened();
    const told = vi.fn();
    const telling = (async () => {
      for (let message = await events.message(); message !== undefined; message = await events.message()) told(message);
    })();
    it.serveOnly(() => true);
    await it.post(request("ping"));
    await pass(2 * LOOK);
    expect(told).not.toHaveBeenCalled();
    it.serveOnly((tool) => tool !== "getNote");
    // The next request is served by the new configuration.
    await it.post(request("ping"));
    await pass(4 * LOOK);
    expect(told.mock.calls).toEqual([[expect.objectContaining({ method: "notifications/tools/list_changed" })]]);
    await events.cancel();
    await telling;
  });

  test("leaves nothing behind when its client was gone before it opened", async () => {
    it = await openGateway();
    const response = await open(AbortSignal.abort());
    expect(response.status).toBe(200);
    await response.text();
    await noTimers();
  });
});

test("an open stream is a use of its session, however short it may idle, until the moment it ends", async () => {
  for (const timeout of [1_000, 20_000, HOUR]) {
    it = await openGateway({ session: { timeout } });
    const headers = await it.open();
    const events = readEvents(await it.get(headers));
    for (let i = 0; i < 20; i += 1) await pass(timeout / 5);
    await pass(Math.floor(timeout / 7));
    await events.cancel();
    await noTimers();
    await it.settled();
    it.clock.set(it.clock.now() + timeout);
    expect((await it.post(request("ping"), headers)).status).toBe(200);
    it.clock.set(it.clock.now() + timeout + Math.ceil(timeout / 60));
    expect((await it.post(request("ping"), headers)).status).toBe(404);
    await it.close();
  }
  it = await openGateway();
});

test("the stream of a session that was ended elsewhere ends with the next look", async () => {
  it = await openGateway({ session: { timeout: 60_000 } });
  const headers = await it.open();
  const events = readEvents(await it.get(headers));
  const ended = events.rest();
  // Nobody tells this instance: what it finds out, the store says.
  vi.spyOn(it.dependencies.sessionChannel ?? expect.fail(), "publish").mockResolvedValue(0);
  await it.send("/mcp", { method: "DELETE", headers });
  await pass(LOOK);
  expect(await ended).toEqual([]);
});

test("a call that takes its time has a comment every 15 seconds", async () => {
  const upstream = await startUpstream();
  it = await openGateway({ upstreamURL: upstream.url });
  const call = request("tools/call", { name: "slow", arguments: {} });
  const events = readEvents(await it.post(call, { ...(await it.open()), accept: "text/event-stream" }));
  expect(await events.next()).toMatchObject({ data: "", retry: "1000" });
  for (let i = 0; i < 2; i += 1) {
    const comment = events.comment();
    await pass(LOOK);
    expect(await comment).toEqual(expect.any(String));
  }
  await expect.poll(() => upstream.waiting).toBe(1);
  upstream.release();
  expect(await events.rest()).toMatchObject([{ id: 1, result: { content: [{ text: "at last" }] } }]);
  await upstream.stop();
});

test("a client whose call was cancelled asks for the rest of its stream once, and is told that there is none", async () => {
  const upstream = await startUpstream();
  it = await openGateway({ upstreamURL: upstream.url });
  const headers = await it.open();
  const call = request("tools/call", { name: "slow", arguments: {} }, "one");
  const events = readEvents(await it.post(call, { ...headers, accept: "text/event-stream" }));
  const { id = "" } = (await events.next()) ?? expect.fail("no event");
  await it.post(notification("notifications/cancelled", { requestId: "one" }), headers);
  expect(await events.rest()).toEqual([]);
  const listening = readEvents(await it.get(headers));
  await listening.next();
  const again = await it.get({ ...headers, "last-event-id": id });
  expect([again.status, await again.json()]).toMatchObject([
    405,
    { error: { message: expect.stringContaining("left") } },
  ]);
  // The stream that it has stays.
  let isOver = false;
  const ended = listening.next().then(() => {
    isOver = true;
  });
  await it.post(request("ping"), headers);
  expect(isOver).toBe(false);
  await it.send("/mcp", { method: "DELETE", headers });
  await ended;
  await upstream.stop();
});

describe("HTTP+SSE", () => {
  const connect = () => it.send("/sse", { headers: { accept: "text/event-stream" } });

  test("names the configured base in front of the path to post to", async () => {
    it = await openGateway({ sse: { baseURL: "https://front.example/gw" } });
    const events = readEvents(await connect());
    const data = (await events.next())?.data;
    expect(data).toMatch(/^https:\/\/front\.example\/gw\/messages\?sessionId=[\w-]{43}$/);
    await events.cancel();
  });

  test.each([undefined, 1_000, 40_000])("sends comments at the interval %j alone", async (keepAlive) => {
    it = await openGateway({ sse: { ...(keepAlive !== undefined && { keepAlive }) } });
    const events = readEvents(await connect());
    await events.next();
    let comments = 0;
    const counting = (async () => {
      while ((await events.comment()) !== undefined) comments += 1;
    })();
    for (let i = 0; i < 80; i += 1) await pass(1_000);
    expect(comments).toBe(keepAlive === undefined ? 0 : 80_000 / keepAlive);
    await events.cancel();
    await counting;
  });
});
