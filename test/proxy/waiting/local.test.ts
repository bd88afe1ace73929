import { expect, test } from "vitest";
import { localWaitingCalls } from "../../../lib/proxy/waiting/local.ts";
import type { WaitingCall } from "../../../lib/proxy/waiting/waiting-calls.ts";
import { webCryptoRandom } from "../../../lib/random.ts";

function waitingCall(): { readonly call: WaitingCall; readonly end: () => Promise<void> } {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const call = { question: () => undefined, abandon: resolve, over } as unknown as WaitingCall;
  const end = async () => {
    resolve();
    await over;
  };
  return { call, end };
}

test("30. a call is found by a name that nobody can guess, until it is over", async () => {
  const waiting = localWaitingCalls(webCryptoRandom);
  const { call, end } = waitingCall();
  const name = waiting.hold("alice", call) ?? "";
  expect(name).toMatch(/^[\w-]{22}$/);
  expect(waiting.find(name)).toBe(call);
  expect(waiting.find("other")).toBeUndefined();
  await end();
  expect(waiting.find(name)).toBeUndefined();
});

test("30. each principal has so many, and all together have; a call that is over makes room", async () => {
  const waiting = localWaitingCalls(webCryptoRandom, { calls: 3, perPrincipal: 2 });
  const first = waitingCall();
  expect(waiting.hold("alice", first.call)).toBeDefined();
  expect(waiting.hold("alice", waitingCall().call)).toBeDefined();
  expect(waiting.hold("alice", waitingCall().call)).toBeUndefined();
  expect(waiting.hold("bob", waitingCall().call)).toBeDefined();
  expect(waiting.hold("carol", waitingCall().call)).toBeUndefined();
  await first.end();
  expect(waiting.hold("carol", waitingCall().call)).toBeDefined();
  expect(waiting.hold("alice", waitingCall().call)).toBeUndefined();
});
