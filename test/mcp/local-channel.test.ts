import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { localSessionChannel } from "../../lib/mcp/sessions/local-channel.ts";
import type { SessionSignal } from "../../lib/stores/session-channel.ts";
import { eventually } from "../support/eventually.ts";
import { garbageCollector } from "../support/garbage-collector.ts";

const ENDED: SessionSignal = { kind: "ended" };
const MEGABYTE = 1 << 20;

/** A follower that notes what it hears. */
function noting(): { readonly heard: SessionSignal[]; readonly receive: (signal: SessionSignal) => void } {
  const heard: SessionSignal[] = [];
  return { heard, receive: (signal) => void heard.push(signal) };
}

test("a signal reaches everybody who follows the session, in order, and nobody else", async () => {
  const channel = localSessionChannel();
  const [one, other, foreign] = [noting(), noting(), noting()];
  await channel.follow("a", one.receive);
  await channel.follow("a", other.receive);
  await channel.follow("b", foreign.receive);
  const signals: readonly SessionSignal[] = [
    { kind: "message", message: { jsonrpc: "2.0", method: "notifications/message" } },
    { kind: "cancelled", requestId: 7 },
    ENDED,
  ];
  for (const signal of signals) expect(await channel.publish("a", signal)).toBe(2);
  expect([one.heard, other.heard, foreign.heard]).toEqual([signals, signals, []]);
});

test("what is published where nobody listens is lost, and says so", async () => {
  const channel = localSessionChannel();
  expect(await channel.publish("a", ENDED)).toBe(0);
  const { heard, receive } = noting();
  await channel.follow("a", receive);
  expect(heard).toEqual([]);
});

test("who has stopped hears nothing any more, and the others go on", async () => {
  const channel = localSessionChannel();
  const [one, other] = [noting(), noting()];
  const following = await channel.follow("a", one.receive);
  await channel.follow("a", other.receive);
  following.stop();
  following.stop();
  expect(await channel.publish("a", ENDED)).toBe(1);
  expect([one.heard, other.heard]).toEqual([[], [ENDED]]);
});

test("stopping twice does not stop who has begun to follow in between", async () => {
  const channel = localSessionChannel();
  const first = await channel.follow("a", noting().receive);
  first.stop();
  const { heard, receive } = noting();
  await channel.follow("a", receive);
  first.stop();
  await channel.publish("a", ENDED);
  expect(heard).toEqual([ENDED]);
});

test("one receiver may follow twice and stops once for each", async () => {
  const channel = localSessionChannel();
  const { heard, receive } = noting();
  const first = await channel.follow("a", receive);
  await channel.follow("a", receive);
  expect(await channel.publish("a", ENDED)).toBe(2);
  first.stop();
  expect(await channel.publish("a", ENDED)).toBe(1);
  expect(heard).toHaveLength(3);
});

test("a receiver that throws hurts neither the others nor who publishes", async () => {
  const channel = localSessionChannel();
  const { heard, receive } = noting();
  await channel.follow("a", () => {
    throw new Error("broken");
  });
  await channel.follow("a", receive);
  expect(await channel.publish("a", ENDED)).toBe(2);
  expect(await channel.publish("a", ENDED)).toBe(2);
  expect(heard).toEqual([ENDED, ENDED]);
});

test("a signal's receiver may stop another one, which then does not hear it, and who begins then hears the next one", async () => {
  const channel = localSessionChannel();
  const [stopped, late] = [noting(), noting()];
  const begun: Promise<unknown>[] = [];
  await channel.follow("a", () => {
    following.stop();
    if (begun.length === 0) begun.push(channel.follow("a", late.receive));
  });
  const following = await channel.follow("a", stopped.receive);
  expect(await channel.publish("a", ENDED)).toBe(1);
  await Promise.all(begun);
  expect([stopped.heard, late.heard]).toEqual([[], []]);
  await channel.publish("a", ENDED);
  expect([stopped.heard, late.heard]).toEqual([[], [ENDED]]);
});

test("within one process no signal is lost", async () => {
  const channel = localSessionChannel();
  const following = await channel.follow("a", noting().receive);
  const first = await Promise.race([following.lost.then(() => "lost"), channel.publish("a", ENDED)]);
  following.stop();
  expect(first).toBe(1);
});

test("sessions that nobody follows, and who followed them, leave no memory behind", async () => {
  const channel = localSessionChannel();
  const collect = garbageCollector();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 500; i++) {
    const held = Array.from({ length: MEGABYTE / 8 / 8 }, () => i);
    const hash = randomBytes(MEGABYTE / 32).toString("base64url");
    const following = await channel.follow(hash, () => held.push(i));
    void following.lost.then(() => held.push(i));
    await channel.publish(hash, ENDED);
    following.stop();
  }
  // Sixty megabytes of what receivers hold, and twenty of names.
  await eventually(
    async () => {
      collect();
      return process.memoryUsage().heapUsed - before;
    },
    (growth) => growth < 4 * MEGABYTE,
  );
  // Until here the channel itself is in use, and with it all that it knows.
  expect(await channel.publish("a", ENDED)).toBe(0);
});
