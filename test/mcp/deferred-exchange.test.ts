import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { type ExchangeOptions, exchange } from "../../lib/mcp/exchange.ts";
import type { Outlet, Work } from "../../lib/mcp/outlet.ts";
import { messagesOf } from "../behaviour/mcp/events.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const BOTH = { json: true, stream: true };
const JSON_ALONE = { json: true, stream: false };
const REFUSED = '{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"Sampling is needed."}}';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"n":12345678901234567890}}';
const TOLD = { jsonrpc: "2.0", method: "notifications/progress" };

/** An exchange whose work goes on until the test has it finish. */
function exchanging(options: Partial<ExchangeOptions> = {}) {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<{ outlet: Outlet; signal: AbortSignal }>();
  const work: Work = async (outlet, signal) => {
    begin({ outlet, signal });
    await promise;
  };
  const { signal } = new AbortController();
  const response = exchange(work, { forms: BOTH, isLong: true, isBatch: false, signal, ...options });
  let hasHead = false;
  void response.then(() => {
    hasHead = true;
  });
  const headIn = async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return hasHead;
  };
  return { response, begun, finish, headIn };
}

const typeOf = ({ headers }: Response) => headers.get("content-type");

test("what an upstream refuses at once is refused with its status, word by word", async () => {
  const { response, begun, finish } = exchanging();
  const { outlet } = await begun;
  outlet.answer({ text: REFUSED, status: 400 });
  finish();
  const { status, headers } = await response;
  expect([status, headers.get("content-type")]).toEqual([400, "application/json"]);
  expect(await (await response).text()).toBe(REFUSED);
  expect(vi.getTimerCount()).toBe(0);
});

test("an error of ours has its status likewise", async () => {
  const { response, begun, finish } = exchanging();
  (await begun).outlet.answer({ message: { id: 1 }, status: 404 });
  finish();
  expect((await response).status).toBe(404);
});

test("the head waits for five seconds, and then an answer is a message of the stream", async () => {
  const { response, begun, finish, headIn } = exchanging();
  const { outlet } = await begun;
  expect(await headIn(4_999)).toBe(false);
  expect(await headIn(1)).toBe(true);
  expect(typeOf(await response)).toBe("text/event-stream");
  outlet.answer({ text: REFUSED, status: 400 });
  finish();
  expect((await response).status).toBe(200);
  expect(await (await response).text()).toBe(`: keep-alive\n\nevent: message\ndata: ${REFUSED}\n\n`);
});

test("the stream begins when something else is told", async () => {
  const { response, begun, headIn } = exchanging();
  const { outlet, signal } = await begun;
  outlet.relay(TOLD);
  expect(await headIn(0)).toBe(true);
  expect(typeOf(await response)).toBe("text/event-stream");
  expect(signal.aborted).toBe(false);
  await (await response).body?.cancel();
  expect(signal.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

const PIECE = utf8("x".repeat(64 * 1024));

/** An answer that has written more than what is held, with its head out and its end missing. */
async function longAnswer() {
  const exchanged = exchanging();
  const { outlet, signal } = await exchanged.begun;
  const answer = outlet.openAnswer(1);
  await answer.write(utf8('{"text":"'));
  for (let index = 0; index < 4; index++) void answer.write(PIECE);
  expect(await exchanged.headIn(0)).toBe(true);
  return { ...exchanged, outlet, signal, answer };
}

test("an answer of up to 256 KiB is whole before its head goes out, and one that is none becomes an error", async () => {
  const { response, begun, finish, headIn } = exchanging();
  const { outlet } = await begun;
  const half = outlet.openAnswer(1);
  for (let index = 0; index < 4; index++) await half.write(PIECE);
  expect(await headIn(4_000)).toBe(false);
  half.withdraw();
  outlet.answer({ text: REFUSED, status: 400 });
  finish();
  expect([(await response).status, await (await response).text()]).toEqual([400, REFUSED]);
});

test("a longer answer is JSON that goes out as it arrives, at the client's pace, with its end when it is committed", async () => {
  const { response, outlet, answer, finish } = await longAnswer();
  expect(typeOf(await response)).toBe("application/json");
  const reader = (await response).body?.getReader();
  let text = "";
  const next = async () => {
    text += new TextDecoder().decode((await reader?.read())?.value);
  };
  for (let index = 0; index < 4; index++) await next();
  expect(text.length).toBe(9 + 3 * PIECE.length);
  // Nothing else has a place in it.
  outlet.relay(TOLD);
  await answer.write(utf8('"}'));
  await answer.write(utf8("\n"));
  await next();
  let isOut = false;
  const end = next().then(() => {
    isOut = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isOut).toBe(false);
  answer.commit();
  finish();
  await end;
  await next();
  expect((await reader?.read())?.done).toBe(true);
  expect(JSON.parse(text)).toEqual({ text: "x".repeat(4 * PIECE.length) });
});

test("a client that does not read is waited for", async () => {
  const { response, answer } = await longAnswer();
  let isWritten = false;
  const written = answer.write(PIECE).then(() => {
    isWritten = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isWritten).toBe(false);
  const reader = (await response).body?.getReader();
  for (let index = 0; index < 3; index++) await reader?.read();
  await written;
});

test("a client that reads nothing for a minute has left", async () => {
  const { answer, signal } = await longAnswer();
  const written = expect(answer.write(PIECE)).rejects.toMatchObject({ name: "AbortError" });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await written;
  expect(signal.aborted).toBe(true);
});

test("a long answer that turns out to be none breaks off, and nothing follows it", async () => {
  const { response, outlet, signal, answer, finish } = await longAnswer();
  answer.withdraw();
  await vi.advanceTimersByTimeAsync(0);
  // It was not the client that left.
  expect(signal.aborted).toBe(false);
  outlet.answer({ text: REFUSED });
  const again = outlet.openAnswer(1);
  await expect(again.write(PIECE)).rejects.toThrow("Nobody reads");
  again.commit();
  finish();
  await expect((await response).text()).rejects.toThrow("broke off");
});

test("a client that leaves a long answer ends the work", async () => {
  const { response, signal } = await longAnswer();
  await (await response).body?.cancel();
  await vi.advanceTimersByTimeAsync(0);
  expect(signal.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test("after five seconds what has come of an answer goes out as JSON; where nothing has, the answer is an event", async () => {
  const started = exchanging();
  const answer = (await started.begun).outlet.openAnswer(1);
  await answer.write(utf8(ANSWER.slice(0, 9)));
  await answer.write(utf8(ANSWER.slice(9)));
  expect(await started.headIn(5_000)).toBe(true);
  expect(typeOf(await started.response)).toBe("application/json");
  answer.commit();
  expect(await (await started.response).text()).toBe(ANSWER);

  const empty = exchanging();
  const later = (await empty.begun).outlet.openAnswer(1);
  expect(await empty.headIn(5_000)).toBe(true);
  expect(typeOf(await empty.response)).toBe("text/event-stream");
  await later.write(utf8(ANSWER));
  later.commit();
  empty.finish();
  expect(await (await empty.response).text()).toContain(`\n\ndata: ${ANSWER}\n\n`);
});

test("an answer that has begun to come goes on behind what is told meanwhile", async () => {
  const { response, begun, finish } = exchanging();
  const { outlet } = await begun;
  const answer = outlet.openAnswer(1);
  await answer.write(utf8(ANSWER.slice(0, 9)));
  outlet.relay(TOLD);
  await answer.write(utf8(ANSWER.slice(9)));
  answer.commit();
  finish();
  const text = await (await response).text();
  expect(text).toContain(`data: ${JSON.stringify(TOLD)}\n\ndata: ${ANSWER}\n\n`);
});

test("answers of a batch that came before the stream are its first messages, and as JSON they are 200", async () => {
  const streamed = exchanging({ isBatch: true });
  const { outlet } = await streamed.begun;
  outlet.answer({ text: REFUSED, status: 400 });
  outlet.relay(TOLD);
  outlet.answer({ message: { id: 2 } });
  streamed.finish();
  expect(await messagesOf(await streamed.response)).toEqual([JSON.parse(REFUSED), TOLD, { id: 2 }]);
  const whole = exchanging({ isBatch: true });
  (await whole.begun).outlet.answer({ text: REFUSED, status: 400 });
  whole.finish();
  expect((await whole.response).status).toBe(200);
  expect(await (await whole.response).text()).toBe(`[${REFUSED}]`);
});

test("an agent that leaves before there is a head ends the work", async () => {
  const leaving = new AbortController();
  const { response, begun, finish } = exchanging({ signal: leaving.signal });
  const { signal } = await begun;
  leaving.abort();
  expect(signal.aborted).toBe(true);
  finish();
  expect((await response).status).toBe(202);
});

test("work that fails leaves no timer behind", async () => {
  const { signal } = new AbortController();
  const failing = exchange(() => Promise.reject(new Error("at once")), {
    forms: BOTH,
    isLong: true,
    isBatch: false,
    signal,
  });
  await expect(failing).rejects.toThrow("at once");
  expect(vi.getTimerCount()).toBe(0);
});

test("a client that takes JSON alone gets the answer when it is whole, and nothing else", async () => {
  const { response, begun, finish, headIn } = exchanging({ forms: JSON_ALONE });
  const { outlet } = await begun;
  outlet.relay(TOLD);
  const withdrawn = outlet.openAnswer(1);
  await withdrawn.write(utf8("{"));
  withdrawn.withdraw();
  const answer = outlet.openAnswer(1);
  await answer.write(utf8(ANSWER.slice(0, 30)));
  await answer.write(utf8(ANSWER.slice(30)));
  expect(await headIn(60_000)).toBe(false);
  answer.commit();
  answer.withdraw();
  finish();
  expect(typeOf(await response)).toBe("application/json");
  expect(await (await response).text()).toBe(ANSWER);
});

test("what is too long to be collected is an error, which names the way out", async () => {
  const { response, begun, finish } = exchanging({ forms: JSON_ALONE });
  const answer = (await begun).outlet.openAnswer("a");
  const mebibyte = new Uint8Array(1024 * 1024).fill(32);
  for (let index = 0; index < 16; index++) await answer.write(mebibyte);
  await expect(answer.write(new Uint8Array(1))).rejects.toMatchObject({ reason: "too_large" });
  answer.commit();
  finish();
  expect(await (await response).json()).toMatchObject({
    id: "a",
    error: { code: -32603, message: expect.stringContaining("text/event-stream") },
  });
});

test("requests reach the client where its answer may be a stream of one request", async () => {
  const hears = async (options: Partial<ExchangeOptions>) => (await exchanging(options).begun).outlet.hears;
  expect(await hears({})).toBe(true);
  expect(await hears({ isLong: true })).toBe(true);
  expect(await hears({ forms: { json: false, stream: true } })).toBe(true);
  expect(await hears({ isBatch: true })).toBe(false);
  expect(await hears({ forms: JSON_ALONE })).toBe(false);
  expect(await hears({ isLong: false })).toBe(false);
});
