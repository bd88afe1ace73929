import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Catalogs, createCatalogs, type ListKey } from "../../../lib/upstream/catalog/catalogs.ts";
import { LateError } from "../../../lib/upstream/catalog/in-time.ts";
import type { UpstreamList } from "../../../lib/upstream/catalog/upstream-list.ts";
import { listOf } from "./upstream-lists.ts";

const MINUTE = 60_000;
const KEY: ListKey<"tools"> = { app: "ledger", principal: "ada", kind: "tools" };

describe("lists that are kept", () => {
  let now = 0;
  let catalogs: Catalogs;
  let background: Promise<void>[];
  beforeEach(() => {
    now = 1_000_000;
    background = [];
    catalogs = createCatalogs({ now: () => now });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => void vi.useRealTimers());

  const waitUntil = (work: Promise<void>) => void background.push(work);
  const get = (load: () => Promise<UpstreamList<"tools">>, key = KEY) =>
    catalogs.get(key, { load, waitUntil, deadline: 3_000 });
  const getting = (list: UpstreamList<"tools">, key = KEY) => get(async () => list, key);
  const failing = () => get(() => Promise.reject(new Error("down")));
  const unasked = () => get(() => Promise.reject(new Error("must not be asked")));

  test("are not asked for again while they are fresh", async () => {
    const list = listOf("tools");
    await getting(list);
    now += MINUTE - 1;
    expect(await unasked()).toBe(list);
    expect(background).toHaveLength(1);
  });

  test("are known at once while they are fresh, to whom they are of, and not when they are old or have changed", async () => {
    const list = listOf("tools");
    await getting(list);
    now += MINUTE - 1;
    expect(catalogs.fresh(KEY)).toBe(list);
    expect(catalogs.fresh({ ...KEY, principal: "bob" })).toBeUndefined();
    expect(catalogs.fresh({ ...KEY, kind: "prompts" })).toBeUndefined();
    catalogs.invalidate("ledger", "tools");
    expect(catalogs.fresh(KEY)).toBeUndefined();
    const changed = listOf("tools");
    await getting(changed);
    now += MINUTE;
    expect(catalogs.fresh(KEY)).toBeUndefined();
  });

  test("that are old are handed out and read anew behind it, by one who asks", async () => {
    const [old, later] = [listOf("tools"), listOf("tools")];
    await getting(old);
    now += MINUTE;
    const asked = vi.fn(async () => later);
    expect([await get(asked), await get(asked)]).toEqual([old, old]);
    await Promise.all(background);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(await unasked()).toBe(later);
  });

  test("that could not be read anew stay, and are tried again later", async () => {
    const old = listOf("tools");
    await getting(old);
    now += MINUTE;
    expect(await failing()).toBe(old);
    await expect(background.at(-1)).rejects.toThrow("down");
    now += 10_000;
    const later = listOf("tools");
    expect(await getting(later)).toBe(old);
    await background.at(-1);
    expect(await unasked()).toBe(later);
  });

  test("that are older than ten minutes beyond their time count for nothing", async () => {
    await getting(listOf("tools"));
    now += 11 * MINUTE;
    await expect(failing()).rejects.toThrow("down");
    expect(catalogs.last(KEY)).toBeUndefined();
  });

  test("that are never to be kept are read each time, and still are what was known last", async () => {
    const first = listOf("tools", { ttl: 0 });
    await getting(first);
    await expect(failing()).rejects.toThrow("down");
    expect(catalogs.last(KEY)).toBe(first);
    const second = listOf("tools", { ttl: 0 });
    expect(await getting(second)).toBe(second);
  });

  test("of a time that has not come yet, when the clock was set back, are read anew", async () => {
    await getting(listOf("tools"));
    now -= MINUTE;
    const later = listOf("tools");
    expect(await getting(later)).toBe(later);
  });

  test("39. are of one app, one principal and one kind", async () => {
    const list = listOf("tools");
    await getting(list);
    for (const key of [
      { ...KEY, principal: "eve" },
      { ...KEY, app: "books" },
      { ...KEY, app: 'ledger","tools', principal: "" },
    ]) {
      expect(catalogs.last(key)).toBeUndefined();
      const own = listOf("tools");
      expect(await getting(own, key)).toBe(own);
    }
    expect(catalogs.last({ ...KEY, kind: "prompts" })).toBeUndefined();
    expect(await unasked()).toBe(list);
  });

  test("that changed are read anew for everybody, also what was on its way", async () => {
    await getting(listOf("tools"));
    await getting(listOf("tools"), { ...KEY, principal: "eve" });
    const { promise, resolve } = Promise.withResolvers<UpstreamList<"tools">>();
    const onItsWay = get(() => promise, { ...KEY, principal: "joe" });
    catalogs.invalidate("ledger", "tools");
    resolve(listOf("tools"));
    await onItsWay;
    for (const principal of ["ada", "eve", "joe"]) {
      const later = listOf("tools");
      expect(await getting(later, { ...KEY, principal })).toBe(later);
      expect(await getting(listOf("tools"), { ...KEY, principal })).toBe(later);
    }
  });

  test("of another kind or app do not change with them", async () => {
    const list = listOf("tools");
    await getting(list);
    catalogs.invalidate("ledger", "prompts");
    catalogs.invalidate("books", "tools");
    expect(await unasked()).toBe(list);
  });

  test("that many ask for at once are read once, for those of one principal", async () => {
    const { promise, resolve } = Promise.withResolvers<UpstreamList<"tools">>();
    const list = listOf("tools");
    const asked = vi.fn(() => promise);
    const all = Promise.all(Array.from({ length: 16 }, () => get(asked)));
    const own = listOf("tools");
    expect(await getting(own, { ...KEY, principal: "eve" })).toBe(own);
    resolve(list);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(await all)).toEqual(new Set([list]));
    expect(asked).toHaveBeenCalledTimes(1);
  });

  test("that are read for somebody whose reading fails are read for the next who waits", async () => {
    const { promise, reject } = Promise.withResolvers<UpstreamList<"tools">>();
    const first = expect(get(() => promise)).rejects.toThrow("refused");
    const list = listOf("tools");
    const second = getting(list);
    reject(new Error("refused"));
    await first;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await second).toBe(list);
  });

  test("that turn out never to be kept, or to have changed meanwhile, are read for each who asks", async () => {
    for (const { ttl, isChanged } of [
      { ttl: 0, isChanged: false },
      { ttl: MINUTE, isChanged: true },
    ]) {
      catalogs = createCatalogs({ now: () => now });
      const { promise, resolve } = Promise.withResolvers<UpstreamList<"tools">>();
      const first = get(() => promise);
      const list = listOf("tools");
      const second = getting(list);
      if (isChanged) catalogs.invalidate("ledger", "tools");
      resolve(listOf("tools", { ttl }));
      await first;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await second).toBe(list);
    }
  });

  test("31. that come late for the first who asks come late for the others, and are asked for once", async () => {
    const { promise, resolve } = Promise.withResolvers<UpstreamList<"tools">>();
    const asked = vi.fn(() => promise);
    const late = [get(asked), get(asked)].map((one) => expect(one).rejects.toThrow(LateError));
    await vi.advanceTimersByTimeAsync(3_000);
    await Promise.all(late);
    now += 3_000;
    const list = listOf("tools");
    expect(await getting(list)).toBe(list);
    resolve(listOf("tools"));
    await Promise.all(background);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(await unasked()).toBe(list);
  });

  test("31. that come late are an error now, and there for the next who asks", async () => {
    const { promise, resolve } = Promise.withResolvers<UpstreamList<"tools">>();
    const late = expect(get(() => promise)).rejects.toThrow(LateError);
    await vi.advanceTimersByTimeAsync(3_000);
    await late;
    const list = listOf("tools");
    resolve(list);
    await Promise.all(background);
    expect(await unasked()).toBe(list);
  });

  test("that were overtaken by later ones do not take their place", async () => {
    const { promise, resolve } = Promise.withResolvers<UpstreamList<"tools">>();
    const slow = get(() => promise);
    catalogs.invalidate("ledger", "tools");
    const later = listOf("tools");
    await getting(later);
    resolve(listOf("tools"));
    await slow;
    expect(await unasked()).toBe(later);
  });

  test("weigh no more than the limits: those read longest ago make room, one that is too long is not kept", async () => {
    catalogs = createCatalogs({ now: () => now }, { total: 4_000, each: 2_500 });
    const keys = ["a", "b", "c"].map((principal) => ({ ...KEY, principal }));
    for (const key of keys) await getting(listOf("tools", { weight: 1_000 }), key);
    expect(keys.map((key) => catalogs.last(key) !== undefined)).toEqual([false, true, true]);
    await getting(listOf("tools", { weight: 2_501 }), { ...KEY, principal: "d" });
    expect(catalogs.last({ ...KEY, principal: "d" })).toBeUndefined();
  });
});
