import { describe, expect, test } from "vitest";
import { ALONE, AMONG_OTHERS, APART, createLimiter, type LimiterOptions } from "../../lib/limits/create-limiter.ts";
import type { LimitClaim, LimitTerms, LimitVerdict } from "../../lib/limits/limiter.ts";
import { type KeptCount, type LeaseRequest, leased } from "../../lib/stores/limits.ts";

const NOON = Date.UTC(2030, 5, 15, 12);
const RATE: LimitTerms = { name: "writes", quota: 10, period: 1_000, burst: 10, exact: false, unavailable: "deny" };
const DAILY: LimitTerms = { ...RATE, quota: 1_000, period: 86_400_000, burst: 1_000, calendar: "day" };

/** Instances beside one count in memory, which is asked as a store is. */
function instances(options: LimiterOptions, number = 1) {
  const kept = new Map<string, KeptCount>();
  const clock = { at: NOON, now: () => clock.at };
  const store = { asked: 0, isAway: false };
  const lease = async (request: LeaseRequest) => {
    store.asked++;
    await Promise.resolve();
    if (store.isAway) throw new Error("away");
    const { kept: next, lease: answer } = leased(kept.get(request.key), request);
    if (answer.granted > 0) kept.set(request.key, next);
    return answer;
  };
  const ports = { stores: { limits: { lease } }, clock, logger: { warn: () => undefined } };
  return { clock, store, limiters: Array.from({ length: number }, () => createLimiter(ports, options)) };
}

const claim = (terms: LimitTerms, key = "client/a", amount = 1): LimitClaim => ({ terms, key, amount });
const isGranted = (verdict: LimitVerdict) => verdict.outcome === "granted";

describe("51. a limit in one instance", () => {
  test("lets a rate through without the store, tells what is left, and when to come again", async () => {
    const { limiters, clock, store } = instances(ALONE);
    const [limiter] = limiters;
    for (let remaining = 9; remaining >= 0; remaining--) {
      const state = { name: "writes", quota: 10, window: 1, remaining, reset: 1 };
      expect(limiter?.take([claim(RATE)])).toEqual({ outcome: "granted", states: [state] });
    }
    const refused = { outcome: "refused", retryAfter: 1, state: { remaining: 0, reset: 1 } };
    expect(limiter?.take([claim(RATE)])).toMatchObject(refused);
    expect(limiter?.take([claim(RATE, "client/b")])).toMatchObject({ outcome: "granted" });
    clock.at += 100;
    expect([1, 2].map(() => isGranted(limiter?.take([claim(RATE)]) as LimitVerdict))).toEqual([true, false]);
    clock.at -= 60_000;
    expect(isGranted(limiter?.take([claim(RATE)]) as LimitVerdict)).toBe(false);
    clock.at += 1_000;
    expect(isGranted(limiter?.take([claim(RATE)]) as LimitVerdict)).toBe(true);
    expect(store.asked).toBe(0);
  });

  test("takes all claims or none", () => {
    const [limiter] = instances(ALONE).limiters;
    const small = { ...RATE, name: "small", quota: 1, burst: 1 };
    expect(limiter?.take([claim(RATE), claim(small)])).toMatchObject({ outcome: "granted" });
    for (let again = 0; again < 20; again++) {
      expect(limiter?.take([claim(RATE), claim(small)])).toMatchObject({
        outcome: "refused",
        state: { name: "small" },
      });
    }
    expect(limiter?.take([claim(RATE)])).toMatchObject({ states: [{ remaining: 8 }] });
  });

  test("is not lifted for anybody by callers who are made up", () => {
    const [limiter] = instances(ALONE).limiters;
    const slow = { ...RATE, quota: 2, period: 60_000, burst: 2 };
    for (let made = 0; made < 20_000; made++) limiter?.take([claim(slow, `made-up/${made}`)]);
    const results = Array.from(
      { length: 10 },
      (_, made) => limiter?.take([claim(slow, `new/${made}`)]) as LimitVerdict,
    );
    expect(results.filter(isGranted)).toHaveLength(2);
    expect(limiter?.take([claim(slow, "made-up/19999", 2)])).toMatchObject({ outcome: "refused" });
  });

  test("counts who is in flight, and forgets who left", () => {
    const [limiter] = instances(ALONE).limiters;
    const [one, two] = [limiter?.enter("calls", "client/a", 2), limiter?.enter("calls", "client/a", 2)];
    expect(limiter?.enter("calls", "client/a", 2)).toBeUndefined();
    expect(limiter?.enter("calls", "client/b", 2)).toBeDefined();
    one?.();
    expect(limiter?.enter("calls", "client/a", 2)).toBeDefined();
    two?.();
  });
});

describe.each([
  ["that share leases", AMONG_OTHERS],
  ["that share nothing", APART],
])("51. 50 instances %s, beside one quota of 1,000", (_, options) => {
  const steadily = async (terms: LimitTerms, pauses: readonly number[] = [100]) => {
    const { limiters, clock, store } = instances(options, 50);
    let granted = 0;
    // One call at each in a round, a tenth of a second between two rounds.
    for (let round = 0; round < 60; round++) {
      const verdicts = await Promise.all(limiters.map((limiter) => limiter.take([claim(terms)])));
      granted += verdicts.filter(isGranted).length;
      clock.at += pauses[round % pauses.length] ?? 0;
    }
    return { granted, asked: store.asked };
  };

  test.each([
    ["a steady caller", [100]],
    ["one who stands still for seconds now and then", [10, 10, 10, 10, 5_000]],
  ])("never let more through, and of %s lose none", async (_caller, pauses) => {
    const { granted, asked } = await steadily(DAILY, pauses);
    expect(granted).toBe(1_000);
    expect(asked).toBeLessThan(1_300);
  });

  test("believe a refusal until there is something again, a second at most", async () => {
    const { limiters, clock, store } = instances(options);
    const slow = { ...RATE, quota: 2, period: 1_000, burst: 2 };
    const take = (terms = slow, amount = 1) => limiters[0]?.take([claim(terms, "client/a", amount)]);
    const outcomes = [await take(), await take(), await take()].map((verdict) => verdict?.outcome);
    expect(outcomes).toEqual(["granted", "granted", "refused"]);
    const { asked } = store;
    expect(await take()).toMatchObject({ outcome: "refused", retryAfter: 1 });
    expect(store.asked).toBe(asked);
    // Settings that were changed are other terms.
    expect(await take({ ...slow })).toMatchObject({ outcome: "refused" });
    expect(store.asked).toBe(asked + 1);
    clock.at += 500;
    expect(await take()).toMatchObject({ outcome: "granted" });
  });

  test("refuse nobody for what another asked for at the same time", async () => {
    const { limiters } = instances(options);
    const [much, little] = [claim(DAILY, "client/a", 1_001), claim(DAILY)].map((one) => limiters[0]?.take([one]));
    expect(await much).toMatchObject({ outcome: "refused" });
    expect(await little).toMatchObject({ outcome: "granted" });
    expect(await limiters[0]?.take([claim(DAILY)])).toMatchObject({ outcome: "granted" });
  });

  test("let exactly as many through where that is asked for", async () => {
    expect((await steadily({ ...DAILY, exact: true })).granted).toBe(1_000);
  });

  test("deny what cannot be counted, or allow it, as the limit says", async () => {
    const { limiters, store } = instances(options);
    store.isAway = true;
    expect(await limiters[0]?.take([claim(DAILY)])).toEqual({ outcome: "unavailable", name: "writes", retryAfter: 5 });
    expect(await limiters[0]?.take([claim({ ...DAILY, unavailable: "allow" }, "b")])).toMatchObject({
      outcome: "granted",
    });
  });
});
