import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { localWaitingCalls } from "../../../lib/upstream/waiting/local-calls.ts";
import { waitingCallQuota } from "../../../lib/upstream/waiting/quota.ts";
import { eventually } from "../../support/eventually.ts";
import { ELICITATION, type TestProxy, testProxy } from "./agent.ts";
import { sessionServer, v1Server } from "./servers.ts";

const GREET = { name: "greet", arguments: { politely: true } };
const named = (name: string) => ({ action: "accept", content: { name } });

const remaining = ({ sessions }: ReturnType<typeof sessionServer>, wanted: number) =>
  eventually(
    async () => sessions(),
    (count) => count === wanted,
  );

async function ask(proxy: TestProxy, params: JsonObject = GREET, options = {}): Promise<JsonObject> {
  const { result } = await proxy.stateless(params, options);
  expect(result).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
  return result as JsonObject;
}

describe("30. an agent without session at an upstream with sessions", () => {
  test("30. what the upstream asks is a request for input, and the call that waits is answered with it", async () => {
    const server = sessionServer();
    const proxy = testProxy(server.fetch);
    const { requestState, inputRequests } = await ask(proxy);
    expect(inputRequests).toMatchObject({
      "input-1": { method: "elicitation/create", params: { message: "Who are you?" } },
    });
    expect(inputRequests).not.toHaveProperty(["input-1", "id"]);
    expect(server.sessions()).toBe(1);
    const message = await proxy.stateless({ ...GREET, requestState, inputResponses: { "input-1": named("Alice") } });
    expect(message).toMatchObject({
      id: "agent-1",
      result: { resultType: "complete", content: [{ text: "Hello Alice (greeting:0)" }] },
    });
    expect(server.requests.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    await remaining(server, 0);
  });

  test("30. question after question, each with a state of its own that works once", async () => {
    const proxy = testProxy(sessionServer().fetch);
    const introduce = { name: "introduce" };
    const first = await ask(proxy, introduce);
    const answered = { ...introduce, requestState: first.requestState, inputResponses: { "input-1": named("Alice") } };
    const second = await ask(proxy, answered);
    expect(second.inputRequests).toMatchObject({ "input-2": { params: { message: "Who is the second?" } } });
    await expect(proxy.stateless(answered)).rejects.toMatchObject({
      error: { code: -32602, data: { reason: "call_over" } },
    });
    const { requestState } = second;
    const inputResponses = { "input-2": named("Bob") };
    const last = await proxy.stateless({ ...introduce, requestState, inputResponses });
    expect(last.result).toMatchObject({ content: [{ text: "Alice meets Bob" }] });
    const over = proxy.stateless({ ...introduce, requestState, inputResponses });
    await expect(over).rejects.toMatchObject({ error: { code: -32602, data: { reason: "call_over" } } });
  });

  test("30. an upstream that asks beside the call's answer is heard as well", async () => {
    const proxy = testProxy(v1Server(true).fetch);
    const { requestState, inputRequests } = await ask(proxy, { name: "aside" });
    expect(inputRequests).toMatchObject({ "input-1": { params: { message: "Who are you?" } } });
    const inputResponses = { "input-1": named("Alice") };
    const { result } = await proxy.stateless({ name: "aside", requestState, inputResponses });
    expect(result).toMatchObject({ content: [{ text: "Hello Alice" }] });
  });

  test("30. who comes back without the answer is asked again", async () => {
    const proxy = testProxy(sessionServer().fetch);
    const { requestState, inputRequests } = await ask(proxy);
    const again = await ask(proxy, { ...GREET, requestState, inputResponses: { other: named("Alice") } });
    expect(again.inputRequests).toEqual(inputRequests);
    const inputResponses = { "input-1": { action: "decline" } };
    const { result } = await proxy.stateless({ ...GREET, requestState: again.requestState, inputResponses });
    expect(result).toMatchObject({ content: [{ text: "Hello nobody (greeting:0)" }] });
  });

  test("30. nobody else finds the call that waits, nor with another request", async () => {
    const proxy = testProxy(sessionServer().fetch);
    const { requestState } = await ask(proxy);
    const back = { ...GREET, requestState, inputResponses: { "input-1": named("Mallory") } };
    const invalid = { error: { code: -32602, data: { reason: "invalid_request_state" } } };
    await expect(proxy.stateless(back, { principal: "mallory" })).rejects.toMatchObject(invalid);
    await expect(proxy.stateless({ ...back, name: "introduce" })).rejects.toMatchObject(invalid);
    await expect(proxy.stateless({ ...back, requestState: `${requestState}x` })).rejects.toMatchObject(invalid);
    const alice = await proxy.stateless({ ...back, inputResponses: { "input-1": named("Alice") } });
    expect(alice.result).toMatchObject({ content: [{ text: "Hello Alice (greeting:0)" }] });
  });

  test("30. of one principal only so many wait; the call that is too many is given up", async () => {
    const server = sessionServer();
    const waitingCalls = localWaitingCalls(webCryptoRandom, waitingCallQuota({ calls: 2, perPrincipal: 1 }));
    const proxy = testProxy(server.fetch, { waitingCalls });
    await ask(proxy);
    const { result } = await proxy.stateless(GREET);
    expect(result).toMatchObject({ isError: true, resultType: "complete" });
    await remaining(server, 1);
    await ask(proxy, GREET, { principal: "bob" });
    expect((await proxy.stateless(GREET, { principal: "carol" })).result).toMatchObject({ isError: true });
  });

  test("30. where no call can wait the upstream hears of no capability that would make it ask", async () => {
    const server = sessionServer();
    const proxy = testProxy(server.fetch, { waitingCalls: undefined as never });
    const { result } = await proxy.stateless(GREET);
    expect(result).toMatchObject({ isError: true });
    expect(server.requests.find(({ method }) => method === "initialize")?.params.capabilities).toEqual({});
  });

  test("30. who does not come back for five minutes loses the call, which is cancelled and told of", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = sessionServer();
    const counted: unknown[] = [];
    const telemetry = { record: (...recorded: unknown[]) => void counted.push(recorded) } as never;
    const proxy = testProxy(server.fetch, { telemetry });
    const { requestState } = await ask(proxy);
    await vi.advanceTimersByTimeAsync(5 * 60_000 - 1);
    expect(server.sessions()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await remaining(server, 0);
    expect(server.requests.map(({ method }) => method)).toContain("notifications/cancelled");
    expect(counted).toEqual([["countersign.upstream.waits.expired", 1, { "countersign.app": "desk" }]]);
    expect(proxy.logs).toContain("a call was given up: the agent did not bring what the upstream asked for");
    const back = proxy.stateless({ ...GREET, requestState, inputResponses: { "input-1": named("Alice") } });
    await expect(back).rejects.toMatchObject({ error: { code: -32602, data: { reason: "call_over" } } });
  });

  test("30. an instance that stops gives up what waits", async () => {
    const server = sessionServer();
    const stopping = new AbortController();
    const proxy = testProxy(server.fetch, { stopping: stopping.signal });
    await ask(proxy);
    stopping.abort();
    await remaining(server, 0);
    expect(server.requests.map(({ method }) => method)).toContain("notifications/cancelled");
  });

  test("30. the agent that leaves before anything was asked cancels the call", async () => {
    const server = sessionServer();
    const left = new AbortController();
    const call = testProxy((input, init) => {
      if (String(init?.body).includes("tools/call")) queueMicrotask(() => left.abort("cancelled_by_client"));
      return server.fetch(input, init);
    }).stateless(GREET, { signal: left.signal });
    await expect(call).rejects.toMatchObject({ reason: "aborted" });
    await remaining(server, 0);
  });

  test("a result of any length is complete, and the upstream gets no envelope", async () => {
    const server = sessionServer();
    const params = { name: "long", arguments: { length: 300_000 } };
    const { result } = await testProxy(server.fetch).stateless(params);
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "x".repeat(300_000) }] });
    expect(server.requests.find(({ method }) => method === "tools/call")?.params).toEqual(params);
  });
});

describe("upstream.shareable", () => {
  const echo = { name: "echo", arguments: { n: 1 } };
  const quiet = { capabilities: {}, app: { shareable: true } };
  const begun = ({ requests }: ReturnType<typeof sessionServer>) =>
    requests.filter(({ method }) => method === "initialize").length;

  test("requests of one principal share a session, several at a time, and of no other", async () => {
    const server = sessionServer();
    const proxy = testProxy(server.fetch);
    await proxy.stateless(echo, quiet);
    const several = await Promise.all([1, 2, 3].map((n) => proxy.stateless({ ...echo, arguments: { n } }, quiet)));
    expect(several.map(({ result }) => (result as { content: { text: string }[] }).content[0]?.text)).toEqual([
      '{"n":1}',
      '{"n":2}',
      '{"n":3}',
    ]);
    expect(begun(server)).toBe(1);
    await proxy.stateless(echo, { ...quiet, principal: "bob" });
    expect(begun(server)).toBe(2);
  });

  test("one that the upstream forgot, or that idled for long, is begun anew", async () => {
    const servers = [sessionServer(), sessionServer()];
    let current = 0;
    const proxy = testProxy((input, init) => (servers[current] as (typeof servers)[0]).fetch(input, init));
    await proxy.stateless(echo, quiet);
    current = 1;
    expect((await proxy.stateless(echo, quiet)).result).toMatchObject({ content: [{ text: '{"n":1}' }] });
    const [, server] = servers as [(typeof servers)[0], (typeof servers)[0]];
    expect(begun(server)).toBe(1);
    proxy.clock.time += 5 * 60_000 + 1;
    await proxy.stateless(echo, quiet);
    expect(begun(server)).toBe(2);
    await remaining(server, 1);
  });

  test("30. an agent that can be asked has a session of its own all the same", async () => {
    const server = sessionServer();
    const proxy = testProxy(server.fetch);
    await ask(proxy, GREET, { capabilities: ELICITATION, app: { shareable: true } });
    expect(server.sessions()).toBe(1);
    await proxy.stateless(echo, quiet);
    expect(server.sessions()).toBe(2);
  });
});
