import { expect, test } from "vitest";
import { observeBody } from "../../lib/telemetry/server-request.ts";

test("a body stays the same, and its end is told when the last piece was taken", async () => {
  let ended = 0;
  const body = observeBody(streamOf(["one", "two"]), () => ended++);
  const reader = body.getReader();
  expect(text(await reader.read())).toBe("one");
  expect(text(await reader.read())).toBe("two");
  expect(ended).toBe(0);
  expect((await reader.read()).done).toBe(true);
  expect(ended).toBe(1);
});

test("whoever gives up a body gives up what makes it, and that is its end", async () => {
  let ended = 0;
  let reason: unknown;
  const source = new ReadableStream<Uint8Array>({
    cancel: (given) => {
      reason = given;
    },
  });
  await observeBody(source, () => ended++).cancel("gone");
  expect(reason).toBe("gone");
  expect(ended).toBe(1);
});

test("a body that breaks off breaks off for its reader, and that is its end", async () => {
  let ended = 0;
  const source = new ReadableStream<Uint8Array>({
    pull: () => {
      throw new Error("broken");
    },
  });
  await expect(new Response(observeBody(source, () => ended++)).text()).rejects.toThrow("broken");
  expect(ended).toBe(1);
});

test("nothing is read ahead of the reader", async () => {
  let pulled = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        pulled++;
        controller.enqueue(new Uint8Array(1));
      },
    },
    { highWaterMark: 0 },
  );
  const reader = observeBody(source, () => undefined).getReader();
  await reader.read();
  await reader.read();
  expect(pulled).toBe(2);
});

function streamOf(pieces: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}

function text({ value }: ReadableStreamReadResult<Uint8Array>): string {
  return new TextDecoder().decode(value);
}
