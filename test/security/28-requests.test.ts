import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";
import { buildRequest } from "../../lib/openapi/request.ts";
import { compileOperation, parameter } from "../bridge/compiled.ts";

const BASE = "https://api.example/v1";
/** What means something in a path, a query, a header, a cookie or a multipart body. */
const HOSTILE = fc.string({ unit: fc.constantFrom(..."./\\%2ef;&=#?+,\r\n\t \"'[]{}:@\u0000aé€".split("")) });

function whole(location: string, more: Readonly<Record<string, unknown>> = {}): Promise<BridgeTool> {
  const path = location === "path" ? "/files/{v}/meta" : "/files";
  return compileOperation("get", path, { parameters: [parameter("v", location, { schema: {}, ...more })] });
}

/** What the tool sends; undefined when it refuses the arguments by name. */
function sent(tool: BridgeTool, given: Readonly<Record<string, unknown>>) {
  try {
    return buildRequest(BASE, tool.request, given);
  } catch (cause) {
    if (cause instanceof Error && cause.name === "RequestError") return undefined;
    throw cause;
  }
}

const VALUES = fc.oneof(HOSTILE, fc.array(HOSTILE, { maxLength: 3 }), fc.dictionary(HOSTILE, HOSTILE, { maxKeys: 3 }));

describe("28. path parameters cannot escape their segment", () => {
  const styles = ["simple", "label", "matrix"].flatMap((style) =>
    [true, false].flatMap((explode) => [true, false].map((allowReserved) => ({ style, explode, allowReserved }))),
  );

  test.each(styles)("28. in %j, whatever the value is", async (style) => {
    const tool = await whole("path", style);
    expect(sent(tool, { v: "plain" }), "what is harmless is sent").toBeDefined();
    fc.assert(
      fc.property(VALUES, (v) => {
        const request = sent(tool, { v });
        if (request === undefined) return;
        const url = new URL(request.url);
        const segments = url.pathname.split("/");
        expect([url.origin, url.search, url.hash]).toEqual(["https://api.example", "", ""]);
        expect(segments).toHaveLength(5);
        expect([segments[1], segments[2], segments[4]]).toEqual(["v1", "files", "meta"]);
        let segment = segments[3] ?? "";
        for (let n = 0; n < 3; n++) {
          segment = segment.replaceAll(/%([0-9a-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
        }
        expect(segment.split(/[/\\]/)).not.toContain("..");
      }),
    );
  });

  test.each([
    ["label", "."],
    ["label", ""],
    ["label", ["", ""]],
    ["label", "/../admin"],
    ["matrix", ".."],
    ["matrix", "a/../../b"],
    ["simple", "..;v=1"],
  ])("28. %s with %j is refused", async (style, v) => {
    expect(sent(await whole("path", { style, explode: true }), { v })).toBeUndefined();
  });
});

describe("28. query parameters stay what they are", () => {
  const styles = ["form", "spaceDelimited", "pipeDelimited", "deepObject"].flatMap((style) =>
    [true, false].flatMap((explode) => [true, false].map((allowReserved) => ({ style, explode, allowReserved }))),
  );

  test.each(styles)("28. in %j no value adds a parameter or cuts the URL", async (style) => {
    const tool = await whole("query", style);
    expect(sent(tool, { v: "plain" }), "what is harmless is sent").toBeDefined();
    fc.assert(
      fc.property(fc.oneof(HOSTILE, fc.array(HOSTILE, { maxLength: 3 })), (v) => {
        const { url } = sent(tool, { v }) ?? { url: BASE };
        const names = new URL(url).search
          .slice(1)
          .split(/[&;]/)
          .map((pair) => decodeURIComponent(pair.split("=")[0] ?? ""));
        expect(names.filter((name) => !["v", "v[]", ""].includes(name))).toEqual([]);
        expect(new URL(url).hash).toBe("");
      }),
    );
  });

  test("28. names of members that the document declares are encoded", async () => {
    const schema = { type: "object", properties: { "a&admin": {}, "b=c#": {}, "x]&a[": {} } };
    const form = sent(await whole("query", { schema }), { v: { "a&admin": "1", "b=c#": "2" } });
    expect(new URL(form?.url ?? "").search).toBe("?a%26admin=1&b%3Dc%23=2");
    const deep = sent(await whole("query", { schema, style: "deepObject" }), { v: { "x]&a[": "1" } });
    expect(new URL(deep?.url ?? "").search).toBe("?v%5Bx%5D%26a%5B%5D=1");
  });
});

describe("28. headers and cookies end where they should", () => {
  test.each([{}, { explode: true }, { style: "cookie" }, { style: "cookie", explode: false }])(
    "28. no value of a cookie in %j adds another",
    async (style) => {
      const tool = await whole("cookie", style);
      expect(sent(tool, { v: "plain" }), "what is harmless is sent").toBeDefined();
      fc.assert(
        fc.property(fc.oneof(HOSTILE, fc.array(HOSTILE, { maxLength: 3 })), (v) => {
          const { cookie } = sent(tool, { v })?.headers ?? {};
          expect(cookie ?? "").toMatch(/^[\x20-\x7e]*$/);
          const names = (cookie ?? "v=").split(";").map((pair) => pair.trim().split("=")[0]);
          expect(new Set(names)).toEqual(new Set(["v"]));
        }),
      );
    },
  );

  test("28. a header holds no line break and no control character", async () => {
    const tools = [await whole("header"), await whole("header", { explode: true })];
    for (const tool of tools) expect(sent(tool, { v: "plain" })?.headers.v).toBe("plain");
    fc.assert(
      fc.property(VALUES, (v) => {
        for (const tool of tools) expect(sent(tool, { v })?.headers.v ?? "").toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
      }),
    );
  });

  test("28. 24. a cookie is sent only where the document declares one, and no header parameter makes one", async () => {
    const parameters = [parameter("Cookie", "header"), parameter("cookie2", "header"), parameter("q", "query")];
    const tool = await compileOperation("get", "/a", { parameters });
    expect(sent(tool, { q: "1", Cookie: "a=b" })?.headers).not.toHaveProperty("cookie");
  });
});

describe("28. parts of a multipart body end where they should", () => {
  test("28. whatever names, file names and contents are", async () => {
    const file = { type: "string", format: "binary" };
    const schema = { type: "object", properties: { file, 'odd"\r\nX-Admin: 1': { type: "string" } } };
    const content = { "multipart/form-data": { schema } };
    const tool = await compileOperation("post", "/a", { requestBody: { required: true, content } });
    const [odd = ""] = Object.keys(tool.request.body?.names ?? {});
    await fc.assert(
      fc.asyncProperty(HOSTILE, HOSTILE, async (filename, text) => {
        const given = { file: { text, filename }, [odd]: `${text}\r\n--part\r\n` };
        const made = sent(tool, given);
        expect(made === undefined).toBe(/\p{Cc}/u.test(filename));
        if (made === undefined) return;
        const { body, headers } = made;
        const form = await new Response(body, {
          headers: { "content-type": headers["content-type"] ?? "" },
        }).formData();
        expect([...form.keys()]).toEqual(["file", 'odd"\r\nX-Admin: 1']);
        const file = form.get("file") as File;
        expect(await file.text()).toBe(text);
        expect(form.get('odd"\r\nX-Admin: 1')).toBe(`${text}\r\n--part\r\n`);
      }),
    );
  });

  test("28. nobody can guess the boundary", async () => {
    const content = { "multipart/form-data": { schema: { type: "object", properties: { a: {} } } } };
    const tool = await compileOperation("post", "/a", { requestBody: { required: true, content } });
    const boundaries = Array.from({ length: 50 }, () => sent(tool, { a: 1 })?.headers["content-type"]);
    expect(new Set(boundaries).size).toBe(50);
    expect(boundaries[0]).toMatch(/^multipart\/form-data; boundary=part-[0-9a-f]{32}$/);
  });
});
