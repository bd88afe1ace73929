import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatUuid, isUlid, smallestUlid, ulid, ulidTime, uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";

const TIMES = [0, 1, 1_469_918_176_385, Date.UTC(2027, 0, 1), 2 ** 48 - 1];

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
/** What a source of random bytes may give. */
const random = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => ({ bytes: () => new Uint8Array(bytes) }));

describe("ULIDs", () => {
  test("37. have the form of a ULID and hold their time, whatever time and chance are", () => {
    fc.assert(
      fc.property(time, random, (at, chance) => {
        const id = ulid(at, chance);
        expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
        expect([isUlid(id), ulidTime(id)]).toEqual([true, at]);
      }),
    );
  });

  test("37. sort by time, whatever chance is", () => {
    fc.assert(
      fc.property(time, time, random, random, (one, other, first, second) => {
        const [a, b] = [ulid(one, first), ulid(other, second)];
        if (one !== other) expect(a < b).toBe(one < other);
        expect(smallestUlid(one) <= a).toBe(true);
        if (one < other) expect(smallestUlid(other) > a).toBe(true);
      }),
    );
  });

  test("37. of one time differ when their random bits differ", () => {
    const ids = Array.from({ length: 2_000 }, () => ulid(1_700_000_000_000, webCryptoRandom));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("37. are told from any other text without failing", () => {
    const nearly = fc.string({
      unit: fc.constantFrom(..."0127890ABCDEFGHIJKLMNOPQRSTUVWXYZ-"),
      minLength: 25,
      maxLength: 27,
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), nearly), (text) => {
        const isOne = text.length === 26 && /^[0-7]/.test(text) && !/[^0-9A-Z]|[ILOU]/.test(text);
        expect(isUlid(text)).toBe(isOne);
        expect(ulidTime(text) === undefined).toBe(!isOne);
        if (isOne) expect(smallestUlid(ulidTime(text) ?? 0).slice(0, 10)).toBe(text.slice(0, 10));
      }),
    );
  });

  test.each(TIMES)("hold the time %i", (time) => {
    const id = ulid(time, webCryptoRandom);
    expect(isUlid(id)).toBe(true);
    expect(ulidTime(id)).toBe(time);
  });

  test("sort after every id of an earlier time and not before the smallest of their own", () => {
    for (const time of TIMES.slice(1)) {
      expect(smallestUlid(time) > ulid(time - 1, webCryptoRandom)).toBe(true);
      expect(smallestUlid(time) <= ulid(time, webCryptoRandom)).toBe(true);
      expect(ulidTime(smallestUlid(time))).toBe(time);
    }
  });

  test("are told from every other text", () => {
    const id = ulid(TIMES[2] ?? 0, webCryptoRandom);
    for (const text of ["", id.slice(1), `${id}0`, id.toLowerCase(), `8${id.slice(1)}`, `${id.slice(1)}U`, `${id}\n`]) {
      expect([text, isUlid(text), ulidTime(text)]).toEqual([text, false, undefined]);
    }
  });
});

describe("UUIDs", () => {
  test("37. hold their sixteen bytes, those of version 4 but for version and variant", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), random, (bytes, chance) => {
        expect(formatUuid(bytes).replaceAll("-", "")).toBe(Buffer.from(bytes).toString("hex"));
        expect(uuid(chance)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }),
    );
  });
});
