import { describe, expect, test } from "vitest";
import { type AccessHandle, changeHandle, type HandlePorts } from "../../lib/gateway/access-handles.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { InteractionRecord } from "../../lib/stores/grants.ts";

type StoredGrants = HandlePorts["stores"]["grants"];

/** One store, of which each instance has its own port. Every operation leaves room for others. */
function store() {
  let record: InteractionRecord | undefined;
  let refused = 0;
  const others = () => new Promise((resolve) => setImmediate(resolve));
  const instance = (): HandlePorts => {
    const grants: StoredGrants = {
      interaction: async () => {
        await others();
        return record;
      },
      begin: async (begun) => {
        await others();
        record ??= begun;
      },
      advance: async (next) => {
        await others();
        const isNext = record?.revision === next.revision - 1;
        if (isNext) record = next;
        else refused++;
        return isNext;
      },
    };
    return { clock: { now: () => 1_000 }, random: webCryptoRandom, stores: { grants } };
  };
  return { instance, refused: () => refused, keys: () => keysOf(record) };
}

function keysOf(record: InteractionRecord | undefined): readonly string[] {
  return ((record?.content.handles ?? []) as readonly AccessHandle[]).map(({ key }) => key).sort();
}

const MOST = 20;
const KEYS = Array.from({ length: MOST }, (_, index) => `key ${index + 10}`);

/** @returns whether there was room */
function put(handle: Partial<AccessHandle> & Pick<AccessHandle, "key">, ports: HandlePorts): Promise<boolean> {
  const whole: AccessHandle = { state: "pending", until: 2_000, ...handle };
  return changeHandle({ record: "of a caller", key: handle.key }, ports, (_, hasRoom) =>
    hasRoom ? { result: true, handle: whole } : { result: false },
  );
}

describe("handles of one caller that change at the same time", () => {
  test("are all kept where instances meet", async () => {
    const { instance, keys } = store();
    await Promise.all(KEYS.map((key) => put({ key }, instance())));
    expect(keys()).toEqual(KEYS);
  });

  test("never meet in one instance", async () => {
    const { instance, keys, refused } = store();
    const one = instance();
    await Promise.all(KEYS.map((key) => put({ key }, one)));
    expect(keys()).toEqual(KEYS);
    expect(refused()).toBe(0);
  });
});

test("a refusal is the last handle to make room, and what waits never does", async () => {
  const { instance, keys } = store();
  const ports = instance();
  const approval = { text: "{}", until: 2_000 };
  await put({ key: "denied", state: "ended", status: "denied" }, ports);
  await put({ key: "approved", state: "approved", approval }, ports);
  await put({ key: "unavailable", state: "ended", status: "unavailable" }, ports);
  for (const key of KEYS.slice(3)) await put({ key }, ports);
  const kept: string[][] = [];
  for (const key of KEYS.slice(0, 3)) {
    expect(await put({ key }, ports)).toBe(true);
    kept.push(keys().filter((one) => !one.startsWith("key")));
  }
  expect(kept).toEqual([["approved", "denied"], ["denied"], []]);
  expect(await put({ key: "another" }, ports)).toBe(false);
  expect(keys()).toEqual(KEYS);
});
