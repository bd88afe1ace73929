import { beforeEach, describe, expect, test } from "vitest";
import { type ClientNamespace, clientCache } from "../../infra/cloudflare/client-cache.ts";
import type { LogFields } from "../../lib/logging/logger.ts";
import type { VerificationRecord } from "../../lib/stores/api-clients.ts";

const CLIENT = "client_1";
const MINUTE = 60_000;

describe("the cache of API clients in an isolate", () => {
  let now: number;
  let values: Map<string, string>;
  let reads: number;
  let writes: number;
  let isDown: boolean;
  let background: Promise<void>[];
  let failures: unknown[];
  beforeEach(() => {
    [now, values, reads, writes, isDown, background, failures] = [0, new Map(), 0, 0, false, [], []];
  });
  const logger = { error: (_: string, fields?: LogFields) => void failures.push(fields?.cause) };

  /** What the cache uses of KV, which takes one write a second for a key. */
  const namespace: ClientNamespace = {
    get: async (key) => {
      reads += 1;
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
  const open = () => clientCache(namespace, { now: () => now }, (work) => void background.push(work), logger);

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

  test("what KV had is not asked again for half a minute", async () => {
    open().keep(CLIENT, record(1));
    await Promise.all(background);
    const cache = open();
    for (let second = 0; second < 60; second++, now += 1000) expect(await cache.get(CLIENT)).toEqual(record(1));
    expect(reads).toBe(2);
  });

  test("a slow answer of KV does not hide what the registry said meanwhile", async () => {
    open().keep(CLIENT, record(1));
    await Promise.all(background);
    const cache = open();
    const slow = cache.get(CLIENT);
    cache.keep(CLIENT, record(2));
    expect(await slow).toEqual(record(1));
    expect(await cache.get(CLIENT)).toEqual(record(2));
  });

  test.each([
    ["of another shape", { clientId: CLIENT, organizationId: "org_1", scopes: [], resources: [], keyPairs: [] }],
    ["of another client", { ...record(1), clientId: "client_2" }],
    ["of no shape at all", [1, "two"]],
  ])("an entry %s is none", async (_, entry) => {
    values.set("verification/2/client_1", JSON.stringify(entry));
    expect(await open().get(CLIENT)).toBeUndefined();
  });

  test("KV that does not answer is not waited for longer than a second", async () => {
    const hanging: ClientNamespace = { ...namespace, get: () => new Promise(() => undefined) };
    const start = performance.now();
    expect(await clientCache(hanging, { now: () => now }, () => undefined, logger).get(CLIENT)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(3000);
    expect(failures).toHaveLength(1);
  });

  test("KV gets one write a minute for a client, however often it is read again", async () => {
    const cache = open();
    for (let second = 0; second < 120; second++, now += 1000) cache.keep(CLIENT, record(second));
    expect(writes).toBe(2);
  });

  test("after a change in this isolate nothing is known, and the next record is written again", async () => {
    const cache = open();
    cache.keep(CLIENT, record(1));
    await namespace.delete("verification/2/client_1");
    cache.forget(CLIENT);
    expect(await cache.get(CLIENT)).toBeUndefined();
    cache.keep(CLIENT, record(2));
    expect(writes).toBe(2);
  });

  test("KV that fails is a cache that knows nothing, and no error", async () => {
    isDown = true;
    const cache = open();
    expect(await cache.get(CLIENT)).toBeUndefined();
    cache.keep(CLIENT, record(1));
    await Promise.all(background);
    expect(await cache.get(CLIENT)).toEqual(record(1));
    expect(failures).toEqual(["Error: KV is down", "Error: KV is down"]);
  });
});

function record(number: number): VerificationRecord {
  return {
    clientId: CLIENT,
    organizationId: "org_1",
    scopes: [String(number)],
    resources: [],
    grantRevision: 1,
    keyPairs: [],
  };
}
