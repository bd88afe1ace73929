import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256, sha256base64url } from "#sha256";
import { base64url, fromBase64url, hex } from "../../lib/kernel/encoding.ts";
import { sha256 as portable, sha256base64url as portableText } from "../../lib/kernel/sha256.ts";

const bytes = fc.uint8Array({ maxLength: 200 });
/** Mostly of the alphabet, so that much of it decodes. */
const nearlyBase64url = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."ABCDEFGHabcdefgh012345-_"), maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(..."AQgw_-+/= \n\0é\u{1f600}"), maxLength: 12 }),
  fc.string({ unit: "binary" }),
  bytes.map((some) => Buffer.from(some).toString("base64")),
);

describe("base64url", () => {
  test("37. is what Node writes, and reads back", () => {
    fc.assert(
      fc.property(bytes, (some) => {
        const text = base64url(some);
        expect(text).toBe(Buffer.from(some).toString("base64url"));
        expect([...(fromBase64url(text) ?? [])]).toEqual([...some]);
      }),
    );
  });

  test("37. is read if and only if it is how Node would write the bytes", () => {
    fc.assert(
      fc.property(nearlyBase64url, (text) => {
        const read = Buffer.from(text, "base64url");
        const isCanonical = read.toString("base64url") === text;
        const decoded = fromBase64url(text);
        expect(decoded === undefined ? undefined : [...decoded]).toEqual(isCanonical ? [...read] : undefined);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("hashes and hexadecimal", () => {
  test("37. are what Node computes, of bytes and of text, by OpenSSL and in JavaScript", () => {
    fc.assert(
      fc.property(fc.oneof(bytes, fc.string({ unit: "binary", maxLength: 300 })), (data) => {
        const expected = createHash("sha256").update(data).digest();
        expect(hex(sha256(data))).toBe(expected.toString("hex"));
        expect(sha256base64url(data)).toBe(expected.toString("base64url"));
        expect(hex(portable(data))).toBe(expected.toString("hex"));
        expect(portableText(data)).toBe(expected.toString("base64url"));
      }),
    );
  });
});
