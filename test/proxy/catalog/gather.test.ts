import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createCatalogs, type ListKey } from "../../../lib/upstream/catalog/catalogs.ts";
import { gather } from "../../../lib/upstream/catalog/gather.ts";
import type { UpstreamList } from "../../../lib/upstream/catalog/upstream-list.ts";
import { listOf } from "./upstream-lists.ts";

const NOTHING = { last: () => undefined, deadline: 3_000 };

describe("lists of several apps", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("are asked for at once, and come in the order of the apps", async () => {
    const asked: string[] = [];
    const answers = new Map(["one", "two"].map((app) => [app, Promise.withResolvers<string>()]));
    const gathered = gather(
      ["one", "two"],
      (app) => {
        asked.push(app);
        return answers.get(app)?.promise ?? Promise.reject(new Error(app));
      },
      NOTHING,
    );
    expect(asked).toEqual(["one", "two"]);
    answers.get("two")?.resolve("2");
    answers.get("one")?.resolve("1");
    expect(await gathered).toEqual({
      lists: [
        { app: "one", list: "1" },
        { app: "two", list: "2" },
      ],
      missing: [],
    });
  });

  test("31. one that never answers and one that fails cost themselves only, and are reported", async () => {
    const down = new Error("down");
    const load = (app: string): Promise<string> => {
      if (app === "silent") return new Promise(() => undefined);
      if (app === "throws") throw down;
      return app === "down" ? Promise.reject(down) : Promise.resolve(app);
    };
    const gathered = gather(["silent", "good", "down", "throws"], load, NOTHING);
    await vi.advanceTimersByTimeAsync(3_000);
    const { lists, missing } = await gathered;
    expect(lists).toEqual([{ app: "good", list: "good" }]);
    expect(missing).toMatchObject([
      { app: "silent", why: "late", isStandIn: false },
      { app: "down", why: "failed", cause: down },
      { app: "throws", why: "failed", cause: down },
    ]);
  });

  test("31. what was known last stands in for what is late, and what arrives late is there the next time", async () => {
    const catalogs = createCatalogs({ now: () => 0 });
    const keyOf = (app: string): ListKey<"tools"> => ({ app, principal: "ada", kind: "tools" });
    const background: Promise<void>[] = [];
    const from = (load: () => Promise<UpstreamList<"tools">>) =>
      gather(
        ["ledger"],
        (app) => catalogs.get(keyOf(app), { load, waitUntil: (work) => void background.push(work), deadline: 3_000 }),
        { last: (app) => catalogs.last(keyOf(app)), deadline: 3_000 },
      );
    const [first, second] = [listOf("tools"), listOf("tools")];
    await from(async () => first);
    catalogs.invalidate("ledger", "tools");

    const { promise, resolve } = Promise.withResolvers<UpstreamList<"tools">>();
    const late = from(() => promise);
    await vi.advanceTimersByTimeAsync(3_000);
    expect((await late).lists[0]?.list).toBe(first);
    expect((await late).missing).toMatchObject([{ app: "ledger", why: "late", isStandIn: true }]);

    resolve(second);
    await Promise.all(background);
    const next = await from(() => Promise.reject(new Error("must not be asked")));
    expect(next.lists[0]?.list).toBe(second);
    expect(next.missing).toEqual([]);
  });
});
