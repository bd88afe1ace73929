import { describe, expect, test } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { readBody } from "../../lib/protocol/http/read-body.ts";

const URL = "https://us.example/";

/** A body that tells how much of it was read. */
function body(chunks: number, chunk = "0123456789") {
  let read = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (read === chunks) return controller.close();
        read += 1;
        controller.enqueue(utf8(chunk));
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, read: () => read };
}

const request = (stream: ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
  new Request(URL, { method: "POST", body: stream, headers, duplex: "half" } as RequestInit);

const rest = ({ body }: Request | Response) => new Response(body?.pipeThrough(new TransformStream())).text();

describe("37. bodies are read up to a limit", () => {
  test("a body of exactly the limit is read whole", async () => {
    expect(await readBody(request(body(3).stream), 30)).toEqual(utf8("0123456789".repeat(3)));
    expect(await readBody(request(body(3).stream, { "Content-Length": "30" }), 30)).toHaveLength(30);
    expect(await readBody(new Response(body(3).stream), 30)).toHaveLength(30);
  });

  test("the absence of a body is an empty one", async () => {
    expect(await readBody(new Request(URL), 0)).toEqual(new Uint8Array());
    expect(await readBody(new Response(null), 0)).toEqual(new Uint8Array());
  });

  test("of one that goes on and on, nothing beyond the limit is fetched", async () => {
    for (const message of [request, (stream: ReadableStream<Uint8Array>) => new Response(stream)]) {
      const endless = body(Number.POSITIVE_INFINITY);
      expect(await readBody(message(endless.stream), 35)).toBeUndefined();
      expect(endless.read()).toBeLessThanOrEqual(5);
    }
  });

  test("the rest of a request that is too long is its server's to read, that of a response is given up", async () => {
    const [sent, answered] = [request(body(9).stream), new Response(body(9).stream)];
    expect([await readBody(sent, 35), await readBody(answered, 35)]).toEqual([undefined, undefined]);
    expect([await rest(sent), await rest(answered)]).toEqual(["0123456789".repeat(5), ""]);
  });

  test("one that declares more than the limit is refused unread", async () => {
    for (const message of [
      request,
      (stream: ReadableStream<Uint8Array>, headers: HeadersInit) => new Response(stream, { headers }),
    ]) {
      const long = body(4);
      expect(await readBody(message(long.stream, { "Content-Length": "40" }), 35)).toBeUndefined();
      expect(long.read()).toBe(0);
    }
  });

  test("one that declares less than it has is held to the limit nevertheless", async () => {
    expect(await readBody(request(body(4).stream, { "Content-Length": "10" }), 35)).toBeUndefined();
    expect(await readBody(new Response(body(4).stream, { headers: { "Content-Length": "10" } }), 35)).toBeUndefined();
  });
});
