import { expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { localWaitingCalls } from "../../../lib/upstream/waiting/local-calls.ts";
import { waitingCallQuota } from "../../../lib/upstream/waiting/quota.ts";
import { type CallPlace, callPlace } from "../../../lib/upstream/waiting/remote/call-place.ts";
import { remoteWaitingCalls } from "../../../lib/upstream/waiting/remote/remote-calls.ts";
import type { WaitingCalls } from "../../../lib/upstream/waiting/waiting-calls.ts";
import { eventually } from "../../support/eventually.ts";
import { testProxy } from "../bridge/agent.ts";
import { type SdkServer, sessionServer } from "../bridge/servers.ts";

const GREET = { name: "greet" };
const ALICE = { "input-1": { action: "accept", content: { name: "Alice" } } };

/** Calls that are made in places of their own; `ends` says what becomes of the stream of each order. */
function placed(
  server: SdkServer,
  fetch: typeof globalThis.fetch = server.fetch,
  ends: (frames: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array> = (frames) => frames,
) {
  const places = new Map<string, CallPlace>();
  const logs: string[] = [];
  const log = (message: string) => void logs.push(message);
  const logger = { debug: log, info: log, warn: log, error: log, with: () => logger };
  const surroundings = {
    random: webCryptoRandom,
    fetch,
    logger,
    waitUntil: () => undefined,
    quota: waitingCallQuota(),
  };
  const waitingCalls = remoteWaitingCalls(webCryptoRandom, async (name, order, signal) => {
    const place = places.get(name) ?? callPlace(surroundings);
    places.set(name, place);
    return ends(place(order, signal));
  });
  return { proxy: testProxy(server.fetch, { waitingCalls }), places, logs };
}

const remaining = (server: SdkServer, wanted: number) =>
  eventually(
    async () => server.sessions(),
    (count) => count === wanted,
  );

test("a call goes on in its place, with its questions and an answer of any length", async () => {
  const server = sessionServer();
  const { proxy, places } = placed(server);
  const { result } = await proxy.stateless(GREET);
  const { requestState } = result as JsonObject;
  expect(requestState).toEqual(expect.any(String));
  const message = await proxy.stateless({ ...GREET, requestState, inputResponses: ALICE });
  expect(message).toMatchObject({ id: "agent-1", result: { content: [{ text: "Hello Alice (greeting:0)" }] } });
  const over = proxy.stateless({ ...GREET, requestState, inputResponses: ALICE });
  await expect(over).rejects.toMatchObject({ error: { data: { reason: "call_over" } } });
  const long = await proxy.stateless({ name: "long", arguments: { length: 300_000 } });
  expect(long.result).toMatchObject({ resultType: "complete", content: [{ text: "x".repeat(300_000) }] });
  expect([...places.keys()]).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/)]);
  await remaining(server, 0);
});

test("30. a waiting call goes on for the principal that began it, and for no other", async () => {
  const server = sessionServer();
  const calls = localWaitingCalls(webCryptoRandom);
  let presented: { readonly principal?: string } = {};
  const resume: WaitingCalls["resume"] = (back, attached) => calls.resume({ ...back, ...presented }, attached);
  const proxy = testProxy(server.fetch, { waitingCalls: { ...calls, resume } });
  const { requestState } = (await proxy.stateless(GREET)).result as JsonObject;
  const answer = { ...GREET, requestState, inputResponses: ALICE };
  presented = { principal: "somebody else" };
  await expect(proxy.stateless(answer)).rejects.toMatchObject({ error: { data: { reason: "call_over" } } });
  presented = {};
  expect(await proxy.stateless(answer)).toMatchObject({ result: { content: [{ text: "Hello Alice (greeting:0)" }] } });
});

test("30. the agent that leaves cancels the call in its place", async () => {
  const server = sessionServer();
  const left = new AbortController();
  const silent: typeof globalThis.fetch = (input, init) => {
    if (!String(init?.body).includes("tools/call")) return server.fetch(input, init);
    queueMicrotask(() => left.abort("cancelled_by_client"));
    return new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    });
  };
  const call = placed(server, silent).proxy.stateless(GREET, { signal: left.signal });
  await expect(call).rejects.toMatchObject({ reason: "aborted" });
  await remaining(server, 0);
  expect(server.requests.map(({ method }) => method)).toContain("notifications/cancelled");
});

test("29. what the upstream refuses, or does wrong, is told as it was", async () => {
  const server = sessionServer();
  const answering = (response: () => Response): typeof globalThis.fetch => {
    return async (input, init) => (String(init?.body).includes("tools/call") ? response() : server.fetch(input, init));
  };
  const refusing = answering(() => new Response("no", { status: 401 }));
  await expect(placed(server, refusing).proxy.stateless(GREET)).rejects.toMatchObject({
    name: "UpstreamRefusal",
    status: 401,
  });
  const broken = answering(() => new Response("<p>", { headers: { "content-type": "text/html" } }));
  await expect(placed(server, broken).proxy.stateless(GREET)).rejects.toMatchObject({ reason: "not_mcp" });
  await remaining(server, 0);
});

test("a place that breaks off in the middle of an answer leaves no answer", async () => {
  const server = sessionServer();
  const cut = (frames: ReadableStream<Uint8Array>) => {
    let room = 100_000;
    const cutting = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.subarray(0, room));
        room -= chunk.length;
        if (room <= 0) controller.terminate();
      },
    });
    return frames.pipeThrough(cutting);
  };
  const call = placed(server, server.fetch, cut).proxy.stateless({ name: "long", arguments: { length: 300_000 } });
  await expect(call).rejects.toMatchObject({ reason: "broken_off" });
  await remaining(server, 0);
});
