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
  const store = { asked: 0, leased: 0, isAway: false };
  const lease = async (request: LeaseRequest) => {
    store.asked++;
    await Promise.resolve();
    if (store.isAway) throw new Error("away");
    const { kept: next, lease: answer } = leased(kept.get(request.key), request);
    if (answer.granted > 0) kept.set(request.key, next);
    store.leased += answer.granted;
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
      expect(limiter?.take([claim(RATE)])).toMatchObject({ outcome: "granted", states: [state] });
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

  test("is not lifted for anybody by callers who are made up under another limit, and who are full again make room", async () => {
    const { limiters, clock } = instances(ALONE);
    const [limiter] = limiters;
    const slow = { ...RATE, quota: 2, period: 60_000, burst: 2 };
    // Who took most is full again last, and is not looked at for long.
    limiter?.take([claim(slow, "first", 2)]);
    for (let made = 1; made < 20_000; made++) limiter?.take([claim(slow, `made-up/${made}`)]);
    const other = { ...slow, name: "other" };
    const ofOther = Array.from({ length: 10 }, (_, made) => limiter?.take([claim(other, `new/${made}`)]));
    expect(ofOther.map((verdict) => isGranted(verdict as LimitVerdict))).not.toContain(false);
    clock.at += 30_000;
    const next = Array.from({ length: 10 }, (_, made) => limiter?.take([claim(slow, `new/${made}`)]));
    expect(next.map((verdict) => isGranted(verdict as LimitVerdict))).not.toContain(false);
    expect(limiter?.take([claim(slow, "first", 2)])).toMatchObject({ outcome: "refused" });
  });

  test("lets nobody use what was leased for another, or be refused for another, however many are made up", async () => {
    const { limiters, store } = instances(ALONE);
    const [limiter] = limiters;
    const many = { ...RATE, name: "many", quota: 2, period: 60_000, burst: 2 };
    for (let made = 0; made < 20_000; made++) limiter?.take([claim(many, `made-up/${made}`)]);
    const quota = { ...DAILY, quota: 200, burst: 200 };
    const taken = async (key: string, times: number) => {
      let granted = 0;
      for (let time = 0; time < times; time++)
        if (isGranted((await limiter?.take([claim(quota, key)])) as LimitVerdict)) granted++;
      return granted;
    };
    expect(await taken("client/a", 300)).toBe(200);
    expect(await taken("client/b", 10)).toBe(10);
    expect(await taken("client/a", 10)).toBe(0);
    for (let made = 0; made < 20_000; made++) await limiter?.take([claim(quota, `made-up/${made}`)]);
    const { asked } = store;
    expect(await taken("client/b", 300)).toBeGreaterThan(180);
    expect(store.asked).toBeGreaterThan(asked);
    expect(await taken("client/a", 1)).toBe(0);
  });

  test("loses little of what callers may use when more of them come again and again than it remembers", async () => {
    const { limiters, store } = instances(ALONE);
    const quota = { ...DAILY, quota: 10_000, burst: 10_000 };
    for (let round = 0; round < 3; round++)
      for (let caller = 0; caller < 20_100; caller++) await limiters[0]?.take([claim(quota, `client/${caller}`)]);
    expect(store.leased).toBe(3 * 20_100);
  });

  test.each<[rate: string, terms: Partial<LimitTerms>, asked: number]>([
    ["5000/h", { quota: 5_000, period: 3_600_000, burst: 5_000 }, 30],
    ["5000/h, 50 at once: earned again within a minute", { quota: 5_000, period: 3_600_000, burst: 50 }, 0],
    ["1/s, 100000 at once: earned again within a day", { quota: 1, period: 1_000, burst: 100_000 }, 15],
    ["10000/day", { quota: 10_000, period: 86_400_000, burst: 10_000, calendar: "day" }, 20],
  ])("asks the store rarely for %s", async (_, terms, asked) => {
    const { limiters, clock, store } = instances(ALONE);
    const rare = { ...RATE, ...terms };
    for (let call = 0; call < 1_000; call++) {
      expect(await limiters[0]?.take([claim(rare)])).toMatchObject({ outcome: "granted" });
      clock.at += 760;
    }
    expect(store.asked).toBeLessThanOrEqual(asked);
    expect(store.asked === 0).toBe(asked === 0);
  });

  test.each<[what: string, quota: number, period: number, amount: number]>([
    ["100 GB an hour, two bytes at a time", 100_000_000_000, 3_600_000, 2],
    ["1 TB an hour, one byte at a time", 1_000_000_000_000, 3_600_000, 1],
  ])("counts %s, with an end", async (_, quota, period, amount) => {
    const { limiters, store } = instances(ALONE);
    const fine = { ...RATE, quota, period, burst: quota, exact: true };
    expect(await limiters[0]?.take([claim(fine, "client/a", amount)])).toMatchObject({ outcome: "granted" });
    expect(store.asked).toBe(1);
  });

  test("says of what is larger than all of it that it never passes", async () => {
    const { limiters, store } = instances(ALONE);
    const unit = { name: "content-bytes", size: 2 } as const;
    for (const terms of [RATE, DAILY, { ...RATE, unit }]) {
      const verdict = await limiters[0]?.take([claim(terms, "client/a", terms.burst + 1)]);
      expect(verdict).toMatchObject({ outcome: "too_large", most: terms.burst * ("unit" in terms ? 2 : 1) });
    }
    expect(store.asked).toBe(0);
    expect(isGranted(limiters[0]?.take([claim(RATE, "client/a", 10)]) as LimitVerdict)).toBe(true);
  });

  test("counts who is in flight, and forgets who left", async () => {
    const [limiter] = instances(ALONE).limiters;
    const [one, two] = [await limiter?.enter("calls", "client/a", 2), await limiter?.enter("calls", "client/a", 2)];
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
    expect(await much).toEqual({
      ...{ outcome: "too_large", most: 1_000 },
      policy: { name: "writes", quota: 1_000, window: 86_400 },
    });
    expect(await little).toMatchObject({ outcome: "granted" });
    expect(await limiters[0]?.take([claim(DAILY)])).toMatchObject({ outcome: "granted" });
  });

  test("let exactly as many through where that is asked for", async () => {
    expect((await steadily({ ...DAILY, exact: true })).granted).toBe(1_000);
  });

  test("lease little more than is used by bursts of parallel calls", async () => {
    const { limiters, clock, store } = instances(options);
    for (let burst = 1; burst <= 3; burst++) {
      await Promise.all(Array.from({ length: 20 }, () => limiters[0]?.take([claim(DAILY)])));
      clock.at += 300;
    }
    expect(store.leased).toBeGreaterThanOrEqual(60);
    expect(store.leased).toBeLessThanOrEqual(60 + 9);
  });

  test("lose nothing but a lease of those that stop after bursts, while others go on", async () => {
    const { limiters, clock } = instances(options, 50);
    let granted = 0;
    const some = async (number: readonly (typeof limiters)[number][], times: number) => {
      const calls = number.flatMap((limiter) => Array.from({ length: times }, () => limiter.take([claim(DAILY)])));
      granted += (await Promise.all(calls)).filter(isGranted).length;
    };
    for (let burst = 0; burst < 2; burst++) {
      await some(limiters.slice(0, 10), 20);
      clock.at += 300;
    }
    for (let round = 0; round < 60; round++) {
      await some(limiters.slice(10), 1);
      clock.at += 100;
    }
    expect(granted).toBeLessThanOrEqual(1_000);
    expect(granted).toBeGreaterThanOrEqual(980);
  });

  test.each([1_000, 10_000])(
    "never let more than a burst of %i through at an instant, whatever they hold",
    async (quota) => {
      const { limiters, clock } = instances(options, 50);
      const rate = { ...RATE, quota, burst: quota };
      const each = async () => {
        const verdicts = await Promise.all(limiters.map((limiter) => limiter.take([claim(rate)])));
        return verdicts.filter(isGranted).length;
      };
      const times: (readonly [at: number, granted: number])[] = [];
      const moment = async (rounds: number) => {
        let granted = 0;
        for (let round = 0; round < rounds; round++) granted += await each();
        times.push([clock.at, granted]);
      };
      for (let step = 0; step < 40; step++) {
        await moment(1);
        clock.at += 1;
      }
      for (const wait of [930, 500, 1, 2_000]) {
        clock.at += wait;
        await moment(quota / 40);
      }
      for (const [from] of times) {
        for (const [to] of times.filter(([at]) => at >= from)) {
          const within = times.filter(([at]) => at >= from && at <= to).reduce((sum, [, granted]) => sum + granted, 0);
          expect(within).toBeLessThanOrEqual(quota + ((to - from) * quota) / 1_000);
        }
      }
      expect(Math.max(...times.map(([, granted]) => granted))).toBeGreaterThan(quota * 0.98);
    },
  );

  test("lease many at a time of a rate that takes an hour, and ask for few calls of it", async () => {
    const { limiters, clock, store } = instances(options);
    const hourly = { ...RATE, quota: 5_000, period: 3_600_000, burst: 5_000 };
    for (let call = 0; call < 1_000; call++) {
      expect(await limiters[0]?.take([claim(hourly)])).toMatchObject({ outcome: "granted" });
      clock.at += 760;
    }
    expect(store.asked).toBeLessThan(50);
  });

  test("help who had used up a limit that is raised, and count a day apart from a month and a rate", async () => {
    const { limiters, clock } = instances(options);
    const [limiter] = limiters;
    const used = async (terms: LimitTerms) => {
      let granted = 0;
      for (let call = 0; call < 20; call++)
        if (isGranted((await limiter?.take([claim(terms)])) as LimitVerdict)) granted++;
      return granted;
    };
    const hourly = { ...RATE, period: 3_600_000 };
    const daily: LimitTerms = { ...RATE, period: 86_400_000, calendar: "day" };
    expect(await used(hourly)).toBe(10);
    expect(await used({ ...hourly, period: 60_000 })).toBe(10);
    clock.at += 6_000;
    expect(await used({ ...hourly, period: 60_000 })).toBe(1);
    expect(await used(daily)).toBe(10);
    expect(await used({ ...daily, period: 2_678_400_000, calendar: "month" })).toBe(10);
    expect(await used({ ...daily, quota: 15, burst: 15 })).toBe(5);
    expect(await used({ ...daily, quota: 5, burst: 5 })).toBe(0);
  });

  test("give back what was taken for what is not made, and use it before anything else", async () => {
    const { limiters, store } = instances(options);
    const [limiter] = limiters;
    const small = { ...RATE, name: "small", quota: 1, burst: 1 };
    const exact = { ...DAILY, exact: true };
    const both = async () => limiter?.take([claim(exact), claim(small)]);
    expect(await both()).toMatchObject({ outcome: "granted" });
    for (let refused = 0; refused < 5; refused++) expect(await both()).toMatchObject({ outcome: "refused" });
    expect(store.leased).toBe(3);
    const verdict = await limiter?.take([claim(exact)]);
    if (verdict?.outcome === "granted") verdict.giveBack();
    expect(await limiter?.take([claim(exact)])).toMatchObject({ outcome: "granted" });
    expect(store.leased).toBe(3);
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
