import fc from "fast-check";
import { expect, test } from "vitest";
import { expandsTo } from "../../../lib/upstream/names/uri-template.ts";
import { expand, templates, values } from "./template.ts";

test("46. a template stands for whatever it expands to", () => {
  fc.assert(
    fc.property(templates, values, (template, given) => {
      fc.pre(given.c?.isWellFormed() !== false);
      const uri = expand(template, given);
      fc.pre(!/[\n]/.test(uri));
      expect([template, uri, expandsTo(template, uri)]).toEqual([template, uri, true]);
    }),
  );
});

test.each([
  [
    "file:///{name}",
    ["file:///a", "file:///a%2Fb", "file:///a b", "file:///"],
    ["file:///a/b", "file:///a?b", "file:/a", "xfile:///a"],
  ],
  ["file:///{+path}", ["file:///a/b?c#d"], ["file://a"]],
  ["file:///{path*}", ["file:///a/b"], ["file:///a?b"]],
  [
    "db://t{?limit,from}",
    ["db://t", "db://t?limit=1", "db://t?from=a&limit="],
    ["db://t?admin=1", "db://t?limit=1&x=2", "db://t/u"],
  ],
  ["db://t?q={q}{&limit}", ["db://t?q=1&limit=2"], ["db://t?q=1&x=2", "db://t?q=1#x"]],
  ["a:x{/one,two}", ["a:x", "a:x/1/2"], ["a:x/1/2/3", "a:y/1"]],
  ["a:x{/all*}", ["a:x/1/2/3"], ["a:x1"]],
  ["a:x{;v}{#f}", ["a:x;v=1#top", "a:x"], ["a:x/y"]],
  ["a:(.*){b}", ["a:(.*)1"], ["a:x1"]],
  ["a:plain", ["a:plain"], ["a:plainer", "a:"]],
])("46. %s stands for these and no others", (template, yes, no) => {
  expect(yes.filter((uri) => !expandsTo(template, uri))).toEqual([]);
  expect(no.filter((uri) => expandsTo(template, uri))).toEqual([]);
});

test("46. templates of any kind are tried in a time that the URI's length bounds", () => {
  const uri = `a:${"x".repeat(4_000)}!`;
  expect(expandsTo(`a:${"{v}x".repeat(40)}?`, uri)).toBe(false);
  expect(expandsTo(`a:${"{v*}".repeat(2_000)}`, uri)).toBe(false);
  expect(expandsTo("a:{unclosed", "a:{unclosed")).toBe(true);
  expect(expandsTo("a:{unclosed", "a:x")).toBe(false);
});
