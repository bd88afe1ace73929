import { afterEach, describe, expect, test, vi } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { createEventStream, type EventStream } from "../../lib/mcp/event-stream.ts";
import { type EventReader, readEvents, type StreamEvent } from "../behaviour/mcp/events.ts";

afterEach(() => void vi.useRealTimers());

const KIB = 1024;
const LIMIT = 2_048 * KIB;

function opened(): { readonly stream: EventStream; readonly events: EventReader } {
  const stream = createEventStream({ limit: LIMIT });
  return { stream, events: readEvents(stream.response) };
}

async function everything({ next }: EventReader): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (let event = await next(); event !== undefined; event = await next()) events.push(event);
  return events;
}

const told = (text: string) => ({ jsonrpc: "2.0", method: "notifications/message", params: { data: text } });
const message = (data: string): StreamEvent => ({ type: "message", data });

test("an open message goes out while it is written, and everything else in order behind it", async () => {
  const { stream, events } = opened();
  stream.send(told("before"));
  const answer = stream.openMessage();
  await answer.write(utf8('{"id":'));
  stream.send(told("meanwhile"));
  stream.sendText('{"as": "it is"}');
  await answer.write(utf8("1}"));
  answer.commit();
  stream.sendEvent("other", "behind");
  stream.close();
  expect(await everything(events)).toEqual([
    message(JSON.stringify(told("before"))),
    message('{"id":1}'),
    message(JSON.stringify(told("meanwhile"))),
    message('{"as": "it is"}'),
    { type: "other", data: "behind" },
  ]);
});

test("of two open messages the second waits until the first is whole", async () => {
  const { stream, events } = opened();
  const [first, second] = [stream.openMessage(), stream.openMessage()];
  const writing = Promise.all([second.write(utf8("[2,")), second.write(utf8("2]"))]).then(second.commit);
  await first.write(utf8("[1,"));
  stream.send(told("behind both"));
  await first.write(utf8("1]"));
  first.commit();
  await writing;
  stream.close();
  const texts = (await everything(events)).map(({ data }) => data);
  expect(texts).toEqual(["[1,1]", "[2,2]", JSON.stringify(told("behind both"))]);
});

test("a message that was withdrawn is an event that clients pass over, and what waited follows", async () => {
  const { stream, events } = opened();
  const answer = stream.openMessage();
  await answer.write(utf8('{"id":1,"resu'));
  stream.send(told("meanwhile"));
  answer.withdraw();
  answer.commit();
  stream.close();
  expect(await everything(events)).toEqual([
    { type: "aborted", data: '{"id":1,"resu' },
    message(JSON.stringify(told("meanwhile"))),
  ]);
});

test("of a message that was withdrawn before its first byte nothing goes out", async () => {
  const { stream, events } = opened();
  const answer = stream.openMessage();
  await answer.write(new Uint8Array());
  answer.withdraw();
  stream.close();
  expect(await everything(events)).toEqual([]);
});

test("a stream that is closed withdraws what is open, and what waited still goes out", async () => {
  const { stream, events } = opened();
  const answer = stream.openMessage();
  await answer.write(utf8("{"));
  stream.send(told("meanwhile"));
  stream.close();
  expect((await everything(events)).map(({ type }) => type)).toEqual(["aborted", "message"]);
  await expect(answer.write(utf8("}"))).rejects.toThrow(/Nobody reads/);
});

test("line breaks of an upstream make no events", async () => {
  const { stream, events } = opened();
  const forged = 'event: other\ndata: {"id":2}';
  const answer = stream.openMessage();
  await answer.write(utf8(`{"id":1,\r\n\r\n${forged}\n`));
  await answer.write(utf8("\n}"));
  answer.commit();
  stream.sendText(`{"id":3,\r\n\r${forged}}`);
  stream.close();
  const found = await everything(events);
  expect(found.map(({ type }) => type)).toEqual(["message", "message"]);
  expect(found[0]?.data).toBe('{"id":1,    event: other data: {"id":2}  }');
});

describe("a client that reads slowly", () => {
  const chunk = new Uint8Array(100 * KIB).fill(120);

  test("is not sent more than it has room for", async () => {
    const stream = createEventStream({ limit: LIMIT });
    const reader = (stream.response.body as ReadableStream<Uint8Array>).getReader();
    const answer = stream.openMessage();
    let written = 0;
    const writing = (async () => {
      for (; written < 20; written++) await answer.write(chunk);
      answer.commit();
      stream.close();
    })();
    // Each of what can go on does so before the next macrotask.
    const settled = () => new Promise(setImmediate);
    await settled();
    expect(written).toBe(2);
    let read = 0;
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
      read += value.length;
      await settled();
      // The one that waits is out already.
      expect((written + 1) * chunk.length - read).toBeLessThan(256 * KIB + chunk.length);
    }
    await writing;
    expect(read).toBe(": keep-alive\n\ndata: \n\n".length + 20 * chunk.length);
  });

  test("and leaves lets go of who waits for it", async () => {
    const stream = createEventStream({ limit: LIMIT });
    const answer = stream.openMessage();
    const writing = Promise.allSettled([1, 2, 3].map(() => answer.write(chunk)));
    await stream.response.body?.cancel();
    expect((await writing).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    await expect(answer.write(chunk)).rejects.toMatchObject({ name: "AbortError" });
    answer.withdraw();
  });

  test("not at all for a minute is as good as gone, and one that reads a little is not", async () => {
    vi.useFakeTimers();
    const stream = createEventStream({ limit: LIMIT });
    const reader = (stream.response.body as ReadableStream<Uint8Array>).getReader();
    const answer = stream.openMessage();
    const writing = (async () => {
      for (;;) await answer.write(chunk);
    })();
    const ended = expect(writing).rejects.toMatchObject({ name: "AbortError" });
    for (let count = 0; count < 3; count++) {
      await vi.advanceTimersByTimeAsync(59_000);
      for (let read = 0; read < 3; read++) await reader.read();
    }
    await vi.advanceTimersByTimeAsync(59_999);
    expect(stream.gone.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await ended;
    expect(stream.gone.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test("costs no more than the limit while others wait behind an open message", async () => {
    const stream = createEventStream({ limit: KIB });
    await stream.openMessage().write(utf8("{"));
    for (let index = 0; index < 100 && !stream.gone.aborted; index++) stream.send(told("x".repeat(100)));
    expect(stream.gone.aborted).toBe(true);
    await expect(stream.response.text()).rejects.toThrow(/does not read/);
  });
});

test("no comment comes between the bytes of a message", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const stream = createEventStream({ limit: LIMIT, keepAlive: 1_000 });
  const reader = (stream.response.body as ReadableStream<Uint8Array>).getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  await next();
  const answer = stream.openMessage();
  await answer.write(utf8("[1"));
  expect([await next(), await next()]).toEqual(["data: ", "[1"]);
  vi.advanceTimersByTime(5_000);
  await answer.write(utf8("]"));
  answer.commit();
  expect([await next(), await next()]).toEqual(["]", "\n\n"]);
  vi.advanceTimersByTime(1_000);
  expect(await next()).toBe(": keep-alive\n\n");
  stream.close();
});
