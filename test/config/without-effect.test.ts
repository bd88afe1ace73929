import { describe, expect, test } from "vitest";
import { compiled, mistakes, warningsOf } from "./support.ts";

/** Keys that are accepted on Node and change nothing, each with how its one warning begins. */
const EVERYWHERE: readonly (readonly [keys: string, warning: string])[] = [
  ["session: {store: {type: redis}}", "session.store: accepted, without effect: "],
  ["caches: [{name: a, type: redis, address: b}]", "caches: accepted, without effect: "],
  ["audit: {delivery: background}", "audit.delivery: accepted, without effect: every call waits"],
  ["store: {region: us}", "store.region: accepted, not yet in effect: "],
];

describe("keys without effect", () => {
  test.each(EVERYWHERE)("%s is accepted with one warning", async (keys, warning) => {
    expect(await warningsOf(`version: 1\n${keys}`)).toEqual([expect.stringContaining(warning)]);
  });

  test.each([
    "audit: {delivery: durable}",
    "audit: {retention: 400d}",
    "audit: {}",
    "store: {path: ./data}",
    "session: {store: null}",
  ])("%s needs no word", async (keys) => {
    expect(await warningsOf(`version: 1\n${keys}`)).toEqual([]);
  });

  test("their secrets and variables need not be there", async () => {
    const caches = "caches: [{name: a, type: redis, encryption: {keys: {current: <redis.key>, old: [<redis.old>]}}}]";
    const others = 'session: {store: {type: "{{ env.KIND }}"}}\noidcProvider: {region: us, cache: <cache.name>}';
    expect(await warningsOf(`version: 1\n${caches}\n${others}`)).toHaveLength(3);
    expect((await compiled(`version: 1\n${caches}\n${others}`)).placeholders).toEqual([]);
  });

  test("warnings stand in the order of the text", async () => {
    const text =
      "version: 1\nstore: {region: us}\nsession: {store: {type: a}}\ncaches: []\naudit: {delivery: background}";
    expect((await warningsOf(text)).map((line) => line.split(":")[0])).toEqual([
      "store.region",
      "session.store",
      "caches",
      "audit.delivery",
    ]);
  });

  test.each(["workers", "lambda"] as const)("the embedded store's keys are without effect on %s", async (runtime) => {
    const text = 'version: 1\nhttp: {publicURL: "https://a.example"}\nstore: {path: /data, region: us}';
    expect(await warningsOf(text, { runtime })).toEqual(["store: without effect: this runtime has a store of its own"]);
  });

  test("Workers have no files", async () => {
    const text = 'version: 1\nhttp: {publicURL: "https://a.example"}\ntls: {main: {caFile: a}}';
    expect(await warningsOf(text, { runtime: "workers" })).toEqual([
      "tls: without effect: this runtime reads no files",
    ]);
    expect(await warningsOf(text, { runtime: "lambda" })).toEqual([]);
  });

  test.each(["0d", "-1d", "d", "400", "0s", "1d", "47h", "1y", "999999d"])(
    "a retention of %s is refused",
    async (retention) => {
      expect(await mistakes(`version: 1\naudit: {retention: "${retention}"}`)).toEqual([
        expect.stringContaining("audit.retention: found"),
      ]);
    },
  );
});
