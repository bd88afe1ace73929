import { beforeEach, describe, expect, test } from "vitest";
import { keyPairUses } from "../../infra/cloudflare/key-pair-uses.ts";
import type { KeyPairUse } from "../../lib/stores/api-clients.ts";

const HOUR = 60 * 60_000;

describe("the uses of key pairs that an isolate tells the registry", () => {
  let now: number;
  let told: KeyPairUse[];
  let isDown: boolean;
  beforeEach(() => {
    [now, told, isDown] = [0, [], false];
  });

  const open = () =>
    keyPairUses({ now: () => now }, async (use) => {
      told.push(use);
      if (isDown) throw new Error("the registry is down");
    });
  const use = (keyPairId: string, hour: number): KeyPairUse => ({ clientId: "client_1", keyPairId, hour });

  test("are one an hour for each key pair, however many requests there are", async () => {
    const record = open();
    for (const hour of [0, HOUR]) {
      for (let i = 0; i < 100; i++) await Promise.all([record(use("key_1", hour)), record(use("key_2", hour))]);
    }
    expect(told).toEqual([use("key_1", 0), use("key_2", 0), use("key_1", HOUR), use("key_2", HOUR)]);
  });

  test("are not those of an hour before one that was told", async () => {
    const record = open();
    await record(use("key_1", HOUR));
    await record(use("key_1", 0));
    expect(told).toEqual([use("key_1", HOUR)]);
  });

  test("are tried again once a minute while the registry is down", async () => {
    const record = open();
    isDown = true;
    await expect(record(use("key_1", 0))).rejects.toThrow("the registry is down");
    for (; now < 60_000; now += 1000) await record(use("key_1", 0));
    expect(told).toHaveLength(1);
    await expect(record(use("key_1", 0))).rejects.toThrow("the registry is down");
    isDown = false;
    now += 60_000;
    for (let i = 0; i < 10; i++) await record(use("key_1", 0));
    expect(told).toHaveLength(3);
  });
});
