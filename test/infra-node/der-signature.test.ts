import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { derSignature, rawSignature } from "../../infra/node/crypto/der-signature.ts";

const HALF = 32;
/** A number of the length of a half, often with zeros in front or its first bit set. */
const half = fc
  .tuple(fc.nat(HALF), fc.constantFrom(0x01, 0x7f, 0x80, 0xff), fc.uint8Array({ minLength: HALF, maxLength: HALF }))
  .map(([zeros, first, random]) =>
    Uint8Array.from(random, (byte, at) => (at < zeros ? 0 : at === zeros ? first : byte)),
  );

describe("signatures in DER", () => {
  test("are the two halves of `R || S` and nothing else, with zeros in front or the first bit set", () => {
    fc.assert(
      fc.property(half, half, (r, s) => {
        const signature = Uint8Array.from([...r, ...s]);
        expect(rawSignature(derSignature(signature), HALF)).toEqual(signature);
      }),
    );
  });
});
