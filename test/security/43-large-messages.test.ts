import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { jsonExceeds, jsonTextExceeds } from "../../lib/kernel/json.ts";
import { createTurns } from "../../lib/kernel/turns.ts";
import { createExports } from "../../lib/management/audit-export.ts";
import { createMessageRoom, leavingWith, WIDE } from "../../lib/mcp/message-room.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";

const MIB = 1024 * 1024;

describe("43. a message is counted before it is parsed", () => {
  const filled = (value: unknown): boolean =>
    typeof value !== "object" ||
    value === null ||
    (Object.keys(value).length > 0 && Object.values(value).every(filled));

  test("as many values as parsing it would make", () => {
    fc.assert(
      fc.property(fc.jsonValue().filter(filled), fc.integer({ min: 1, max: 40 }), (value, nodes) => {
        const limits = { depth: 100, nodes };
        expect(jsonTextExceeds(utf8(JSON.stringify(value)), limits)).toBe(jsonExceeds(value, limits));
      }),
    );
  });

  test.for([
    ['"\\\\\\",[[["', false],
    ['["\\\\",[]]', false],
    [`"${"\\\\".repeat(1_000)}"`, false],
    ["[".repeat(4), true],
    ["[[[]]]", false],
    ['{"a":[1,2,3],"b":{"c":"}{,"}}', false],
    [`[${"0,".repeat(10)}0]`, true],
  ] as const)("%s", ([text, exceeds]) => {
    expect(jsonTextExceeds(utf8(text), { depth: 3, nodes: 10 })).toBe(exceeds);
  });
});

describe("43. surplus arguments of a closed tool", () => {
  const schema = { type: "object", properties: { id: {} }, additionalProperties: false } as const;

  test("are refused by their number, and a few are named", () => {
    const given = Object.fromEntries(Array.from({ length: 19_000 }, (_, index) => [`a${index}`, { deep: [index] }]));
    const problems = createSchemaCheck()(schema, given);
    expect(problems).toHaveLength(5);
    expect(problems[0]).toBe("a0: is not accepted (accepted: id)");
  });
});

describe("43. turns", () => {
  test("those who ask come one after another, whoever asks most", async () => {
    const turns = createTurns();
    const order: string[] = [];
    const ask = (who: string) => turns(who, () => void order.push(who));
    await Promise.all([ask("many"), ask("many"), ask("many"), ask("one")]);
    expect(order).toEqual(["many", "many", "one", "many"]);
  });

  test("what one throws is its own", async () => {
    const turns = createTurns();
    const failing = turns("one", () => Promise.reject(new Error("mine")));
    await expect(failing).rejects.toThrow("mine");
    expect(await turns("one", () => 1)).toBe(1);
  });
});

describe("48. room for large messages", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("a caller has its share; more waits for it, then is refused", async () => {
    const { enter } = createMessageRoom(WIDE);
    const [first, second] = [await enter("a", 3 * MIB), await enter("a", MIB)];
    const third = enter("a", 2 * MIB);
    const fourth = enter("a", 2 * MIB);
    await vi.advanceTimersByTimeAsync(1_000);
    first?.leave();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await third)?.isHeld()).toBe(true);
    expect(await fourth).toBeUndefined();
    second?.leave();
    expect((await enter("a", 2 * MIB))?.isHeld()).toBe(true);
  });

  test("all callers together have the instance's, and small messages always have room", async () => {
    const { enter } = createMessageRoom(WIDE);
    for (let index = 0; index < 8; index++) expect(await enter(`caller ${index}`, 4 * MIB)).toBeDefined();
    const late = enter("another", 4 * MIB);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await late).toBeUndefined();
    expect((await enter("another", 1_000))?.isHeld()).toBe(false);
  });

  test("what turns out to be smaller gives room back, and the answer's end all of it", async () => {
    const { enter } = createMessageRoom(WIDE);
    const place = await enter("a", 4 * MIB);
    place?.settle(MIB);
    expect(place?.isHeld()).toBe(true);
    const { signal } = new AbortController();
    await (place && leavingWith(new Response("answer"), place, signal))?.text();
    expect(place?.isHeld()).toBe(false);
  });

  test.for(["cancelled", "aborted"] as const)("a %s answer gives it back", async (end) => {
    const place = await createMessageRoom(WIDE).enter("a", MIB);
    if (place === undefined) throw new Error("there is no room");
    const leaving = new AbortController();
    const response = leavingWith(new Response("answer"), place, leaving.signal);
    if (end === "cancelled") await response.body?.cancel();
    else leaving.abort();
    expect(place.isHeld()).toBe(false);
  });
});

describe("43. exports", () => {
  const stream = () => new Response("records").body as ReadableStream<Uint8Array<ArrayBuffer>>;
  const { signal } = new AbortController();

  test("a principal has one at a time, until it is read, given up or failed", async () => {
    const exports = createExports();
    const begin = (who: string, open = async () => stream()) => exports.one(who, open, signal);
    const first = await begin("a");
    const [second, third] = [begin("a"), begin("a")];
    await (await begin("b")).cancel();
    await new Response(first).text();
    const held = await Promise.any([second, third]);
    vi.useFakeTimers();
    const fourth = expect(begin("a")).rejects.toMatchObject({ code: "too_many_requests" });
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await fourth;
    await held.cancel();
    for (const other of await Promise.allSettled([second, third])) {
      if (other.status === "fulfilled" && other.value !== held) await other.value.cancel();
    }
    await expect(begin("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    await (await begin("a")).cancel();
  });
});
