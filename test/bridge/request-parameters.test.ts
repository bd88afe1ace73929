import { describe, expect, test } from "vitest";
import { cookie, header, type More, search, segment } from "./sent-parameter.ts";

/** OpenAPI 3.2, Style Examples. */
const EMPTY = "";
const STRING = "blue";
const ARRAY = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

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

  test("what RFC 3986 reserves is encoded, also what encodeURIComponent leaves", async () => {
    expect(await search("!'()*;/?:@&=+$,#[]")).toBe("?color=%21%27%28%29%2A%3B%2F%3F%3A%40%26%3D%2B%24%2C%23%5B%5D");
    expect(await search("aZ09-._~")).toBe("?color=aZ09-._~");
  });

  test("a comma or bar inside an item is encoded where commas join", async () => {
    expect(await search(["a,b", "c"], { explode: false })).toBe("?color=a%2Cb,c");
    expect(await segment(["a,b", "c/d"], { style: "label" })).toBe(".a%2Cb,c%2Fd");
  });
});
