import { describe, expect, test } from "vitest";
import { isUlid, smallestUlid, ulid, ulidTime } from "../../lib/ids.ts";
import { webCryptoRandom } from "../../lib/random.ts";

const TIMES = [0, 1, 1_469_918_176_385, Date.UTC(2027, 0, 1), 2 ** 48 - 1];

describe("ULIDs", () => {
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
