import { describe, expect, test } from "vitest";
import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import { boundedCache } from "../../lib/kernel/bounded-cache.ts";
import { createRateLimit } from "../../lib/kernel/rate-limit.ts";

const LIMIT = { capacity: 2, perSecond: 1 };

function clockAt(time: number) {
  let now = time;
  return {
    now: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe("rate limits", () => {
  test("7. a key may as often as its capacity, and earns back by the second", () => {
    const clock = clockAt(1_000);
    const limit = createRateLimit(clock, LIMIT);
    expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([true, true, false]);
    expect(limit.take("b")).toBe(true);
    clock.pass(999);
    expect(limit.take("a")).toBe(false);
    clock.pass(1);
    expect([limit.take("a"), limit.take("a")]).toEqual([true, false]);
    clock.pass(3_600_000);
    expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([true, true, false]);
  });

  test("7. what is given back may be taken again, but never more than the capacity", () => {
    const limit = createRateLimit(clockAt(0), LIMIT);
    expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([true, true, false]);
    limit.giveBack("a");
    expect([limit.take("a"), limit.take("a")]).toEqual([true, false]);
    for (let i = 0; i < 5; i++) limit.giveBack("a");
    expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([true, true, false]);
    limit.giveBack("never taken");
    expect([1, 2, 3].map(() => limit.take("never taken"))).toEqual([true, true, false]);
  });

  test("7. a clock that goes back earns nothing and takes nothing", () => {
    const clock = clockAt(10_000);
    const limit = createRateLimit(clock, LIMIT);
    limit.take("a");
    clock.pass(-5_000);
    expect([limit.take("a"), limit.take("a")]).toEqual([true, false]);
  });

  test("7. ten thousand and one other sources refill no exhausted one", () => {
    const clock = clockAt(0);
    const budget = createRereadBudget(clock);
    const exhaust = () => {
      let allowed = 0;
      for (let i = 0; i < 100; i++) if (budget.allow(`client_${i}`, "attacker")) allowed += 1;
      return allowed;
    };
    expect(exhaust()).toBe(10);
    for (let i = 0; i < 10_001; i++) budget.allow("client_x", `source-${i}`);
    expect(exhaust()).toBe(0);
  });

  test("7. keys beyond the maximum share one bucket until others are full again", () => {
    const clock = clockAt(0);
    const limit = createRateLimit(clock, LIMIT, 2);
    limit.take("a");
    limit.take("b");
    expect([limit.take("c"), limit.take("d"), limit.take("e")]).toEqual([true, true, false]);
    expect(limit.take("a")).toBe(true);
    clock.pass(2_000);
    expect([limit.take("c"), limit.take("c"), limit.take("c")]).toEqual([true, true, false]);
  });

  test("7. of many keys the one used last is the last to be forgotten", () => {
    const clock = clockAt(0);
    const limit = createRateLimit(clock, LIMIT, 2);
    limit.take("busy");
    limit.take("idle");
    clock.pass(2_000);
    expect([limit.take("busy"), limit.take("busy")]).toEqual([true, true]);
    expect(limit.take("new")).toBe(true);
    expect(limit.take("busy")).toBe(false);
  });
});

describe("a map of bounded size", () => {
  test("gives up the key that was put longest ago, and only for a new one", () => {
    const map = boundedCache<string, number>(2);
    expect(map.displaced()).toBeUndefined();
    map.put("a", 1);
    map.put("b", 2);
    map.put("b", 3);
    expect([map.get("a"), map.get("b"), map.displaced()]).toEqual([1, 3, 1]);
    map.put("a", 4);
    map.put("c", 5);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([4, undefined, 5]);
    map.delete("a");
    expect([map.get("a"), map.displaced()]).toEqual([undefined, undefined]);
  });
});
