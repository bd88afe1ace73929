import { expect, test } from "vitest";
import { joined, splitOf, typedOf } from "../../console/pages/limits/limit-texts.ts";

test.each<[typed: string, value: string | readonly string[]]>([
  ["", ""],
  ["getNote", "getNote"],
  ["getNote, createNote,", ["getNote", "createNote"]],
  ["/get.*/", "/get.*/"],
  ["/get.*/, /create.*/", ["/get.*/", "/create.*/"]],
  ["getNote,/create.{1,3}/ , /(a|b),?c/,listTags", ["getNote", "/create.{1,3}/", "/(a|b),?c/", "listTags"]],
  ["/not closed, x", ["/not closed", "x"]],
])("51. what is typed in the Console as %j is %j", (typed, value) => {
  expect(splitOf(typed)).toEqual(value);
  if (typeof value !== "string") expect(splitOf(joined(value))).toEqual(value);
});

test.each<[former: string | readonly string[]]>([[["/a/, b/", "c"]], [["one"]], ["/get.*/, /create.*/"], [[]]])(
  "51. what the Console shows of %j and nobody changes stays as it is",
  (former) => {
    expect(typedOf(joined(former), former)).toBe(former);
  },
);
