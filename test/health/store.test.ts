import { describe, expect, test } from "vitest";
import type { Directory } from "../../lib/stores/directory.ts";
import { down, startWithHealth, UP } from "./with-health.ts";

/** The product on a store whose reads a test replaces; counts those of the probe. */
async function startOnStore() {
  let read: (() => ReturnType<Directory["getOrganization"]>) | undefined;
  let reads = 0;
  const it = await startWithHealth({
    adapt: (dependencies) => {
      const { directory } = dependencies.stores;
      const getOrganization: Directory["getOrganization"] = (id) => {
        reads += 1;
        return read === undefined ? directory.getOrganization(id) : read();
      };
      return { ...dependencies, stores: { ...dependencies.stores, directory: { ...directory, getOrganization } } };
    },
  });
  return {
    ...it,
    reads: () => reads,
    readsWith: (replacement: typeof read) => {
      read = replacement;
    },
  };
}

const failing = () => Promise.reject(new Error("disk I/O error"));

describe("health looks at the store", () => {
  test("once a second at most, however many ask", async () => {
    const it = await startOnStore();
    await Promise.all(Array.from({ length: 50 }, () => it.health()));
    for (let n = 0; n < 10; n++) expect(await it.health()).toEqual(UP);
    expect(it.reads()).toBe(1);
    it.pass(999);
    await it.health();
    expect(it.reads()).toBe(1);
    it.pass(1);
    await Promise.all(Array.from({ length: 50 }, () => it.health()));
    expect(it.reads()).toBe(2);
  });

  test("and is down while it cannot be read, which is logged once, and up again after it", async () => {
    const it = await startOnStore();
    expect(await it.health()).toEqual(UP);
    it.readsWith(failing);
    for (let n = 0; n < 3; n++) {
      it.pass(1_000);
      expect(await it.health()).toEqual(down("store"));
    }
    expect(it.entries("store not available")).toEqual([
      expect.objectContaining({ level: "error", reason: "disk I/O error" }),
    ]);
    it.readsWith(undefined);
    expect(await it.health()).toEqual(down("store"));
    it.pass(1_000);
    expect(await it.health()).toEqual(UP);
    expect(it.entries("store available again")).toHaveLength(1);
  });

  test("and waits a second for it, no longer, also when many ask", async () => {
    const it = await startOnStore();
    let answer: (() => void) | undefined;
    it.readsWith(
      () =>
        new Promise((resolve) => {
          answer = () => resolve(undefined);
        }),
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => it.health()));
    expect(answers).toEqual(answers.map(() => down("store")));
    expect(it.reads()).toBe(1);
    expect(it.entries("store not available")).toEqual([
      expect.objectContaining({ reason: "no answer within 1000 ms" }),
    ]);
    answer?.();
    it.readsWith(undefined);
    it.pass(1_000);
    expect(await it.health()).toEqual(UP);
  });

  test("and does not let a read that throws at once through", async () => {
    const it = await startOnStore();
    it.readsWith(() => {
      throw new TypeError("not open");
    });
    expect(await it.health()).toEqual(down("store"));
  });
});
