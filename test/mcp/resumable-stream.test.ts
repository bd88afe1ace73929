import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import { createResumableStream, RESUME_WINDOW, readEventId } from "../../lib/mcp/resumable-stream.ts";
import { createResumptionRoom } from "../../lib/mcp/resumption-room.ts";
import { localSessionChannel } from "../../lib/mcp/sessions/local-channel.ts";
import type { SessionSignal } from "../../lib/stores/session-channel.ts";
import { readEvents } from "../behaviour/mcp/events.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SESSION = "the session";
const MEBI = 1024 * 1024;

/** An instance with a session, at which streams begin. */
function instance() {
  const channel = localSessionChannel();
  const room = createResumptionRoom();
  const stopping = new AbortController();
  const begin = async (caller = "ada") => {
    let isOver = false;
    const waitUntil = (work: Promise<void>) => {
      void work.then(() => {
        isOver = true;
      });
    };
    const resumption = { sessionHash: SESSION, channel, caller, room, random, waitUntil, stopping: stopping.signal };
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
  return { begin, resume, room, stopping };
}

const numbered = (n: number) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { n } });
const text = (n: number) => JSON.stringify(numbered(n));

test("a stream waits for its client for half a minute, and is given up then", async () => {
  const stream = await instance().begin();
  await stream.events.cancel();
  await vi.advanceTimersByTimeAsync(RESUME_WINDOW - 1);
  expect([stream.gone.aborted, stream.isOver()]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([stream.gone.aborted, stream.isOver()]).toEqual([true, true]);
  expect(vi.getTimerCount()).toBe(0);
});

test("whoever comes back gets what it has not got, and what follows, as often as it leaves", async () => {
  const { begin, resume } = instance();
  const { id, send, close, events, gone, isOver } = await begin();
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
  expect(isOver()).toBe(true);
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
  const { begin, stopping } = instance();
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

test.each([
  ["another stream's", "A".repeat(22), 0],
  ["of an event that is still to come", undefined, 2],
])("nobody answers to the id %s", async (_, other, after) => {
  const { begin, resume } = instance();
  const { id, send } = await begin();
  send(numbered(1));
  expect(await (await resume(other ?? id, after)).told()).toEqual([]);
});

test("57. what is kept for a client is a mebibyte: older events go while it is there, and the stream while it is not", async () => {
  const { begin, resume } = instance();
  const there = await begin();
  const third = JSON.stringify("x".repeat(MEBI / 3));
  for (let n = 0; n < 6; n++) there.sendText(third);
  there.close();
  expect(await (await resume(there.id, 0, "too late")).told()).toEqual([]);
  expect(await (await resume(there.id, 4)).told()).toEqual(["resumed", third, third, "stream_over"]);

  const away = await begin();
  await away.events.cancel();
  for (let n = 0; n < 2; n++) away.sendText(third);
  expect(away.gone.aborted).toBe(false);
  for (let n = 0; n < 2; n++) away.sendText(third);
  expect([away.gone.aborted, away.isOver()]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(0);
  expect(away.isOver()).toBe(true);
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
  [null],
  [""],
  ["42"],
  [`${"A".repeat(22)}.`],
  [`${"A".repeat(22)}.1.1`],
  [`${"A".repeat(21)}.1`],
  [`${"A".repeat(22)}.1234567890`],
])("%j is no id of an event", (id) => expect(readEventId(id)).toBeUndefined());
