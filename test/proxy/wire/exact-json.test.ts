import { describe, expect, test } from "vitest";
import { parseExact } from "../../../lib/upstream/wire/exact-json.ts";

describe("numbers that JavaScript would change stay as they were written", () => {
  test.each([
    "9007199254740993",
    "-12345678901234567890",
    "0.1000000000000000055",
    "3.14159265358979323846",
    "1e400",
    "-1E+400",
    "1e-400",
    "4.9e-330",
    "100000000000000000000000000000000000001",
  ])("%s", (number) => {
    for (const text of [number, `[${number}]`, `{"a":{"b":[1,${number}]}}`]) {
      expect(JSON.stringify(parseExact(text))).toBe(text);
    }
  });
});

describe("numbers that keep their value are numbers", () => {
  test.each([
    "0",
    "-1",
    "1.50",
    "0.1",
    "1e3",
    "1E-7",
    "9007199254740991",
    "9007199254740992",
    "0.30000000000000004",
    "1e308",
    "5e-324",
    "10000000000000000000000",
    "1.0000000000000000000",
    "0.0000000000000000",
    "0e999",
    "1.7976931348623157e308",
  ])("%s", (text) => {
    expect(parseExact(text)).toBe(JSON.parse(text));
    expect(parseExact(`[${text},"12345678901234567890"]`)).toEqual([JSON.parse(text), "12345678901234567890"]);
  });
});

test("members are as JSON.parse has them, in their order, whatever their names", () => {
  const text = '{"b":12345678901234567890,"a":{"__proto__":{"x":1},"a":2,"constructor":3}}';
  expect(JSON.stringify(parseExact(text))).toBe(text);
  expect(Object.keys(parseExact(text) as object)).toEqual(["b", "a"]);
});

test("zeros between the digits of a long number take no time of their own", () => {
  const number = `1${"0".repeat(1_000_000)}1`;
  expect(JSON.stringify(parseExact(number))).toBe(number);
});

test.each(["", "{", '{"a":12345678901234567890,}', "01234567890123456789"])(
  "what is no JSON is refused: %s",
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);
