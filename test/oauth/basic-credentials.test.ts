import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBasic } from "../../lib/authorization-server/client-secret.ts";
import { basic } from "../behaviour/fixture.ts";

describe("Basic credentials", () => {
  test("37. are read back as a client of RFC 6749 writes them", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(text, text, (clientId, secret) => {
        expect(parseBasic(basic({ clientId, secret }).Authorization as string)).toEqual({ clientId, secret });
      }),
    );
  });

  test("37. any header is credentials or none", () => {
    const nearly = fc.string({ unit: fc.constantFrom(..."ABCDab0189+/=:%"), maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), nearly), (text) => {
        for (const header of [text, `Basic ${text}`, `Basic ${Buffer.from(text).toString("base64")}`]) {
          const credentials = parseBasic(header);
          if (credentials !== undefined) expect(credentials.clientId).not.toBe("");
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("the scheme is compared without case", () => {
    expect(parseBasic(`bASIC ${btoa("a:b")}`)).toEqual({ clientId: "a", secret: "b" });
  });

  test.each([
    "",
    "Basic",
    "Basic ",
    "Bearer x",
    "Basic !",
    `Basic ${btoa("nocolon")}`,
    `Basic ${btoa(":secret")}`,
    `Basic ${btoa("a:%zz")}`,
    "Basic /w==",
  ])("%j is none", (header) => {
    expect(parseBasic(header)).toBeUndefined();
  });
});
