import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createEventStream } from "../../lib/mcp/event-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MESSAGE = { jsonrpc: "2.0", method: "notifications/message" };

function reading({ body }: Response): () => Promise<string | undefined> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  return async () => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
}

test("the first byte goes out at once, and messages follow one by one", async () => {
  const stream = createEventStream({ limit: 1_000 });
  const next = reading(stream.response);
  expect(await next()).toBe(": keep-alive\n\n");
  stream.send(MESSAGE);
  expect(await next()).toBe(`event: message\ndata: ${JSON.stringify(MESSAGE)}\n\n`);
  stream.close();
  expect(await next()).toBeUndefined();
  expect(stream.gone.aborted).toBe(true);
});

test("a client that never reads its stream costs no more than the limit, and loses the stream", async () => {
  const stream = createEventStream({ limit: 1_000 });
  for (let index = 0; index < 10_000 && !stream.gone.aborted; index++) stream.send(MESSAGE);
  expect(stream.gone.aborted).toBe(true);
  const next = reading(stream.response);
  await expect(next()).rejects.toThrow(/does not read/);
});

test("an idle stream has one comment an interval, and no more than one that waits", async () => {
  const stream = createEventStream({ limit: 1_000, keepAlive: 15_000 });
  const next = reading(stream.response);
  await next();
  vi.advanceTimersByTime(14_999);
  stream.send(MESSAGE);
  expect(await next()).toMatch(/^event/);
  vi.advanceTimersByTime(1);
  expect(await next()).toBe(": keep-alive\n\n");
  vi.advanceTimersByTime(10 * 15_000);
  expect(await next()).toBe(": keep-alive\n\n");
  stream.close();
  expect(await next()).toBeUndefined();
});

test("nothing runs for a stream that has ended, whoever ended it", async () => {
  const ended = createEventStream({ limit: 1_000, keepAlive: 15_000 });
  ended.close();
  const left = createEventStream({ limit: 1_000, keepAlive: 15_000 });
  await left.response.body?.cancel();
  expect(left.gone.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  left.send(MESSAGE);
  left.close();
});
