import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import { exchange } from "../../lib/mcp/exchange.ts";
import type { Work } from "../../lib/mcp/outlet.ts";
import { createResumableStream, RESUME_WINDOW, type Resumption, readEventId } from "../../lib/mcp/resumable-stream.ts";
import { createResumptionRoom } from "../../lib/mcp/resumption-room.ts";
import { localSessionChannel } from "../../lib/mcp/sessions/local-channel.ts";
import type { SessionSignal } from "../../lib/stores/session-channel.ts";
import { readEvents } from "../behaviour/mcp/events.ts";
import { eventually } from "../support/eventually.ts";
import { garbageCollector } from "../support/garbage-collector.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SESSION = "the session";
const MEBI = 1024 * 1024;
const BOTH = { json: true, stream: true };

/** An instance with a session, at which streams begin. */
function instance(runtime: { readonly outlives?: number } = {}) {
  const channel = { ...localSessionChannel(), ...runtime };
  const room = createResumptionRoom();
  const stopping = new AbortController();
  const resumptionOf = (caller: string, waitUntil: (work: Promise<void>) => void = () => undefined): Resumption => {
    const of = { kind: "call", sessionHash: SESSION, caller } as const;
    return { ...of, channel, room, random, waitUntil, stopping: stopping.signal };
  };
  const begin = async (caller = "ada") => {
    let isOver = false;
    const resumption = resumptionOf(caller, (work) => {
      void work.then(() => {
        isOver = true;
      });
    });
    const stream = createResumableStream({ limit: 32 * MEBI }, resumption);
    const events = readEvents(stream.response);
    const first = (await events.next()) ?? expect.fail("no event");
    const id = readEventId(first.id ?? null)?.stream ?? expect.fail("no id");
    return { ...stream, events, id, isOver: () => isOver };
  };
  /** What a request is sent that asks for the rest of a stream. */
  const resume = async (stream: string, after: number, by = "a request") => {
    const heard: SessionSignal[] = [];
    const { stop } = await channel.follow(SESSION, (signal) => {
      if ("by" in signal && signal.by === by && signal.kind !== "resume" && signal.kind !== "reader_left")
        heard.push(signal);
    });
    await channel.publish(SESSION, { kind: "resume", stream, after, by });
    const told = async () => {
      await vi.advanceTimersByTimeAsync(0);
      return heard.map((signal) => (signal.kind === "event" ? signal.text : signal.kind));
    };
    const leave = async () => {
      stop();
      await channel.publish(SESSION, { kind: "reader_left", stream, by });
    };
    return { told, leave };
  };
  return { resumptionOf, begin, resume, room, stopping };
}

const numbered = (n: number) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { n } });
const text = (n: number) => JSON.stringify(numbered(n));

test("a stream waits for its client for half a minute, and is given up then", async () => {
  const stream = await instance().begin();
  await stream.events.cancel();
  await vi.advanceTimersByTimeAsync(RESUME_WINDOW - 1);
  expect(stream.gone.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(stream.gone.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test("whoever comes back gets what it has not got, and what follows, as often as it leaves", async () => {
  const { begin, resume } = instance();
  const { id, send, close, events, gone } = await begin();
  send(numbered(1));
  await events.cancel();
  send(numbered(2));
  const one = await resume(id, 0, "one");
  send(numbered(3));
  expect(await one.told()).toEqual(["resumed", text(1), text(2), text(3)]);
  await one.leave();
  await vi.advanceTimersByTimeAsync(RESUME_WINDOW - 1);
  const two = await resume(id, 2, "two");
  await vi.advanceTimersByTimeAsync(2 * RESUME_WINDOW);
  expect(gone.aborted).toBe(false);
  const three = await resume(id, 3, "three");
  send(numbered(4));
  close();
  expect(await two.told()).toEqual(["resumed", text(3), "stream_over"]);
  expect(await three.told()).toEqual(["resumed", text(4), "stream_over"]);
  await vi.advanceTimersByTimeAsync(RESUME_WINDOW);
  expect(vi.getTimerCount()).toBe(0);
});

test("a message that is open when the client leaves is whole for the one who comes back, in its place", async () => {
  const { begin, resume } = instance();
  const { id, openMessage, send, close, events } = await begin();
  const message = openMessage();
  await message.write(utf8('{"id":1,'));
  send(numbered(2));
  await events.cancel();
  const back = await resume(id, 0);
  await message.write(utf8('"result":{}}'));
  expect(await back.told()).toEqual(["resumed"]);
  message.commit();
  close();
  expect(await back.told()).toEqual(["resumed", '{"id":1,"result":{}}', text(2), "stream_over"]);
});

test("a message that was withdrawn is none for the one who comes back", async () => {
  const { begin, resume } = instance();
  const { id, openMessage, sendText, close } = await begin();
  const message = openMessage();
  await message.write(utf8("{"));
  message.withdraw();
  sendText("{}");
  close();
  expect(await (await resume(id, 0)).told()).toEqual(["resumed", "{}", "stream_over"]);
});

test("an instance that ends waits for nobody", async () => {
  const { begin, stopping } = instance({ outlives: 20_000 });
  const [ended, away, there] = [await begin(), await begin(), await begin()];
  ended.close();
  await away.events.cancel();
  stopping.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect([ended.isOver(), away.isOver(), there.isOver()]).toEqual([true, true, false]);
  expect([away.gone.aborted, there.gone.aborted]).toEqual([true, false]);
  there.close();
  await vi.advanceTimersByTimeAsync(0);
  expect(there.isOver()).toBe(true);
});

test("what is not there is over, and of another stream nothing is said", async () => {
  const { begin, resume } = instance();
  const { id, send, close } = await begin();
  send(numbered(1));
  expect(await (await resume("c".padEnd(23, "A"), 0)).told()).toEqual([]);
  expect(await (await resume(id, 2, "ahead")).told()).toEqual(["stream_over"]);
  close();
  // A client that has everything would come back for ever.
  expect(await (await resume(id, 1, "done")).told()).toEqual(["stream_over"]);
});

test("a reader that asks again hears that the stream goes on, and one that has left is none any more", async () => {
  const { begin, resume } = instance();
  const { id, events, gone } = await begin();
  await events.cancel();
  const one = await resume(id, 0, "one");
  expect(await (await resume(id, 0, "one")).told()).toEqual(["resumed"]);
  await one.leave();
  expect(await (await resume(id, 0, "one")).told()).toEqual([]);
  await vi.advanceTimersByTimeAsync(RESUME_WINDOW);
  expect(gone.aborted).toBe(true);
});

test("where work cannot outlive its client for long, the stream is over in time, whoever came back", async () => {
  const { begin, resume } = instance({ outlives: 20_000 });
  const { id, events, gone, isOver } = await begin();
  await events.cancel();
  const back = await resume(id, 0);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(gone.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([gone.aborted, isOver()]).toEqual([true, true]);
  expect(await back.told()).toEqual(["resumed", "stream_over"]);
});

test("what ended can be had for half a minute, however often it is asked for", async () => {
  const { begin, resume } = instance();
  const { id, send, close } = await begin();
  send(numbered(1));
  close();
  for (const by of ["one", "two"]) {
    await vi.advanceTimersByTimeAsync(10_000);
    const back = await resume(id, 0, by);
    expect(await back.told()).toEqual(["resumed", text(1), "stream_over"]);
    await back.leave();
  }
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await (await resume(id, 0, "three")).told()).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("what ended is kept without the request that it was of", async () => {
  const { resumptionOf, resume } = instance();
  const requests = new Set<WeakRef<object>>();
  const exchanged = async (): Promise<string> => {
    const request = { signal: new AbortController().signal, resumption: resumptionOf("ada") };
    const work: Work = async ({ relay }) => {
      relay(numbered(1));
      await Promise.resolve(request);
      relay(numbered(2));
    };
    const response = await exchange(work, { forms: BOTH, isLong: true, isBatch: false, ...request });
    for (const held of [request, request.signal, response]) requests.add(new WeakRef(held));
    return /(?<=^id: )[\w-]{23}/.exec(await response.text())?.[0] ?? expect.fail("no id");
  };
  const streams = [await exchanged(), await exchanged()];
  const collect = garbageCollector();
  await eventually(
    async () => {
      collect();
      return [...requests].filter((request) => request.deref() !== undefined).length;
    },
    (left) => left === 0,
  );
  for (const [by, stream] of streams.entries())
    expect(await (await resume(stream, 0, `${by}`)).told()).toEqual(["resumed", text(1), text(2), "stream_over"]);
});

test("57. what is longer than that reaches a reader who is there, and ends the stream where nobody is", async () => {
  const { begin, resume } = instance();
  const there = await begin();
  await there.events.cancel();
  const reader = await resume(there.id, 0);
  const long = JSON.stringify("x".repeat(MEBI));
  there.sendText(long);
  there.send(numbered(2));
  there.close();
  expect(await reader.told()).toEqual(["resumed", long, text(2), "stream_over"]);
  const away = await begin();
  await away.events.cancel();
  const message = away.openMessage();
  await message.write(utf8(long.slice(0, MEBI)));
  await expect(message.write(utf8(long.slice(MEBI)))).rejects.toThrow("Nobody reads");
  expect(away.gone.aborted).toBe(true);
});

test("57. what is kept for a client is a mebibyte: older events go while it is there, and the stream while it is not", async () => {
  const { begin, resume } = instance();
  const there = await begin();
  const third = JSON.stringify("x".repeat(MEBI / 3));
  for (let n = 0; n < 6; n++) there.sendText(third);
  there.close();
  expect(await (await resume(there.id, 0, "too late")).told()).toEqual(["stream_over"]);
  expect(await (await resume(there.id, 4)).told()).toEqual(["resumed", third, third, "stream_over"]);

  const away = await begin();
  await away.events.cancel();
  for (let n = 0; n < 2; n++) away.sendText(third);
  expect(away.gone.aborted).toBe(false);
  for (let n = 0; n < 2; n++) away.sendText(third);
  expect(away.gone.aborted).toBe(true);
});

test("57. twenty streams of a caller wait for their clients, no matter for anybody else", async () => {
  const { begin, room } = instance();
  const leaving = async (caller: string) => {
    const { events, gone } = await begin(caller);
    await events.cancel();
    return gone.aborted;
  };
  for (let count = 0; count < 20; count++) expect(await leaving("ada")).toBe(false);
  expect(await leaving("ada")).toBe(true);
  expect(await leaving("grace")).toBe(false);
  await vi.advanceTimersByTimeAsync(RESUME_WINDOW);
  expect(await leaving("ada")).toBe(false);
  await vi.advanceTimersByTimeAsync(RESUME_WINDOW);
  // All of it was given back.
  expect(room.take("ada", 2 * MEBI)).toBe(true);
  expect(room.take("ada", 1)).toBe(false);
  expect(room.take("grace", 2 * MEBI)).toBe(true);
});

test.each([
  null,
  "",
  "42",
  "c.1",
  ...[".", ".1.1", ".1234567890"].map((end) => `c${"A".repeat(22)}${end}`),
  `x${"A".repeat(22)}.1`,
])("%j is no id of an event", (id) => expect(readEventId(id)).toBeUndefined());
