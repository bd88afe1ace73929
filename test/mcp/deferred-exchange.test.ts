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
  const response = exchange(work, { forms: BOTH, isLong: "deferred", isBatch: false, signal, ...options });
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

test.each<readonly [string, (outlet: Outlet) => void]>([
  ["is relayed", ({ relay }) => relay(TOLD)],
  ["is an answer that opens", ({ openAnswer }) => void openAnswer(1).write(utf8(ANSWER))],
])("the stream begins when something %s", async (_, begin) => {
  const { response, begun, headIn } = exchanging();
  const { outlet, signal } = await begun;
  begin(outlet);
  expect(await headIn(0)).toBe(true);
  expect(typeOf(await response)).toBe("text/event-stream");
  expect(signal.aborted).toBe(false);
  await (await response).body?.cancel();
  expect(signal.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
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
    isLong: "deferred",
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
