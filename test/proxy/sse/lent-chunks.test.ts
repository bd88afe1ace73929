import { expect, test, vi } from "vitest";
import { lend } from "../../../lib/upstream/sse/routes.ts";

const CHUNK = { value: new Uint8Array([1]), done: false } as const;

/** Chunks that come when the test says. */
function source() {
  const asked: PromiseWithResolvers<IteratorResult<Uint8Array>>[] = [];
  const next = vi.fn(() => {
    const chunk = Promise.withResolvers<IteratorResult<Uint8Array>>();
    asked.push(chunk);
    return chunk.promise;
  });
  const lent = lend({ [Symbol.asyncIterator]: () => ({ next }) });
  const isOver = async () => (await Promise.race([lent.over.then(() => true), settled()])) ?? false;
  return { asked, next, lent, isOver, reader: lent.chunks[Symbol.asyncIterator]() };
}

/** When everything that could happen by itself has happened. */
function settled(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(resolve, undefined));
}

test("a reader that waits is gone at once; the stream is read on when its chunk has come", async () => {
  const { asked, lent, isOver, reader } = source();
  const reading = reader.next();
  lent.takeBack("given up");
  await expect(reading).rejects.toBe("given up");
  expect(await isOver()).toBe(false);
  asked[0]?.resolve(CHUNK);
  expect(await isOver()).toBe(true);
});

test("a reader that was busy meanwhile gets no other chunk", async () => {
  const { asked, next, lent, isOver, reader } = source();
  const reading = reader.next();
  asked[0]?.resolve(CHUNK);
  await reading;
  lent.takeBack("given up");
  expect(await isOver()).toBe(true);
  await expect(reader.next()).rejects.toBe("given up");
  expect(next).toHaveBeenCalledOnce();
});

test("a reader that comes to the end, leaves or meets a failure lets the stream be read on", async () => {
  const ended = source();
  void ended.reader.next();
  expect(await ended.isOver()).toBe(false);
  ended.asked[0]?.resolve({ value: undefined, done: true });
  expect(await ended.isOver()).toBe(true);
  const left = source();
  await left.reader.return?.();
  expect(await left.isOver()).toBe(true);
  const failed = source();
  const reading = failed.reader.next();
  failed.asked[0]?.reject("broken off");
  await expect(reading).rejects.toBe("broken off");
  expect(await failed.isOver()).toBe(true);
});
