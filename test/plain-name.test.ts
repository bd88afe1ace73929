import { expect, test } from "vitest";
import { jsonWithUnseenEscaped } from "../lib/kernel/plain-name.ts";

test.each([
  ["what is seen stays", '{"a":"Bö日本 e\u0301\u0302"}', '{"a":"Bö日本 e\u0301\u0302"}'],
  ["what turns the order around is escaped", '"\u202eda"', '"\\u202eda"'],
  ["what is outside of the first plane is escaped by its halves", '"\u{e0041}"', '"\\udb40\\udc41"'],
  ["marks that pile up are escaped from the third on", '"e\u0301\u0302\u0303\u0304"', '"e\u0301\u0302\\u0303\\u0304"'],
  ["lines stay", '{\n  "a": 1\n}', '{\n  "a": 1\n}'],
])("JSON for people who approve: %s", (_, text, shown) => {
  expect(jsonWithUnseenEscaped(text)).toBe(shown);
  expect(JSON.parse(shown)).toEqual(JSON.parse(text));
});
