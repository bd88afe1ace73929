import { beforeEach, describe, expect, test } from "vitest";
import { type CachedSecret, cachedSecrets } from "../../lib/secrets/cached.ts";
import { SecretError } from "../../lib/secrets/provider.ts";
import { type MovableClock, movableClock } from "./servers/movable-clock.ts";

const MINUTE = 60_000;

let clock: MovableClock;
let asked: string[];
let value: string | Error;
let stale: string[];

beforeEach(() => {
  clock = movableClock();
  [asked, stale] = [[], []];
  value = "one";
});

function open(entries?: Map<string, CachedSecret>) {
  const provider = {
    async get(reference: string) {
      asked.push(reference);
      await Promise.resolve();
      if (value instanceof Error) throw value;
      return value;
    },
  };
  const onStale = (reference: string, error: SecretError) => stale.push(`${reference}: ${error.message}`);
  return cachedSecrets(provider, { clock, onStale, ...(entries !== undefined && { entries }) });
}

describe("cached secrets", () => {
  test("are fetched once by whoever asks at the same time, and again after five minutes", async () => {
    const secrets = open();
    expect(await Promise.all([secrets.get("a.b"), secrets.get("a.b"), secrets.get("c.d")])).toEqual([
      "one",
      "one",
      "one",
    ]);
    value = "two";
    clock.advance(5 * MINUTE - 1);
    expect(await secrets.get("a.b")).toBe("one");
    expect(asked).toEqual(["a.b", "c.d"]);
    clock.advance(1);
    expect(await secrets.get("a.b")).toBe("two");
  });

  test("stay what they were while they cannot be fetched, which is told once until they can", async () => {
    const secrets = open();
    await secrets.get("a.b");
    value = new SecretError("away");
    for (let i = 0; i < 3; i++) {
      clock.advance(5 * MINUTE);
      expect(await secrets.get("a.b")).toBe("one");
    }
    expect(asked).toHaveLength(4);
    expect(stale).toEqual(["a.b: away"]);
    value = "two";
    clock.advance(5 * MINUTE);
    expect(await secrets.get("a.b")).toBe("two");
    value = new SecretError("away again");
    clock.advance(5 * MINUTE);
    expect(await secrets.get("a.b")).toBe("two");
    expect(stale).toEqual(["a.b: away", "a.b: away again"]);
  });

  test("that cannot be fetched are asked for once in five minutes", async () => {
    const secrets = open();
    await secrets.get("a.b");
    value = new SecretError("away");
    clock.advance(5 * MINUTE);
    for (let i = 0; i < 3; i++) await secrets.get("a.b");
    expect(asked).toHaveLength(2);
  });

  test("that were never there are an error, which is not kept", async () => {
    value = new SecretError("away");
    const secrets = open();
    await expect(secrets.get("a.b")).rejects.toBe(value);
    value = "one";
    expect(await secrets.get("a.b")).toBe("one");
    expect(stale).toEqual([]);
  });

  test("do not hide a mistake of ours", async () => {
    const secrets = open();
    await secrets.get("a.b");
    value = new TypeError("mistake");
    clock.advance(5 * MINUTE);
    await expect(secrets.get("a.b")).rejects.toBe(value);
  });

  test("are fetched again when the clock was put back", async () => {
    const secrets = open();
    await secrets.get("a.b");
    value = "two";
    clock.advance(-60 * MINUTE);
    expect(await secrets.get("a.b")).toBe("two");
  });

  test("outlive their provider as plain values", async () => {
    const entries = new Map<string, CachedSecret>();
    await open(entries).get("a.b");
    value = new SecretError("away");
    expect(await open(structuredClone(entries)).get("a.b")).toBe("one");
    expect(asked).toHaveLength(1);
  });
});
