import { describe, expect, test } from "vitest";
import { buildRequest } from "../../lib/bridge/request.ts";
import { compile, compileOperation, parameter } from "./compiled.ts";

const BASE = "https://api.example/v1";
/** OpenAPI 3.2, Style Examples. */
const EMPTY = "";
const STRING = "blue";
const ARRAY = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

type More = Readonly<Record<string, unknown>>;

async function requestOf(location: string, color: unknown, more: More = {}) {
  const path = location === "path" ? "/x/{color}/y" : "/x";
  const tool = await compileOperation("get", path, {
    parameters: [parameter("color", location, { schema: {}, ...more })],
  });
  return buildRequest(BASE, tool.request, { color });
}

const search = async (color: unknown, more?: More) => new URL((await requestOf("query", color, more)).url).search;
const segment = async (color: unknown, more?: More) => {
  return new URL((await requestOf("path", color, more)).url).pathname.replace(/^\/v1\/x\/(.*)\/y$/, "$1");
};
const cookie = async (color: unknown, more?: More) => (await requestOf("cookie", color, more)).headers.cookie;
const header = async (color: unknown, more?: More) => (await requestOf("header", color, more)).headers.color;

describe("styles, as in OpenAPI's table of examples", () => {
  const [on, off] = [{ explode: true }, { explode: false }];
  test.each<[More, unknown, string]>([
    [{ style: "simple", ...off }, STRING, "blue"],
    [{ style: "simple", ...off }, ARRAY, "blue,black,brown"],
    [{ style: "simple", ...off }, OBJECT, "R,100,G,200,B,150"],
    [{ style: "simple", ...on }, ARRAY, "blue,black,brown"],
    [{ style: "simple", ...on }, OBJECT, "R=100,G=200,B=150"],
    [{}, OBJECT, "R,100,G,200,B,150"],
    [{ style: "label", ...off }, STRING, ".blue"],
    [{ style: "label", ...off }, ARRAY, ".blue,black,brown"],
    [{ style: "label", ...off }, OBJECT, ".R,100,G,200,B,150"],
    [{ style: "label", ...on }, STRING, ".blue"],
    [{ style: "label", ...on }, ARRAY, ".blue.black.brown"],
    [{ style: "label", ...on }, OBJECT, ".R=100.G=200.B=150"],
    [{ style: "matrix", ...off }, EMPTY, ";color"],
    [{ style: "matrix", ...off }, STRING, ";color=blue"],
    [{ style: "matrix", ...off }, ARRAY, ";color=blue,black,brown"],
    [{ style: "matrix", ...off }, OBJECT, ";color=R,100,G,200,B,150"],
    [{ style: "matrix", ...on }, EMPTY, ";color"],
    [{ style: "matrix", ...on }, STRING, ";color=blue"],
    [{ style: "matrix", ...on }, ARRAY, ";color=blue;color=black;color=brown"],
    [{ style: "matrix", ...on }, OBJECT, ";R=100;G=200;B=150"],
  ])("path %j %j is %j", async (more, value, expected) => {
    expect(await segment(value, more)).toBe(expected);
  });

  test.each<[More, unknown, string]>([
    [{ style: "form", ...off }, EMPTY, "?color="],
    [{ style: "form", ...off }, STRING, "?color=blue"],
    [{ style: "form", ...off }, ARRAY, "?color=blue,black,brown"],
    [{ style: "form", ...off }, OBJECT, "?color=R,100,G,200,B,150"],
    [{ style: "form", ...on }, EMPTY, "?color="],
    [{ style: "form", ...on }, STRING, "?color=blue"],
    [{ style: "form", ...on }, ARRAY, "?color=blue&color=black&color=brown"],
    [{ style: "form", ...on }, OBJECT, "?R=100&G=200&B=150"],
    [{}, ARRAY, "?color=blue&color=black&color=brown"],
    [{ style: "spaceDelimited", ...off }, ARRAY, "?color=blue%20black%20brown"],
    [{ style: "spaceDelimited", ...off }, OBJECT, "?color=R%20100%20G%20200%20B%20150"],
    [{ style: "pipeDelimited" }, ARRAY, "?color=blue%7Cblack%7Cbrown"],
    [{ style: "pipeDelimited", ...off }, OBJECT, "?color=R%7C100%7CG%7C200%7CB%7C150"],
    [{ style: "pipeDelimited", ...on }, ARRAY, "?color=blue&color=black&color=brown"],
    [{ style: "pipeDelimited", ...off }, STRING, "?color=blue"],
    [{ style: "deepObject", ...on }, OBJECT, "?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    [{ style: "deepObject" }, OBJECT, "?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    [{ style: "deepObject" }, STRING, "?color=blue"],
  ])("query %j %j is %j", async (more, value, expected) => {
    expect(await search(value, more)).toBe(expected);
  });

  test.each<[More, unknown, string | undefined]>([
    [{}, STRING, "blue"],
    [{}, ARRAY, "blue,black,brown"],
    [off, OBJECT, "R,100,G,200,B,150"],
    [on, OBJECT, "R=100,G=200,B=150"],
    [{}, "a b;c", "a b;c"],
    [{}, [], undefined],
  ])("header %j %j is %j", async (more, value, expected) => {
    expect(await header(value, more)).toBe(expected);
  });

  test.each<[More, unknown, string | undefined]>([
    [{}, EMPTY, "color="],
    [{}, STRING, "color=blue"],
    [off, ARRAY, "color=blue,black,brown"],
    [off, OBJECT, "color=R,100,G,200,B,150"],
    [on, ARRAY, "color=blue; color=black; color=brown"],
    [{}, OBJECT, "R=100; G=200; B=150"],
    [{}, 'a; b="c"', "color=a%3B%20b%3D%22c%22"],
    [{ style: "cookie" }, ARRAY, "color=blue; color=black; color=brown"],
    [{ style: "cookie" }, "a=b/c%", "color=a=b/c%"],
    [{}, null, undefined],
  ])("cookie %j %j is %j", async (more, value, expected) => {
    expect(await cookie(value, more)).toBe(expected);
  });
});

describe("values that the table leaves out", () => {
  test.each([null, [], {}, [null], { a: null }])(
    "%j is not sent, in a required parameter it is empty",
    async (value) => {
      expect(await search(value)).toBe("");
      expect(await search(value, { required: true })).toBe("?color=");
      expect(await search(value, { style: "deepObject" })).toBe("");
      expect(await cookie(value, { required: true })).toBe("color=");
      expect(await header(value, { required: true })).toBe("");
      await expect(segment(value)).rejects.toThrow("color: must not be empty");
    },
  );

  test.each([
    [true, "true"],
    [false, "false"],
    [0, "0"],
    [-1.5e-7, "-1.5e-7"],
    [1e21, "1000000000000000000000"],
    [2 ** 53, "9007199254740992"],
  ])("%j is %j", async (value, text) => {
    expect(await search(value)).toBe(`?color=${text}`);
    expect(await segment(value)).toBe(text);
  });

  test("what is deeper in a deep object has brackets of its own", async () => {
    const value = { a: { b: 1 }, list: [1, "x"], items: [{ k: 1 }, [2]], gone: null, none: [] };
    expect(decodeURIComponent(await search(value, { style: "deepObject" }))).toBe(
      "?color[a][b]=1&color[list][]=1&color[list][]=x&color[items][0][k]=1&color[items][1][]=2",
    );
    expect(decodeURIComponent(await search(["x", "y"], { style: "deepObject" }))).toBe("?color[]=x&color[]=y");
  });

  test("in other styles a value inside a value is JSON", async () => {
    expect(new URLSearchParams(await search({ a: { b: [1, "&"] } })).get("a")).toBe('{"b":[1,"&"]}');
    expect(new URLSearchParams(await search([[1], { a: 2 }])).getAll("color")).toEqual(["[1]", '{"a":2}']);
  });

  test("a comma or bar inside an item is encoded where commas join", async () => {
    expect(await search(["a,b", "c"], { explode: false })).toBe("?color=a%2Cb,c");
    expect(await segment(["a,b", "c/d"], { style: "label" })).toBe(".a%2Cb,c%2Fd");
  });
});

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
    expect(await search(ARRAY, { style })).toBe("?color=blue&color=black&color=brown");
    expect(await search(ARRAY, { style, explode: false })).toBe("?color=blue,black,brown");
  });

  test("a style of another location is the default of this one", async () => {
    expect(await segment(ARRAY, { style: "form" })).toBe("blue,black,brown");
    expect(await header(ARRAY, { style: "form" })).toBe("blue,black,brown");
    expect(await cookie(STRING, { style: "simple" })).toBe("color=blue");
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
