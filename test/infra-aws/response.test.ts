import { PassThrough } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { sendResponse } from "../../infra/aws/response.ts";
import { background } from "../../infra/background.ts";
import { splitAnswer } from "./support/http-integration.ts";
import { provideAwslambda } from "./support/in-process-runtime.ts";

beforeAll(provideAwslambda);

describe("a streamed response", () => {
  test("brings status, headers and each cookie", async () => {
    const headers = new Headers([
      ["Content-Type", "text/plain"],
      ["Set-Cookie", "a=1; Path=/"],
      ["Set-Cookie", "b=2; Expires=Fri, 20 Nov 2026 00:00:00 GMT"],
      ["Vary", "Origin"],
      ["Vary", "Accept"],
    ]);
    const answer = await received(new Response("text", { status: 201, headers }));
    expect(answer?.metadata).toEqual({
      statusCode: 201,
      headers: { "content-type": "text/plain", vary: "Origin, Accept" },
      cookies: ["a=1; Path=/", "b=2; Expires=Fri, 20 Nov 2026 00:00:00 GMT"],
    });
  });

  test("brings a challenge also under a name that no Function URL changes", async () => {
    const answer = await received(new Response(null, { status: 401, headers: { "WWW-Authenticate": "Bearer" } }));
    expect(answer?.metadata.headers).toEqual({ "www-authenticate": "Bearer", "x-countersign-challenge": "Bearer" });
  });

  test("brings no challenge that is not its own", async () => {
    const headers = { "X-Countersign-Challenge": "Bearer realm=other" };
    expect((await received(new Response(null, { headers })))?.metadata.headers).toEqual({});
    const both = new Response(null, { status: 401, headers: { ...headers, "WWW-Authenticate": "Bearer" } });
    expect((await received(both))?.metadata.headers).toMatchObject({ "x-countersign-challenge": "Bearer" });
  });

  test("brings its status also when it has no body", async () => {
    expect((await received(new Response(null, { status: 202 })))?.metadata.statusCode).toBe(202);
  });

  test("shows each piece of the body before the next one exists", async () => {
    const source = new TransformStream<Uint8Array, Uint8Array>();
    const writer = source.writable.getWriter();
    const stream = new PassThrough();
    const sent = sendResponse(new Response(source.readable), stream);
    const answer = await splitAnswer(stream);
    const pieces = (answer?.body ?? stream)[Symbol.asyncIterator]();
    for (const text of ["first", "second"]) {
      await writer.write(Buffer.from(text));
      const piece = await pieces.next();
      expect(Buffer.from(piece.value as Uint8Array).toString()).toBe(text);
    }
    await writer.close();
    expect((await pieces.next()).done).toBe(true);
    await sent;
  });

  test("waits while the client cannot take more, and brings everything", async () => {
    const piece = new Uint8Array(64 * 1024).fill(7);
    let given = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (given++ < 40 ? controller.enqueue(piece.slice()) : controller.close()),
    });
    const answer = await received(new Response(body));
    let length = 0;
    for await (const bytes of answer?.body ?? []) length += bytes.length;
    expect(length).toBe(40 * piece.length);
  });

  test("fails when its body fails, and stops reading the body when the connection is gone", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("upstream is gone")) });
    await expect(sendResponse(new Response(broken), new PassThrough())).rejects.toThrow("upstream is gone");

    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
      cancel: () => {
        cancelled = true;
      },
    });
    const stream = new PassThrough();
    const sent = sendResponse(new Response(endless), stream);
    stream.destroy();
    await expect(sent).rejects.toThrow("the connection closed");
    expect(cancelled).toBe(true);
  });
});

test("background work is waited for, also when it fails and when it adds more", async () => {
  const work = background();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  work.waitUntil(Promise.reject(new Error("a failure of its owner")));
  work.waitUntil(
    first.promise.then(() => {
      work.waitUntil(Promise.resolve().then(() => done.push("second")));
      done.push("first");
    }),
  );
  const settled = work.finish().then(() => done.push("settled"));
  first.resolve();
  await settled;
  expect(done).toEqual(["first", "second", "settled"]);
});

function received(response: Response) {
  const stream = new PassThrough();
  sendResponse(response, stream).catch((cause: Error) => stream.destroy(cause));
  return splitAnswer(stream);
}
