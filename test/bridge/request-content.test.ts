import { describe, expect, test } from "vitest";
import { buildRequest } from "../../lib/openapi/request.ts";
import { compile, compileOperation, parameter } from "./compiled.ts";
import { BASE, cookie, header, requestOf, search, segment } from "./sent-parameter.ts";

describe("allowReserved", () => {
  const reserved = { allowReserved: true };

  test("leaves what a query can hold, and percent-encoded triples", async () => {
    expect(await search("/a:b?c=d,e@f!$'()*%41", reserved)).toBe("?color=/a:b?c=d,e@f!$%27()*%41");
  });

  test.each([
    ["a&admin=1", "?color=a%26admin=1"],
    ["a;admin=1", "?color=a%3Badmin=1"],
    ["a#b", "?color=a%23b"],
    ["1+1", "?color=1%2B1"],
    ["[1]", "?color=%5B1%5D"],
    ["100%", "?color=100%25"],
    ["a\r\nb", "?color=a%0D%0Ab"],
  ])("28. %j neither ends the value nor adds another", async (value, expected) => {
    expect(await search(value, reserved)).toBe(expected);
  });

  test("commas join only what they stand between", async () => {
    expect(await search(["a,b/c", "d"], { ...reserved, explode: false })).toBe("?color=a%2Cb/c,d");
  });

  test("28. in a path it leaves no slash, no question mark and no triple", async () => {
    expect(await segment("a:b@c;d=e/f?g#h%2Fi", reserved)).toBe("a:b@c;d=e%2Ff%3Fg%23h%252Fi");
    await expect(segment("%2e%2e", reserved)).rejects.toThrow(/path segments/);
  });
});

describe("parameters with a media type", () => {
  const content = (type: string, schema: unknown = {}) => ({ schema: undefined, content: { [type]: { schema } } });

  test("JSON is one text, whatever the value", async () => {
    const json = content("application/json", { type: "object" });
    expect(new URLSearchParams(await search({ a: [1, "ü&"] }, json)).get("color")).toBe('{"a":[1,"ü&"]}');
    expect(await header({ a: "ü\n€😀" }, json)).toBe('{"a":"\\u00fc\\n\\u20ac\\ud83d\\ude00"}');
    expect(await cookie({ a: 1 }, json)).toBe("color=%7B%22a%22%3A1%7D");
    expect(await segment({ a: 1 }, json)).toBe("%7B%22a%22%3A1%7D");
  });

  test("others are the text that the agent writes", async () => {
    expect(await search("<a/>", content("application/xml"))).toBe("?color=%3Ca%2F%3E");
  });

  test("the schema is that of the media type", async () => {
    const parameters = [parameter("q", "query", content("application/json", { type: "object", required: ["a"] }))];
    const tool = await compileOperation("get", "/a", { parameters });
    expect(tool.inputSchema.properties).toEqual({ q: { type: "object", required: ["a"] } });
  });

  test("a querystring is the whole query (OpenAPI 3.2)", async () => {
    const form = content("application/x-www-form-urlencoded", { type: "object" });
    expect(new URL((await requestOf("querystring", { a: [1, 2], b: "x&y", c: { d: 1 } }, form)).url).search).toBe(
      "?a=1&a=2&b=x%26y&c=%7B%22d%22%3A1%7D",
    );
    const json = content("application/json");
    expect(new URL((await requestOf("querystring", { a: 1 }, json)).url).search).toBe("?%7B%22a%22%3A1%7D");
    expect(new URL((await requestOf("querystring", "$.a", content("application/jsonpath"))).url).search).toBe("?%24.a");
  });
});

describe("documents as they are", () => {
  test.each(["", "simple", "deepobject", null, 5, "matrix"])("style %j of a query is form", async (style) => {
    expect(await search(["a", "b"], { style })).toBe("?color=a&color=b");
    expect(await search(["a", "b"], { style, explode: false })).toBe("?color=a,b");
  });

  test("a style of another location is the default of this one", async () => {
    expect(await segment(["a", "b"], { style: "form" })).toBe("a,b");
    expect(await header(["a", "b"], { style: "form" })).toBe("a,b");
    expect(await cookie("blue", { style: "simple" })).toBe("color=blue");
  });

  test("what cannot be sent and is not required is left out of the tool, not the tool", async () => {
    const odd = [parameter("b", "body"), parameter("bad name", "header"), parameter("X-Forwarded-For", "header")];
    const tool = await compileOperation("get", "/a", { parameters: [...odd, parameter("q", "query")] });
    expect(Object.keys(tool.inputSchema.properties as object)).toEqual(["q"]);
    for (const one of odd) {
      const { leftOut } = await compile({ paths: { "/a": { get: { parameters: [{ ...one, required: true }] } } } });
      expect(leftOut).toMatchObject([{ reason: "unsupported parameter location" }]);
    }
  });

  test("what is behind a # in a path template is not sent, so that the query is", async () => {
    const tool = await compileOperation("get", "/a#X-Target=Foo", { parameters: [parameter("q", "query")] });
    expect(buildRequest(BASE, tool.request, { q: "1" }).url).toBe(`${BASE}/a?q=1`);
  });

  test("defaults are not stored", async () => {
    const tool = await compileOperation("get", "/a/{id}", {
      parameters: [
        parameter("id", "path", { style: "simple", explode: false }),
        parameter("q", "query", { style: "form", explode: true, allowReserved: false, required: false }),
      ],
    });
    expect(tool.request.parameters).toEqual([
      { argument: "id", name: "id", in: "path" },
      { argument: "q", name: "q", in: "query" },
    ]);
  });
});
