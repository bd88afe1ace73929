import { describe, expect, test } from "vitest";
import { uuid } from "../../lib/ids.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { MINUTE } from "./records.ts";

/** What every implementation of `SingleUse` does. */
export function singleUseContract(engine: StoreEngine): void {
  describe(`single use on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const consume = (key: string, expiresAt = Date.now() + MINUTE, namespace = "test") =>
      opened.stores.singleUse.consume(namespace, key, expiresAt);

    test("of 50 parallel consumers of one value one wins", async () => {
      const key = newKey();
      const results = await Promise.all(Array.from({ length: 50 }, () => consume(key)));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await consume(key)).toBe(false);
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
