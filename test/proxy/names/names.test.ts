import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exposed, ownName } from "../../../lib/upstream/names/namespaced.ts";

const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 90 }),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,80}$/),
  fc.stringMatching(/^[a-z]{1,5}_[0-9a-f]{8}$/),
);
const namespaces = fc.oneof(fc.constantFrom("", "ledger_", "led", "a.b/"), fc.string({ maxLength: 70 }));

describe("names of tools and prompts", () => {
  test("37. a name leads back to itself, or only a list knows it", async () => {
    await fc.assert(
      fc.asyncProperty(namespaces, names, async (namespace, name) => {
        const seen = await exposed(namespace, name);
        expect([name, undefined]).toContain(await ownName(namespace, seen));
        if (namespace !== "") expect(seen).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });

  test("37. what leads back to a name is how agents see that name, and no other name is seen so", async () => {
    await fc.assert(
      fc.asyncProperty(namespaces, names, names, async (namespace, one, other) => {
        const own = await ownName(namespace, one);
        if (own !== undefined) expect(await exposed(namespace, own)).toBe(one);
        if (one !== other) expect(await exposed(namespace, one)).not.toBe(await exposed(namespace, other));
      }),
    );
  });

  test("plain names need no list; what was cut, what could be, and what is another's does", async () => {
    expect(await ownName("ledger_", "ledger_post")).toBe("post");
    expect(await ownName("ledger_", await exposed("ledger_", "a/b"))).toBeUndefined();
    expect(await ownName("ledger_", await exposed("ledger_", "x".repeat(64)))).toBeUndefined();
    expect(await ownName("ledger_", "ledger_post_0123abcd")).toBeUndefined();
    expect(await ownName("ledger_", "ledger_")).toBeUndefined();
    expect(await ownName("ledger_", "post")).toBeUndefined();
  });

  test("without a namespace names pass untouched, whatever they are", async () => {
    expect(await exposed("", "a/b c.é_0123abcd")).toBe("a/b c.é_0123abcd");
    expect(await ownName("", "a/b c.é_0123abcd")).toBe("a/b c.é_0123abcd");
  });
});
