import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";

const ours = clientIds(webCryptoRandom.bytes(32));

describe("client ids", () => {
  test("are client_ and a UUID of version 8", () => {
    for (let i = 0; i < 50; i++) {
      const id = ours.create(webCryptoRandom);
      expect(id).toMatch(/^client_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(ours.isOurs(id)).toBe(true);
    }
  });

  test("of another region's secret are not ours", () => {
    const id = clientIds(webCryptoRandom.bytes(32)).create(webCryptoRandom);
    expect(ours.isOurs(id)).toBe(false);
  });

  test("37. with one changed character are refused", () => {
    const id = ours.create(webCryptoRandom);
    fc.assert(
      fc.property(fc.nat(id.length - 1), fc.constantFrom(..."0123456789abcdefABC-_ "), (at, character) => {
        const changed = id.slice(0, at) + character + id.slice(at + 1);
        expect(ours.isOurs(changed)).toBe(changed === id);
      }),
      { numRuns: 500 },
    );
  });

  test("37. of any secret and any random bytes are that secret's own, and no other's", () => {
    const secret = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(secret, secret, bytes, (one, other, chosen) => {
        const random = { bytes: () => new Uint8Array(chosen) };
        const id = clientIds(new Uint8Array(one)).create(random);
        expect(id).toMatch(/^client_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(clientIds(new Uint8Array(one)).isOurs(id)).toBe(true);
        const isSame = Buffer.from(one).equals(Buffer.from(other));
        expect(clientIds(new Uint8Array(other)).isOurs(id)).toBe(isSame);
        expect(ours.isOurs(id)).toBe(false);
      }),
    );
  });

  test("37. with any digit changed, or two exchanged, are refused", () => {
    const id = ours.create(webCryptoRandom);
    for (let at = 0; at < id.length; at++) {
      for (const digit of "0123456789abcdef-".replace(id[at] as string, "")) {
        expect(ours.isOurs(id.slice(0, at) + digit + id.slice(at + 1))).toBe(false);
      }
    }
    const place = fc.nat(id.length - 1);
    fc.assert(
      fc.property(place, place, (one, other) => {
        const characters = [...id];
        [characters[one], characters[other]] = [characters[other] as string, characters[one] as string];
        const changed = characters.join("");
        expect(ours.isOurs(changed)).toBe(changed === id);
      }),
    );
  });

  test("37. invented ids are refused, whatever they look like", () => {
    const invented = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.uuid({ version: 8 }).map((uuid) => `client_${uuid}`),
      fc.uuid({ version: 4 }).map((uuid) => `client_${uuid}`),
    );
    fc.assert(
      fc.property(invented, (text) => {
        expect(ours.isOurs(text)).toBe(false);
      }),
    );
  });
});
