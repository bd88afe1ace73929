import { describe, expect, test } from "vitest";
import { uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { MINUTE } from "./records.ts";

const CENTURY = 100 * 365 * 24 * 60 * MINUTE;

/** What every implementation of `SingleUse` does. */
export function singleUseContract(engine: StoreEngine): void {
  describe(`single use on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const consume = (key: string, expiresAt = Date.now() + MINUTE, namespace = "test") =>
      opened.stores.singleUse.consume(namespace, key, expiresAt);

    test.each([
      { value: "one value", namespace: "test", lifetime: MINUTE },
      // That the first owner was made counts for good.
      { value: "one setup token", namespace: "setup-token", lifetime: CENTURY },
    ])("of 50 parallel consumers of $value, in two processes, one wins", async ({ namespace, lifetime }) => {
      const processes = [opened.stores, await opened.another()];
      const key = newKey();
      const expiresAt = Date.now() + lifetime;
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => processes[i % 2]?.singleUse.consume(namespace, key, expiresAt)),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await consume(key, expiresAt, namespace)).toBe(false);
    });

    test("whether a value was used can be asked without using it, in another process too", async () => {
      const [key, other] = [newKey(), await opened.another()];
      const { singleUse } = opened.stores;
      expect(await singleUse.isUsed("test", key)).toBe(false);
      expect(await consume(key)).toBe(true);
      expect(await singleUse.isUsed("test", key)).toBe(true);
      expect(await other.singleUse.isUsed("test", key)).toBe(true);
      expect(await singleUse.isUsed("other", key)).toBe(false);
    });

    test("other keys and other namespaces are other values", async () => {
      const key = newKey();
      expect(await consume(key)).toBe(true);
      expect(await consume(newKey())).toBe(true);
      expect(await consume(key, Date.now() + MINUTE, "other")).toBe(true);
    });

    test("keys and namespaces are not glued together", async () => {
      const key = newKey();
      expect(await consume(`b/${key}`, Date.now() + MINUTE, "a")).toBe(true);
      expect(await consume(key, Date.now() + MINUTE, "a/b")).toBe(true);
    });

    test("a value that has just expired stays used", async () => {
      const key = newKey();
      expect(await consume(key, Date.now() - 1)).toBe(true);
      expect(await consume(key)).toBe(false);
    });

    test("a value counts again once it has expired before the margin", async () => {
      const key = newKey();
      expect(await consume(key, Date.now() - EXPIRY_MARGIN)).toBe(true);
      expect(await opened.stores.singleUse.isUsed("test", key)).toBe(false);
      expect(await consume(key)).toBe(true);
      expect(await consume(key)).toBe(false);
    });

    test("a used value stays used after a restart", async () => {
      const key = newKey();
      expect(await consume(key)).toBe(true);
      await opened.reopen();
      expect(await consume(key)).toBe(false);
    });
  });
}

function newKey(): string {
  return uuid(webCryptoRandom);
}
