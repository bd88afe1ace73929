import { beforeEach, describe, expect, test, vi } from "vitest";
import { type ClientNamespace, clientCache } from "../../infra/cloudflare/client-cache.ts";
import type { VerificationRecord } from "../../lib/stores/api-clients.ts";

const CLIENT = "client_1";
const MINUTE = 60_000;

describe("the cache of API clients in an isolate", () => {
  let now: number;
  let values: Map<string, string>;
  let writes: number;
  let isDown: boolean;
  let background: Promise<void>[];
  beforeEach(() => {
    [now, values, writes, isDown, background] = [0, new Map(), 0, false, []];
  });

  /** What the cache uses of KV, which takes one write a second for a key. */
  const namespace: ClientNamespace = {
    get: async (key) => {
      if (isDown) throw new Error("KV is down");
      return values.get(key) ?? null;
    },
    put: async (key, value) => {
      writes += 1;
      if (isDown) throw new Error("KV is down");
      values.set(key, value);
    },
    delete: async (key) => void values.delete(key),
  };
  const open = () => clientCache(namespace, { now: () => now }, (work) => void background.push(work));

  test("what was read from the registry is known to this isolate at once, and to others by KV", async () => {
    const cache = open();
    expect(await cache.get(CLIENT)).toBeUndefined();
    cache.keep(CLIENT, record(1));
    expect(await cache.get(CLIENT)).toEqual(record(1));
    await Promise.all(background);
    expect(await open().get(CLIENT)).toEqual(record(1));
  });

  test("that a client does not exist is known too", async () => {
    const cache = open();
    cache.keep(CLIENT, null);
    await Promise.all(background);
    expect(await cache.get(CLIENT)).toBeNull();
    expect(await open().get(CLIENT)).toBeNull();
  });

  test("what this isolate read counts before what KV has, for a minute", async () => {
    const cache = open();
    cache.keep(CLIENT, record(1));
    await Promise.all(background);
    cache.keep(CLIENT, record(2));
    expect(await cache.get(CLIENT)).toEqual(record(2));
    now += MINUTE;
    expect(await cache.get(CLIENT)).toEqual(record(1));
  });

  test("KV gets one write a minute for a client, however often it is read again", async () => {
    const cache = open();
    for (let second = 0; second < 120; second++, now += 1000) cache.keep(CLIENT, record(second));
    expect(writes).toBe(2);
  });

  test("after a change in this isolate nothing is known, and the next record is written again", async () => {
    const cache = open();
    cache.keep(CLIENT, record(1));
    await namespace.delete("verification/1/client_1");
    cache.forget(CLIENT);
    expect(await cache.get(CLIENT)).toBeUndefined();
    cache.keep(CLIENT, record(2));
    expect(writes).toBe(2);
  });

  test("KV that fails is a cache that knows nothing, and no error", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    isDown = true;
    const cache = open();
    expect(await cache.get(CLIENT)).toBeUndefined();
    cache.keep(CLIENT, record(1));
    await Promise.all(background);
    expect(await cache.get(CLIENT)).toEqual(record(1));
    expect(log.mock.calls.map(([line]) => JSON.parse(line).cause)).toEqual(["Error: KV is down", "Error: KV is down"]);
    log.mockRestore();
  });
});

function record(number: number): VerificationRecord {
  return { clientId: CLIENT, organizationId: "org_1", scopes: [String(number)], resources: [], keyPairs: [] };
}
