import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildRequest } from "../../lib/openapi/request.ts";
import { compileOperation, parameter } from "../bridge/compiled.ts";

const BASE = "https://api.example/v1";
const text = fc.string({ unit: "grapheme" });
const primitive = fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const list = fc.array(primitive, { minLength: 1 });
/** Names that an agent may give members; the others are in `44-parameter-pollution.test.ts`. */
const members = fc.dictionary(fc.stringMatching(/^[a-z0-9$@~!*\u4e00-\u4eff-]{1,8}$/), primitive, {
  minKeys: 1,
  noNullPrototype: true,
});
const leaf = fc.oneof(text, fc.integer(), fc.boolean());
const SOME = { minLength: 1, maxLength: 3 };
const deep = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, leaf, tie("object"), tie("list")),
  object: fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie("value"), {
    minKeys: 1,
    maxKeys: 3,
    noNullPrototype: true,
  }),
  list: fc.oneof(fc.array(leaf, SOME), fc.array(tie("object"), SOME)),
})).object;

type More = Readonly<Record<string, unknown>>;

async function queryReader(more: More) {
  const tool = await compileOperation("get", "/a", { parameters: [parameter("v", "query", { schema: {}, ...more })] });
  return (v: unknown) => new URL(buildRequest(BASE, tool.request, { v }).url).searchParams;
}

/** As JSON has it, where integers have no exponent. */
function asText(value: string | number | boolean): string {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

describe("37. what a query holds, read by another reader, is what the agent gave", () => {
  test("37. form: primitives, lists and members, exploded", async () => {
    const read = await queryReader({});
    fc.assert(
      fc.property(primitive, (v) => {
        expect(read(v).get("v")).toBe(asText(v));
      }),
    );
    fc.assert(
      fc.property(list, (v) => {
        expect(read(v).getAll("v")).toEqual(v.map(asText));
      }),
    );
    fc.assert(
      fc.property(members, (v) => {
        expect([...read(v)]).toEqual(Object.entries(v).map(([name, value]) => [name, asText(value)]));
      }),
    );
  });

  test.each([
    ["form", ","],
    ["spaceDelimited", " "],
    ["pipeDelimited", "|"],
  ])("37. %s: lists that are not exploded, where no item has the delimiter", async (style, delimiter) => {
    const read = await queryReader({ style, explode: false });
    const items = fc.array(
      text.map((item) => item.replaceAll(delimiter, "")),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(items, (v) => {
        expect(read(v).get("v")?.split(delimiter)).toEqual(v);
      }),
    );
  });

  test("37. commas inside of items do not join in form", async () => {
    const tool = await compileOperation("get", "/a", {
      parameters: [parameter("v", "query", { schema: {}, explode: false, allowReserved: true })],
    });
    fc.assert(
      fc.property(
        fc.array(
          text.map((item) => item.replaceAll("%", "")),
          { minLength: 1 },
        ),
        (v) => {
          const { url } = buildRequest(BASE, tool.request, { v });
          expect(new URL(url).search.slice("?v=".length).split(",").map(decodeURIComponent)).toEqual(v);
        },
      ),
    );
  });

  test("37. deepObject, however deep", async () => {
    const read = await queryReader({ style: "deepObject" });
    fc.assert(
      fc.property(deep, (v) => {
        expect(nested(read(v))).toEqual(JSON.parse(JSON.stringify(v), texts));
      }),
    );
  });

  test("37. a media type of JSON", async () => {
    const read = await queryReader({ schema: undefined, content: { "application/json": {} } });
    fc.assert(
      fc.property(fc.jsonValue(), (v) => {
        expect(JSON.parse(read(v).get("v") ?? "")).toEqual(JSON.parse(JSON.stringify(v)));
      }),
    );
  });
});

describe("37. what a path, a header and a cookie hold", () => {
  test.each([
    ["simple", false, "", ","],
    ["simple", true, "", ","],
    ["label", false, ".", ","],
    ["matrix", false, ";v=", ","],
    ["matrix", true, ";v=", ";v="],
  ])("37. a path in %s, explode %s", async (style, explode, start, between) => {
    const parameters = [parameter("v", "path", { schema: {}, style, explode })];
    const tool = await compileOperation("get", "/x/{v}", { parameters });
    // Behind a dot, what ends a segment for some servers is refused.
    const characters = `ab é€?#&=,"'()+ :@${start === "." ? "" : "/;"}`;
    const item = fc.string({ unit: fc.constantFrom(...characters), minLength: 1 });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1 }), (v) => {
        const segment = new URL(buildRequest(BASE, tool.request, { v }).url).pathname.slice("/v1/x/".length);
        expect(segment.startsWith(start)).toBe(true);
        expect(segment.slice(start.length).split(between).map(decodeURIComponent)).toEqual(v);
      }),
    );
  });

  test("37. headers and cookies", async () => {
    const parameters = [parameter("h", "header", { schema: {} }), parameter("c", "cookie", { schema: {} })];
    const tool = await compileOperation("get", "/a", { parameters });
    const visible = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
    fc.assert(
      fc.property(visible, text, (h, c) => {
        const headers = new Headers(buildRequest(BASE, tool.request, { h, c }).headers);
        expect(headers.get("h")).toBe(h);
        expect(decodeURIComponent(headers.get("cookie")?.replace(/^c=/, "") ?? "")).toBe(c);
      }),
    );
  });
});

describe("37. what a body holds", () => {
  const bodyOf = async (type: string, schema: unknown) => {
    const requestBody = { required: true, content: { [type]: { schema } } };
    const { request } = await compileOperation("post", "/a", { requestBody });
    return (given: More) => {
      const { body, headers } = buildRequest(BASE, request, given);
      return new Response(body, { headers: { "content-type": headers["content-type"] ?? "" } });
    };
  };
  const names = ["a", "b[]", "$c", "ä ö"];
  const properties = Object.fromEntries(names.map((name) => [name, {}]));
  const given = fc.dictionary(fc.constantFrom(...names), fc.oneof(primitive, list), { noNullPrototype: true });

  test.each(["application/x-www-form-urlencoded", "multipart/form-data"])("37. %s", async (type) => {
    const send = await bodyOf(type, { type: "object", properties, minProperties: 0 });
    await fc.assert(
      fc.asyncProperty(given, async (body) => {
        const expected = Object.entries(body).flatMap(([name, value]) =>
          [value].flat().map((one) => [name, asText(one)]),
        );
        // An empty multipart body is one that this reader does not read.
        if (expected.length > 0) expect([...(await send({ body }).formData())]).toEqual(expected);
      }),
    );
  });

  test("37. JSON", async () => {
    const send = await bodyOf("application/json", {});
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        expect(await send({ body }).json()).toEqual(JSON.parse(JSON.stringify(body)));
      }),
    );
  });

  test("37. files", async () => {
    const send = await bodyOf("application/octet-stream", undefined);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        const response = send({ body: { data: Buffer.from(bytes).toString("base64") } });
        expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(bytes));
      }),
    );
  });
});

/** Pairs as `a[b][]` and `a[b][0]` put back into what they came from, all values texts. */
function nested(pairs: URLSearchParams): unknown {
  const root: Record<string, unknown> = {};
  for (const [key, value] of pairs) {
    const path = key.replaceAll("]", "").split("[");
    let node: Record<string, unknown> = root;
    path.forEach((step, index) => {
      const name = step === "" ? String(Object.keys(node).length) : step;
      const isLast = index === path.length - 1;
      node[name] ??= isLast ? value : /^\d*$/.test(path[index + 1] as string) ? [] : {};
      node = node[name] as Record<string, unknown>;
    });
  }
  return root.v;
}

function texts(_: string, value: unknown): unknown {
  return typeof value === "object" ? value : String(value);
}
