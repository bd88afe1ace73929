import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { mintToken, tokenReference } from "../../lib/authorization-server/tokens/opaque.ts";
import { laneShard, laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import { base62, crc32 } from "../../lib/kernel/checksum.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";

const shard = fc.integer({ min: 0, max: 255 });

describe("opaque tokens", () => {
  test("CRC-32 has the check value of the standard", () => {
    expect(crc32("123456789")).toBe(0xcbf43926);
  });

  test("base 62 is fixed in length and keeps the order of numbers", () => {
    const uint32 = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(uint32, uint32, (a, b) => {
        expect(base62(a, 6)).toMatch(/^[0-9A-Za-z]{6}$/);
        expect(Math.sign(a - b)).toBe(a === b ? 0 : base62(a, 6) < base62(b, 6) ? -1 : 1);
      }),
    );
  });

  test("37. a token leads back to its shard and hash", () => {
    fc.assert(
      fc.property(fc.constantFrom("us", "uk", "eu2"), shard, (region, number) => {
        const { text, reference } = mintToken(region, number, webCryptoRandom);
        expect(text).toMatch(new RegExp(`^cst_${region}_[0-9a-f]{2}[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$`));
        expect(reference).toEqual({ shard: number, hash: sha256base64url(text) });
        expect(tokenReference(text)).toEqual(reference);
      }),
    );
  });

  test("37. one changed, added or missing character is noticed without a read", () => {
    const { text } = mintToken("us", 171, webCryptoRandom);
    const printable = fc.constantFrom(..."ABCxyz019-_.~ é");
    fc.assert(
      fc.property(fc.nat(text.length - 1), printable, fc.constantFrom(0, 1), (at, character, removed) => {
        const changed = text.slice(0, at) + character + text.slice(at + removed);
        if (changed !== text) expect(tokenReference(changed)).toBeUndefined();
        expect(tokenReference(text.slice(0, at))).toBeUndefined();
      }),
    );
  });

  test("37. any text is answered", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(tokenReference(text)).toBeUndefined();
        expect(tokenReference(`cst_us_${text}`)).toBeUndefined();
      }),
    );
  });
});

describe("lanes of a client", () => {
  test("37. every value falls into one of the client's eight shards, always the same", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "binary" }), (clientId, value) => {
        const shards = laneShards(clientId);
        expect(new Set(shards).size).toBe(8);
        expect(shards.every((number) => Number.isInteger(number) && number >= 0 && number <= 255)).toBe(true);
        const lane = laneShard(clientId, value);
        expect(shards).toContain(lane);
        expect(laneShard(clientId, value)).toBe(lane);
      }),
    );
  });

  test("random values spread over all eight", () => {
    const values = Array.from({ length: 800 }, () => crypto.randomUUID());
    const lanes = values.map((value) => laneShard("client_x", value));
    const counts = laneShards("client_x").map((number) => lanes.filter((lane) => lane === number).length);
    for (const count of counts) expect(count).toBeGreaterThan(50);
  });

  test("clients spread over all shards", () => {
    const shards = Array.from({ length: 1000 }, () => laneShards(crypto.randomUUID()));
    expect(new Set(shards.flat()).size).toBe(256);
  });
});
