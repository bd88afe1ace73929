import { describe, expect, test } from "vitest";
import { buildRequest } from "../../lib/openapi/request.ts";
import { compile, compileOperation, opened, parameter } from "../bridge/compiled.ts";

const BASE = "https://api.example/v1?tenant=ours";
const FREE = { type: "object", additionalProperties: true };
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

/** A payment whose `extra` may have any members, written in a style. */
function payment(type: string, extra: object = {}) {
  const properties = { to: { type: "string" }, amount: { type: "number" }, extra: FREE };
  const schema = { type: "object", properties };
  const content = { [type]: { schema, encoding: { extra: { style: "form", explode: true, ...extra } } } };
  return compileOperation("post", "/payments", {
    parameters: [parameter("limit", "query"), parameter("account", "header")],
    requestBody: { required: true, content },
  });
}

/** Beside `limit`, `page[size]` and an API key: an object with any members. */
async function search(style: object = {}, where = "query") {
  const schema = {
    type: "object",
    properties: { role: {}, "well.known": {}, inner: FREE },
    additionalProperties: true,
  };
  const parameters = ["limit", "page[size]", "user.name"].map((name) => parameter(name, where));
  const operation = {
    parameters: [...parameters, parameter("extra", where, { schema, ...style })],
    security: [{ key: [] }],
  };
  const catalog = await compile({
    paths: { "/items?kind=plain": { get: operation } },
    components: { securitySchemes: { key: { type: "apiKey", in: where, name: "api_key" } } },
  });
  const [tool = expect.fail()] = opened({ catalog });
  return tool;
}

const HOSTILE_NAMES = [
  ["limit", 'must not have "limit", a parameter of its own'],
  ["Limit", 'must not have "Limit", which can be read as "limit", a parameter of its own'],
  ["LIMIT", /"LIMIT".* "limit"/],
  ["l\u0131mit", /"l\\u0131mit".*"limit"/],
  ["\uff4cimit", /"\\uff4cimit".*"limit"/],
  ["page", /"page".*"page\[size\]"/],
  ["u\u017fer", /"user.name"/],
  ["Kind", /"kind"/],
  ["tenant", /"tenant"/],
  ["API_\u212aEY", /"api_key"/],
  ["Role", /"Role", which can be read as "role"/],
  ["ro\u00adle", /must not have the name "ro\\u00adle"/],
  ["limit[]", /must not have the name "limit\[\]": names that the API does not declare have letters, digits/],
  ["limit[0]", /name/],
  ["limit.x", /name/],
  ["limit ", /name/],
  [" limit", /name/],
  ["limit\u0000", /name/],
  ["limit%5B%5D", /name/],
  ["x&limit", /name/],
  ["x=1", /name/],
  ["x;limit", /name/],
  ["x\r\nlimit", /name/],
  ["x\u2028", /name/],
  ["x#", /name/],
  ["x+y", /name/],
  ["x,y", /name/],
  ["x|y", /name/],
  ["", /name/],
  ["__proto__", /servers of its own/],
  ["Constructor", /servers of its own/],
  ["_method", /servers of its own/],
  ["access_token", /servers of its own/],
] as const;

describe("44. members of an object in a query stay its own", () => {
  test.each(HOSTILE_NAMES)("44. exploded, named %j", async (name, problem) => {
    const { request } = await search();
    expect(() => buildRequest(BASE, request, { extra: JSON.parse(`{${JSON.stringify(name)}: "1"}`) })).toThrow(problem);
  });

  test.each([
    [{ "deep][role": 1 }, 'extra: must not have the name "deep][role"'],
    [{ inner: { "a[b]": 1 } }, /name "a\[b\]"/],
    [{ inner: [{ Role: 1 }] }, /"Role", which can be read as "role"/],
    [
      { inner: { x: 1, X: 2 } },
      'must not have "extra[inner][X]", which can be read as "extra[inner][x]", which extra has',
    ],
  ])("44. deep, as %j", async (extra, problem) => {
    const { request } = await search({ style: "deepObject" });
    expect(() => buildRequest(BASE, request, { extra })).toThrow(problem);
  });

  test.each([
    [{ style: "form", explode: false }, ","],
    [{ style: "pipeDelimited", explode: false }, "|"],
    [{ style: "spaceDelimited", explode: false }, " "],
  ])("44. side by side, in %j", async (style, delimiter) => {
    const { request } = await search(style);
    const value = (extra: object) => () => buildRequest(BASE, request, { extra });
    expect(value({ x: `1${delimiter}role${delimiter}admin` })).toThrow(/^extra\.x: must not have ".", which ends it/);
    expect(value({ [`x${delimiter}1${delimiter}role`]: "admin" })).toThrow(/name/);
    expect(value({ x: "1", role: "user" })).not.toThrow();
  });

  test.each([
    [{}, { other: "1", "well.known": "2", $top: "3", größe: "4" }, "other=1&well.known=2&%24top=3&gr%C3%B6%C3%9Fe=4"],
    [
      { style: "deepObject" },
      { limit: "1", inner: { a: ["2"], b: [{ c: "3" }, { c: "4" }] } },
      "extra[limit]=1&extra[inner][a][]=2&extra[inner][b][0][c]=3&extra[inner][b][1][c]=4",
    ],
  ])("44. what is the object's own is sent, in %j", async (style, extra, query) => {
    const { request } = await search(style);
    const { search: sent } = new URL(
      buildRequest(BASE, request, { limit: "5", "page[size]": "6", page_size: "6", extra }).url,
    );
    const text = sent.replaceAll("%5B", "[").replaceAll("%5D", "]");
    expect(text).toMatch(/^\?tenant=ours&kind=plain&limit=5&/);
    expect(text.endsWith(query)).toBe(true);
  });

  test("44. two objects do not write one name", async () => {
    const two = ["a", "b"].map((name) => parameter(name, "query", { schema: FREE }));
    const { request } = await compileOperation("get", "/items", { parameters: two });
    expect(() => buildRequest(BASE, request, { a: { x: 1 }, b: { X: 2 } })).toThrow(
      'b: must not have "X", which can be read as "x", which a has',
    );
    expect(buildRequest(BASE, request, { a: { x: 1 }, b: { y: 2 } }).url).toMatch(/x=1&y=2$/);
  });

  test("44. an object does not push other parameters out of what servers read", async () => {
    const { request } = await search();
    const extra = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, "1"]));
    expect(() => buildRequest(BASE, request, { extra: extra(500) })).not.toThrow();
    expect(() => buildRequest(BASE, request, { extra: extra(501) })).toThrow("extra: makes more than 500 names");
  });

  test("44. an object is not written over the body's members either: frameworks read both as one", async () => {
    const content = { "application/json": { schema: { type: "object", properties: { amount: {} } } } };
    const parameters = [parameter("extra", "query", { schema: FREE })];
    const { request } = await compileOperation("post", "/pay", { parameters, requestBody: { content } });
    expect(() => buildRequest(BASE, request, { extra: { Amount: 5000 } })).toThrow(/"amount", a parameter of its own/);
  });

  test("44. cookies: members are no other cookie, no attribute and no separator", async () => {
    const { request } = await search({}, "cookie");
    const cookie = (name: string) => () => buildRequest(BASE, request, { extra: { [name]: "1" } }).headers.cookie;
    for (const name of ["limit", "LIMIT", "api_key", "a;limit", "a=b", "$Path", "a b", "a\r\nb"]) {
      expect(cookie(name), name).toThrow(/^extra: must not have/);
    }
    expect(cookie("theme")()).toBe("theme=1");
  });

  test.each([{ x: "1", limit: [] }, { x: "1", Limit: "2" }, { x: "limit" }, ["x", "limit"]])(
    "44. cookies: what stands behind a comma is no other cookie without a value (%j)",
    async (extra) => {
      const { request } = await search({ explode: false, schema: {} }, "cookie");
      expect(() => buildRequest(BASE, request, { extra })).toThrow(
        /^extra: must not have "limit"|can be read as "limit"/i,
      );
      expect(buildRequest(BASE, request, { extra: ["limits", "x"] }).headers.cookie).toBe("extra=limits,x");
    },
  );

  test.each([
    ["header", false, "/a"],
    ["header", true, "/a"],
    ["path", false, "/a/{extra}"],
    ["path", true, "/a/{extra}"],
  ])("44. a %s (explode %s): members do not end each other", async (where, explode, path) => {
    const { request } = await compileOperation("get", path, {
      parameters: [parameter("extra", where, { schema: FREE, explode })],
    });
    const build = (extra: object) => () => buildRequest(BASE, request, { extra });
    expect(build({ x: "1,role,admin" })).toThrow(/^extra\.x: must not have/);
    expect(build({ "x=1,role": "admin" })).toThrow(/name/);
    expect(build({ x: "1", y: "2" })).not.toThrow();
  });
});

describe.each([FORM, MULTIPART])("44. members of an object in %s stay its own", (type) => {
  test.each([
    ["amount", 'extra: must not have "amount", a parameter of its own'],
    ["Amount", /can be read as "amount"/],
    ["amount[]", /name/],
    ['x"; filename="y', /name/],
    ["x\r\n\r\n5000", /name/],
    ["limit", /"limit"/],
    ["_method", /servers of its own/],
    ["_charset_", /servers of its own/],
  ])("44. exploded, named %j", async (name, problem) => {
    const { request } = await payment(type);
    expect(() => buildRequest(BASE, request, { to: "x", extra: { [name]: 5000 } })).toThrow(problem);
    const { form } = buildRequest(BASE, request, { to: "x", amount: 5, extra: { note: "y" } });
    expect(form).toEqual([
      ["to", "x"],
      ["amount", "5"],
      ["note", "y"],
    ]);
  });

  test("44. deep", async () => {
    const { request } = await payment(type, { style: "deepObject" });
    expect(() => buildRequest(BASE, request, { to: "x", extra: { "deep[role]": "admin" } })).toThrow(
      /name "deep\[role\]"/,
    );
    expect(buildRequest(BASE, request, { extra: { deep: { role: "a" } } }).form).toEqual([["extra[deep][role]", "a"]]);
  });

  test("44. a body with members of any name has none that can be read as a declared one", async () => {
    const schema = { type: "object", properties: { amount: {}, tags: { type: "array" } }, additionalProperties: true };
    const { request } = await compileOperation("post", "/payments", {
      requestBody: { content: { [type]: { schema } } },
    });
    const build = (body: object) => () => buildRequest(BASE, request, { body }).form;
    expect(build({ AMOUNT: 5000 })).toThrow('body.AMOUNT: must not have "AMOUNT", which can be read as "amount"');
    for (const name of ["amount[]", "amount.x", "a&amount", "_method"]) expect(build({ [name]: 1 })).toThrow(/^body\./);
    expect(build({ amount: 1, tags: ["a", "b"], other: 2 })()).toEqual([
      ["amount", "1"],
      ["tags", "a"],
      ["tags", "b"],
      ["other", "2"],
    ]);
  });
});

describe("44. a member of a JSON body has one spelling", () => {
  const amount = { type: "object", properties: { amount: { maximum: 100 } } };
  const schemas = {
    payment: { $ref: "#/components/schemas/payment" },
    all: { allOf: [amount, { properties: { note: {} } }] },
    list: { type: "array", items: { oneOf: [amount, { type: "string" }] } },
    map: { additionalProperties: amount },
    pattern: { patternProperties: { "^a": amount } },
    unevaluated: { allOf: [{ type: "object" }], unevaluatedProperties: amount },
    dependent: { dependentSchemas: { currency: amount } },
    some: { type: "array", contains: amount },
    rest: { type: "array", prefixItems: [{ type: "string" }], unevaluatedItems: amount },
  };
  const bodyOf = (schema: object) =>
    compileOperation(
      "post",
      "/pay",
      { requestBody: { content: { "application/json": { schema } } } },
      {
        schemas: {
          payment: {
            type: "object",
            properties: { ...amount.properties, inner: { $ref: "#/components/schemas/payment" } },
          },
        },
      },
    );

  test.each([
    ["payment", { amount: 5, Amount: 5000 }, 'payment: must not have "Amount", which can be read as "amount"'],
    ["payment", { inner: { inner: { AMOUNT: 5000 } } }, /^payment\.inner\.inner: must not have "AMOUNT"/],
    ["all", { amount: 5, "\uff41mount": 5000 }, /^all: /],
    ["list", ["a", { amount: 5 }, { amounT: 5000 }], /^list: /],
    ["map", { any: { Amount: 5000 } }, /^map\.any: /],
    ["pattern", { any: { Amount: 5000 } }, /^pattern\.any: /],
    ["unevaluated", { any: { Amount: 5000 } }, /^unevaluated\.any: /],
    ["dependent", { currency: "EUR", Amount: 5000 }, /^dependent: /],
    ["some", [1, { Amount: 5000 }], /^some: /],
    ["rest", ["a", { Amount: 5000 }], /^rest: /],
  ])("44. in %s: %j", async (name, value, problem) => {
    const { request } = await bodyOf({ type: "object", properties: schemas });
    expect(() => buildRequest(BASE, request, { [name]: value })).toThrow(problem);
  });

  test("44. also of a body that is one argument; names that are nobody else's are sent", async () => {
    const { request } = await bodyOf({ ...amount, additionalProperties: true });
    expect(() => buildRequest(BASE, request, { body: { Amount: 5000 } })).toThrow(/^body: must not have "Amount"/);
    const { body } = buildRequest(BASE, request, { body: { amount: 5, "x[y]": 1, Env: 1, ENV: 2, "a.amount": 3 } });
    expect(body).toBe('{"amount":5,"x[y]":1,"Env":1,"ENV":2,"a.amount":3}');
  });
});

test("44. a file's name has no line break", async () => {
  const schema = { type: "object", properties: { file: { type: "string", format: "binary" }, amount: {} } };
  const { request } = await compileOperation("post", "/a", { requestBody: { content: { [MULTIPART]: { schema } } } });
  const build = (filename: string) => () => buildRequest(BASE, request, { file: { text: "x", filename } });
  for (const name of ["a\r\nb", "a\u0000.png", "a\u0085"]) {
    expect(build(name)).toThrow("file.filename: must not have control characters");
  }
  const { body } = build('a"; name="amount')();
  expect(new TextDecoder().decode(body as Uint8Array)).toContain('name="file"; filename="a%22; name=%22amount"');
});
