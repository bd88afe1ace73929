import { getEventListeners } from "node:events";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type BodyPieces, OutboundError } from "../../lib/net/outbound.ts";
import { type CarryOutcome, carry } from "../../lib/reverse-proxy/carry.ts";
import type { Forward, ForwardedAnswer, ForwardedRequest } from "../../lib/reverse-proxy/forward.ts";
import { answerInPieces } from "../../lib/reverse-proxy/watched-answer.ts";

const LIMITS = { timeout: 30_000, silence: 60_000, maxBody: 10 };
const CARRIED = new Request("https://ours.example/");
const GONE = new Error("the client is gone");

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A body that is written and watched by hand. */
function handmade() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const seen = { pulls: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (made) => {
        controller = made;
      },
      pull: () => {
        seen.pulls += 1;
      },
      cancel: () => {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return {
    ...{ stream, seen },
    write: (length: number) => controller?.enqueue(new Uint8Array(length)),
    end: () => controller?.close(),
    fail: (cause: unknown) => controller?.error(cause),
  };
}

/**
 * A fake by necessity: it answers when the test says so, to the millisecond, and does not heed the signal, so that what is seen is
 * `carry` alone. `carry-over-http.test.ts` has servers.
 */
function begin(given: Partial<ForwardedRequest> = {}, limits = LIMITS, traits: Pick<Forward, "takesOwnStreams"> = {}) {
  const client = new AbortController();
  const arrived: ForwardedRequest[] = [];
  const coming = Promise.withResolvers<ForwardedAnswer>();
  const send = (request: ForwardedRequest, carried: Request) => {
    expect(carried).toBe(CARRIED);
    arrived.push(request);
    return coming.promise;
  };
  const forward: Forward = Object.assign(send, traits);
  const request = { method: "GET", origin: "https://in.example", path: "/a?b", headers: new Headers(), body: null };
  const outcome = carry({ ...request, signal: client.signal, ...given }, limits, { forward, carried: CARRIED });
  return {
    ...{ client, outcome, arrived },
    answer: (answer: Partial<ForwardedAnswer> = {}) =>
      coming.resolve({ status: 200, headers: new Headers(), body: null, ...answer }),
    fail: (cause: unknown) => coming.reject(cause),
    /** Neither a timer nor a listener is left. */
    isOver: () => vi.getTimerCount() === 0 && getEventListeners(client.signal, "abort").length === 0,
  };
}

async function bodyOf(outcome: Promise<CarryOutcome>): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const { kind, ...others } = await outcome;
  if (kind !== "answer" || !("answer" in others) || others.answer.body === null) throw new Error("no body");
  return others.answer.body.getReader();
}

/** All that is ready to run has run. */
const settled = () => vi.advanceTimersByTimeAsync(0);

describe("An answer", () => {
  test("is the upstream's, of the client's request", async () => {
    const headers = new Headers({ "X-A": "1" });
    const body = handmade();
    const exchange = begin({ method: "PUT", headers });
    exchange.answer({ status: 404, headers, body: body.stream });
    const outcome = await exchange.outcome;
    expect(outcome).toMatchObject({ kind: "answer", answer: { status: 404, headers } });
    expect(exchange.arrived).toMatchObject([{ method: "PUT", origin: "https://in.example", path: "/a?b", headers }]);
    const reader = await bodyOf(exchange.outcome);
    const read = reader.read();
    body.write(3);
    expect((await read).value).toHaveLength(3);
    body.end();
    expect(await reader.read()).toMatchObject({ done: true });
    expect(exchange.isOver()).toBe(true);
    expect(exchange.arrived[0]?.signal.aborted).toBe(false);
  });

  test.each([
    ["GET", 204],
    ["GET", 205],
    ["GET", 304],
    ["HEAD", 200],
    ["HEAD", 404],
  ])("to %s of status %i has no body", async (method, status) => {
    const body = handmade();
    const exchange = begin({ method });
    exchange.answer({ status, body: body.stream });
    expect(await exchange.outcome).toMatchObject({ kind: "answer", answer: { status, body: null } });
    expect(body.seen.cancelled).toBe(true);
    expect(exchange.isOver()).toBe(true);
  });

  test.each([0, 100, 101, 199, 600, 999])("of status %i is none", async (status) => {
    const body = handmade();
    const exchange = begin();
    exchange.answer({ status, body: body.stream });
    expect(await exchange.outcome).toMatchObject({ kind: "failed", reason: "malformed" });
    expect(body.seen.cancelled).toBe(true);
    expect(exchange.arrived[0]?.signal.aborted).toBe(true);
    expect(exchange.isOver()).toBe(true);
  });

  test("is read as the client takes it, and not ahead", async () => {
    const body = handmade();
    const exchange = begin();
    exchange.answer({ body: body.stream });
    const reader = await bodyOf(exchange.outcome);
    await settled();
    expect(body.seen.pulls).toBe(0);
    const read = reader.read();
    body.write(1);
    await read;
    await settled();
    expect(body.seen.pulls).toBe(1);
  });

  test("that breaks off breaks off for the client", async () => {
    const body = handmade();
    const exchange = begin();
    exchange.answer({ body: body.stream });
    const reader = await bodyOf(exchange.outcome);
    const cause = new Error("cut");
    body.write(1);
    await reader.read();
    body.fail(cause);
    await expect(reader.read()).rejects.toBe(cause);
    expect(exchange.isOver()).toBe(true);
  });
});

describe("No answer", () => {
  test.each<[string, unknown, string]>([
    ["a connection that is refused", new OutboundError("refused"), "unreachable"],
    ["anything else that is thrown", new TypeError("fetch failed"), "unreachable"],
    ["what Node's parser cannot read", new OutboundError("x", { cause: named("HTTPParserError") }), "malformed"],
    ["headers without end", new OutboundError("x", { cause: named("HeadersOverflowError") }), "malformed"],
  ])("of %s", async (_what, cause, reason) => {
    const exchange = begin();
    exchange.fail(cause);
    expect(await exchange.outcome).toEqual({ kind: "failed", reason, cause });
    expect(exchange.isOver()).toBe(true);
  });

  test("of an upstream that throws at once", async () => {
    const cause = new OutboundError("no such entry");
    const forward = () => {
      throw cause;
    };
    const { signal } = new AbortController();
    const request = { method: "GET", origin: "", path: "/", headers: new Headers(), body: null, signal };
    expect(await carry(request, LIMITS, { forward, carried: CARRIED })).toMatchObject({ reason: "unreachable", cause });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("within the time: the upstream is told, and an answer that comes later is nobody's", async () => {
    const exchange = begin();
    await vi.advanceTimersByTimeAsync(29_999);
    expect(exchange.arrived[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await exchange.outcome).toMatchObject({ kind: "failed", reason: "timeout" });
    expect(exchange.arrived[0]?.signal.reason).toMatchObject({ name: "TimeoutError" });
    const late = handmade();
    exchange.answer({ body: late.stream });
    await settled();
    expect(late.seen.cancelled).toBe(true);
    expect(exchange.isOver()).toBe(true);
  });

  test("for a client that has left before: nothing is sent", async () => {
    const exchange = begin({ signal: AbortSignal.abort(GONE) });
    expect(await exchange.outcome).toEqual({ kind: "failed", reason: "client_left", cause: GONE });
    expect(exchange.arrived).toEqual([]);
    expect(exchange.isOver()).toBe(true);
  });

  test("for a client that leaves meanwhile: the upstream is told", async () => {
    const exchange = begin();
    exchange.client.abort(GONE);
    expect(await exchange.outcome).toEqual({ kind: "failed", reason: "client_left", cause: GONE });
    expect(exchange.arrived[0]?.signal.reason).toBe(GONE);
    expect(exchange.isOver()).toBe(true);
  });
});

describe("A client that leaves in the middle of an answer", () => {
  test.each<[string, (client: AbortController, reader: ReadableStreamDefaultReader) => unknown]>([
    ["by its connection", (client) => client.abort(GONE)],
    ["by reading no further", (_, reader) => reader.cancel(GONE)],
  ])("%s ends the upstream's side", async (_how, leave) => {
    const body = handmade();
    const exchange = begin();
    exchange.answer({ body: body.stream });
    const reader = await bodyOf(exchange.outcome);
    body.write(1);
    await reader.read();
    await leave(exchange.client, reader);
    await settled();
    expect(exchange.arrived[0]?.signal.reason).toBe(GONE);
    expect(body.seen.cancelled).toBe(true);
    expect(exchange.isOver()).toBe(true);
  });

  test("ends a read that waits", async () => {
    const body = handmade();
    const exchange = begin();
    exchange.answer({ body: body.stream });
    const read = (await bodyOf(exchange.outcome)).read();
    await settled();
    exchange.client.abort(GONE);
    await expect(read).rejects.toBe(GONE);
    expect(body.seen.cancelled).toBe(true);
    expect(exchange.isOver()).toBe(true);
  });
});

describe("Silence in the middle of an answer", () => {
  test("ends it after its time, which begins anew with each chunk", async () => {
    const body = handmade();
    const exchange = begin();
    exchange.answer({ body: body.stream });
    const reader = await bodyOf(exchange.outcome);
    for (let chunk = 0; chunk < 3; chunk += 1) {
      const read = reader.read();
      await vi.advanceTimersByTimeAsync(59_999);
      body.write(1);
      expect((await read).value).toHaveLength(1);
    }
    const read = reader.read();
    const refused = expect(read).rejects.toMatchObject({ name: "TimeoutError" });
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
    expect(body.seen.cancelled).toBe(true);
    expect(exchange.arrived[0]?.signal.aborted).toBe(true);
    expect(exchange.isOver()).toBe(true);
  });

  describe.each(["text/plain", "text/event-stream"])("of a client that reads %s", (type) => {
    const headers = new Headers({ "Content-Type": type });
    const asStream = (body: ReturnType<typeof handmade>) => ({ headers, body: body.stream });
    const inPieces = (body: ReturnType<typeof handmade>) => answerInPieces({ status: 200, headers }, piecesOf(body));
    test.each([
      ["a stream", asStream],
      ["pieces as a stream", inPieces],
    ])("slowly is none; that of one that stopped ends both sides: %s", async (_, made) => {
      const body = handmade();
      const exchange = begin();
      exchange.answer(made(body));
      const reader = await bodyOf(exchange.outcome);
      for (let chunk = 0; chunk < 3; chunk += 1) {
        await vi.advanceTimersByTimeAsync(59_999);
        const read = reader.read();
        body.write(1);
        expect((await read).value).toHaveLength(1);
      }
      await vi.advanceTimersByTimeAsync(60_000);
      expect(exchange.arrived[0]?.signal.reason).toMatchObject({ name: "TimeoutError" });
      await expect(reader.read()).rejects.toMatchObject({ name: "TimeoutError" });
      expect(exchange.isOver()).toBe(true);
    });

    test("not at all ends both sides", async () => {
      const body = handmade();
      const exchange = begin();
      exchange.answer(asStream(body));
      await exchange.outcome;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(exchange.arrived[0]?.signal.aborted).toBe(true);
      expect(body.seen.cancelled).toBe(true);
      expect(exchange.isOver()).toBe(true);
    });
  });

  test.each(["text/event-stream", "Text/Event-Stream; charset=utf-8"])("ends no %s", async (type) => {
    const body = handmade();
    const exchange = begin();
    exchange.answer({ body: body.stream, headers: new Headers({ "Content-Type": type }) });
    const read = (await bodyOf(exchange.outcome)).read();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(vi.getTimerCount()).toBe(0);
    body.write(1);
    expect((await read).value).toHaveLength(1);
  });
});

describe("A body of a declared length", () => {
  test("above the limit is not sent, and not touched", async () => {
    const body = handmade();
    const exchange = begin({ method: "POST", body: body.stream, length: 11 });
    expect(await exchange.outcome).toMatchObject({ kind: "failed", reason: "too_large" });
    expect(exchange.arrived).toEqual([]);
    expect(body.stream.locked || body.seen.cancelled).toBe(false);
    expect(exchange.isOver()).toBe(true);
  });

  const long = { ...LIMITS, maxBody: 100_000_000 };
  test.each([
    ["that is short", 64 * 1024, {}],
    ["where a runtime takes its own streams", 100_000_000, { takesOwnStreams: true }],
  ])("%s is passed on as it is", (_, length, traits) => {
    const body = handmade();
    const { arrived } = begin({ method: "POST", body: body.stream, length }, long, traits);
    expect(arrived[0]?.body).toBe(body.stream);
    expect(body.stream.locked).toBe(false);
  });

  test("that has come, or comes, adds nothing to the upstream's time", async () => {
    const body = handmade();
    const exchange = begin({ method: "POST", body: body.stream, length: 100_000_000 }, long);
    const sent = exchange.arrived[0]?.body?.getReader();
    for (let chunk = 0; chunk < 3; chunk += 1) {
      const read = sent?.read();
      await vi.advanceTimersByTimeAsync(59_999);
      body.write(1);
      await read;
    }
    await vi.advanceTimersByTimeAsync(29_999);
    expect(exchange.arrived[0]).toMatchObject({ length: 100_000_000, signal: { aborted: false } });
    await vi.advanceTimersByTimeAsync(1);
    expect(await exchange.outcome).toMatchObject({ reason: "timeout" });
  });

  test("that cannot be seen on its way has its time to be sent before the upstream's begins", async () => {
    const request = { method: "POST", body: handmade().stream, length: 6_400_000 };
    const exchange = begin(request, long, { takesOwnStreams: true });
    await vi.advanceTimersByTimeAsync(129_999);
    expect(exchange.arrived[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await exchange.outcome).toMatchObject({ reason: "timeout" });
  });
});

describe("A body without a declared length", () => {
  const upload = (limits = LIMITS) => {
    const body = handmade();
    const exchange = begin({ method: "POST", body: body.stream }, limits);
    const sent = exchange.arrived[0]?.body?.getReader();
    if (sent === undefined) throw new Error("nothing was sent");
    return { ...exchange, body, sent };
  };

  test("is sent as it comes, up to the limit, and not read ahead", async () => {
    const { body, sent, answer, outcome, isOver } = upload();
    await settled();
    expect(body.seen.pulls).toBe(0);
    for (const length of [4, 6]) {
      const read = sent.read();
      body.write(length);
      expect((await read).value).toHaveLength(length);
    }
    body.end();
    expect(await sent.read()).toMatchObject({ done: true });
    answer();
    expect(await outcome).toMatchObject({ kind: "answer" });
    expect(isOver()).toBe(true);
  });

  test("is nobody else's while it is carried, also when the answer has begun", async () => {
    const { body, sent, answer, outcome } = upload();
    answer({ body: handmade().stream });
    await outcome;
    expect(body.stream.locked).toBe(true);
    const read = sent.read();
    body.write(1);
    await read;
    expect(body.stream.locked).toBe(true);
  });

  test("above the limit ends there, and its rest is left to be discarded", async () => {
    const { body, sent, arrived, outcome, isOver } = upload();
    for (const length of [10, 1]) {
      const read = sent.read();
      body.write(length);
      if (length === 10) await read;
      else await expect(read).rejects.toThrow("longer than 10 bytes");
    }
    expect(await outcome).toMatchObject({ kind: "failed", reason: "too_large" });
    expect(arrived[0]?.signal.aborted).toBe(true);
    expect(body.stream.locked || body.seen.cancelled).toBe(false);
    expect(isOver()).toBe(true);
  });

  test("above the limit, when the answer has begun, ends both", async () => {
    const { body, sent, arrived, answer, outcome, isOver } = upload();
    const back = handmade();
    answer({ body: back.stream });
    const read = (await bodyOf(outcome)).read();
    const chunk = sent.read();
    body.write(11);
    await expect(chunk).rejects.toThrow("longer than 10 bytes");
    await expect(read).rejects.toThrow("longer than 10 bytes");
    expect(back.seen.cancelled).toBe(true);
    expect(arrived[0]?.signal.aborted).toBe(true);
    expect(isOver()).toBe(true);
  });

  test("may take its time as long as something comes", async () => {
    const { body, sent, arrived, outcome } = upload();
    for (let chunk = 0; chunk < 10; chunk += 1) {
      const read = sent.read();
      await vi.advanceTimersByTimeAsync(50_000);
      body.write(1);
      await read;
      await vi.advanceTimersByTimeAsync(25_000);
    }
    expect(arrived[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await outcome).toMatchObject({ reason: "timeout" });
  });

  test("of a client that falls silent ends", async () => {
    const { sent, outcome, arrived, isOver } = upload();
    const read = sent.read().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toMatchObject({ kind: "failed", reason: "client_left" });
    expect(arrived[0]?.signal.aborted).toBe(true);
    expect(isOver()).toBe(true);
    await sent.cancel();
    await read;
  });

  test("of a client that leaves ends, and what still came of it is not sent", async () => {
    const { body, sent, client, outcome, isOver } = upload();
    const read = sent.read().catch(() => undefined);
    client.abort(GONE);
    expect(await outcome).toMatchObject({ reason: "client_left", cause: GONE });
    body.write(1);
    await read;
    expect(isOver()).toBe(true);
    expect(body.stream.locked || body.seen.cancelled).toBe(false);
  });

  test("that breaks off is its client's leaving", async () => {
    const { body, sent, outcome, isOver } = upload();
    const read = sent.read();
    body.fail(GONE);
    await expect(read).rejects.toBe(GONE);
    expect(await outcome).toEqual({ kind: "failed", reason: "client_left", cause: GONE });
    expect(isOver()).toBe(true);
  });

  test("that the upstream does not want is neither cancelled nor waited for, once it has answered", async () => {
    const { body, sent, answer, outcome } = upload();
    const back = handmade();
    answer({ status: 413, body: back.stream });
    const reader = await bodyOf(outcome);
    const read = sent.read();
    await vi.advanceTimersByTimeAsync(59_999);
    await sent.cancel();
    back.write(2);
    expect((await reader.read()).value).toHaveLength(2);
    expect(body.seen.cancelled).toBe(false);
    expect(await read).toMatchObject({ done: true });
  });

  test("arrives whole, or is too large, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 6 }), { maxLength: 8 }), async (chunks) => {
        const bytes = chunks.flatMap((chunk) => [...chunk]);
        const forward: Forward = async ({ body }) => ({ status: 200, headers: new Headers(), body });
        const { signal } = new AbortController();
        const request = { method: "POST", origin: "", path: "/", headers: new Headers(), signal };
        const body = Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;
        const outcome = await carry({ ...request, body }, LIMITS, { forward, carried: CARRIED });
        if (outcome.kind !== "answer") throw new Error(outcome.reason);
        // Not `bytes`: the server of another file may have put a Response in place of the platform's, which has none.
        const back = new Response(outcome.answer.body).arrayBuffer();
        if (bytes.length > LIMITS.maxBody) await expect(back).rejects.toThrow("longer than 10 bytes");
        else expect([...new Uint8Array(await back)]).toEqual(bytes);
        expect(vi.getTimerCount()).toBe(0);
      }),
    );
  });
});

/** The same body in pieces. */
function piecesOf({ stream }: ReturnType<typeof handmade>): BodyPieces {
  const reader = stream.getReader();
  return { read: async () => (await reader.read()).value, cancel: () => reader.cancel() };
}

/** As Node's client names what it cannot read. */
function named(name: string): Error {
  return Object.assign(new Error("unreadable"), { name });
}
