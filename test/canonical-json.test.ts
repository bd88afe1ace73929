import { expect, test } from "vitest";
import { canonicalJson } from "../lib/kernel/canonical-json.ts";
import { parseExact } from "../lib/upstream/wire/exact-json.ts";

test("76. canonical JSON sorts members by UTF-16 units, and writes numbers and texts as RFC 8785 §3.2 has them", () => {
  const value = {
    numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 1e-27],
    string: '€$\u000f\nA\'B"\\\\"/',
    literals: [null, true, false],
  };
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const keys = { "€": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, ö: 7 };
  expect(canonicalJson(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\u{fb33}":3}');
  expect(canonicalJson(-0)).toBe("0");
});

test("76. no two values have one canonical text", () => {
  const number = "12345678901234567890";
  const texts = [
    canonicalJson(parseExact(`{"a":${number}}`)),
    canonicalJson({ a: { rawJSON: number } }),
    canonicalJson({ a: number }),
    canonicalJson({ a: Number(number) }),
    canonicalJson({ a: "\ud800" }),
    canonicalJson({ a: "\\ud800" }),
    canonicalJson({ b: null }),
    canonicalJson({ a: null, b: null }),
  ];
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts[0]).toBe(`{"a":${number}}`);
});
