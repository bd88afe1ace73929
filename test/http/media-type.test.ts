import { expect, test } from "vitest";
import { essence, isJson } from "../../lib/protocol/http/media-type.ts";

test("the essence of a content type has neither parameters nor upper case", () => {
  expect(essence(" Application/JSON ; charset=utf-8")).toBe("application/json");
  expect([essence(null), essence(undefined), essence(""), essence(";a")]).toEqual(["", "", "", ""]);
});

test("JSON is application/json and whatever ends in +json", () => {
  expect(["application/json", "application/problem+json", "image/svg+json"].every(isJson)).toBe(true);
  expect(["", "text/json", "application/jsonl", "+json", "a/+json", "application/json5"].some(isJson)).toBe(false);
});
