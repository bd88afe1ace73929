import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildRequest } from "../../lib/openapi/request.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { compile, compileOperation, jsonBody, parameter } from "./compiled.ts";
import { arrivalAt, formOf, type ReceivingAPI, startReceivingAPI } from "./receiving-api.ts";

type Plain = Readonly<Record<string, unknown>>;

let api: ReceivingAPI;
beforeAll(async () => {
  api = await startReceivingAPI();
});
afterAll(() => api.stop());

const check = createSchemaCheck();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const body = (content: Plain) => ({ requestBody: { required: true, content } });
const object = (properties: Plain, more: Plain = {}) => ({ type: "object", properties, ...more });

const arrivalOf = (operation: Plain, given: Plain, method?: string) => arrivalAt(api, operation, given, method);

const FILE = { type: "string", format: "binary" };
/** Every byte there is, which no text encoding survives. */
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const BASE64 = Buffer.from(BYTES).toString("base64");

describe("other bodies", () => {
  test.each([
    "text/plain",
    "text/csv",
    "application/xml",
    "application/x-ndjson",
    "application/yaml",
    "application/sdp",
  ])("%s is the text of one argument", async (type) => {
    const arrival = await arrivalOf(body({ [type]: { schema: object({ a: {} }) } }), { body: "ä\r\n<a/>" });
    expect(arrival.headers["content-type"]).toBe(type);
    expect(text(arrival.body)).toBe("ä\r\n<a/>");
  });

  test.each([
    ["application/octet-stream", FILE],
    ["image/png", { type: "string" }],
    ["application/zip", undefined],
    ["*/*", FILE],
  ])("%s is a file", async (type, schema) => {
    const arrival = await arrivalOf(body({ [type]: schema ? { schema } : {} }), { body: { data: BASE64 } });
    expect(arrival.headers["content-type"]).toBe(type === "*/*" ? "application/octet-stream" : type);
    expect(arrival.body).toEqual(BYTES);
  });

  test("of several types of files the agent names one, of a range it has to", async () => {
    const images = body({ "image/png": {}, "image/jpeg": {} });
    const given = { body: { data: BASE64, contentType: "image/jpeg" } };
    expect((await arrivalOf(images, given)).headers["content-type"]).toBe("image/jpeg");
    expect((await arrivalOf(images, { body: { data: BASE64 } })).headers["content-type"]).toBe("image/png");
    expect((await arrivalOf(body({ "image/*": {} }), given)).headers["content-type"]).toBe("image/jpeg");
    const { inputSchema } = await compileOperation("post", "/a", body({ "image/*": {} }));
    expect(check(inputSchema, { body: { data: BASE64 } })).not.toEqual([]);
    expect(check(inputSchema, { body: { data: BASE64, contentType: "audio/ogg" } })).not.toEqual([]);
  });

  test.each([
    ["application/merge-patch+json", "application/merge-patch+json"],
    ["application/json; charset=utf-8", "application/json; charset=utf-8"],
    ["application/vnd.a+json;version=2", "application/vnd.a+json;version=2"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
  ])("%s is JSON", async (type, sent) => {
    const arrival = await arrivalOf(body({ [type]: { schema: object({ a: {} }) } }), { a: [1, null, { b: "ü" }] });
    expect(arrival.headers["content-type"]).toBe(sent);
    expect(JSON.parse(text(arrival.body))).toEqual({ a: [1, null, { b: "ü" }] });
  });

  test("JSON of any shape is one argument, strings with their quotes", async () => {
    for (const value of ["x", 5, null, [1], false]) {
      expect(JSON.parse(text((await arrivalOf(jsonOf({}), { body: value })).body))).toEqual(value);
    }
  });

  test.each([
    [["application/xml", "application/json"], undefined],
    [["multipart/form-data", "application/x-www-form-urlencoded"], "form"],
    [["application/octet-stream", "text/plain", "multipart/form-data"], "multipart"],
    [["application/octet-stream", "text/plain"], "text"],
    [["*/*", "application/vnd.a+json"], undefined],
  ])("of %j the best is taken", async (types, kind) => {
    const content = Object.fromEntries(types.map((type) => [type, { schema: object({ a: {} }) }]));
    const tool = await compileOperation("post", "/a", body(content));
    expect(tool.request.body?.kind).toBe(kind);
    expect(tool.request.body?.contentType).not.toContain("*");
  });

  test("a multipart body goes before JSON where JSON would have to hold a file", async () => {
    const content = {
      "application/json": { schema: object({ a: FILE }) },
      "multipart/form-data": { schema: object({ a: FILE }) },
    };
    const tool = await compileOperation("post", "/a", body(content));
    expect(tool.request.body?.kind).toBe("multipart");
  });

  test("DELETE has its body; GET goes without an optional one and is no tool with a required one", async () => {
    expect(text((await arrivalOf(jsonOf(object({ a: {} })), { a: 1 }, "delete")).body)).toBe('{"a":1}');
    const optional = await arrivalOf({ requestBody: jsonBody(object({ a: {} }), false) }, {}, "get");
    expect(optional).toMatchObject({ method: "GET", body: new Uint8Array() });
    const { leftOut } = await compile({
      paths: { "/a": { get: jsonOf({}), post: body({ "multipart/mixed": { schema: { type: "array" } } }) } },
    });
    expect(leftOut).toMatchObject([
      { operation: "GET /a", reason: "unsupported request body", detail: "GET with a body" },
      { operation: "POST /a", reason: "unsupported request body", detail: "multipart/mixed" },
    ]);
  });

  test("what is not Unicode is refused by name", async () => {
    const tool = await compileOperation("post", "/a", body({ "text/plain": {} }));
    expect(() => buildRequest(api.url, tool.request, { body: "\ud800" })).toThrow("body: is not valid Unicode text");
  });
});

describe("arguments of bodies", () => {
  test("allOf of plain objects is one flat object", async () => {
    const schemas = {
      Base: object({ id: { type: "string", readOnly: true }, name: { type: "string" } }, { required: ["id", "name"] }),
    };
    const schema = {
      allOf: [{ $ref: "#/components/schemas/Base" }, object({ size: { type: "integer" } }), { required: ["size"] }],
    };
    const tool = await compileOperation("post", "/a", { requestBody: jsonBody(schema) }, { schemas });
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: { name: { type: "string" }, size: { type: "integer" } },
      required: ["name", "size"],
      additionalProperties: false,
    });
    expect(buildRequest("http://a", tool.request, { name: "n", size: 1 }).body).toBe('{"name":"n","size":1}');
  });

  test.each([
    { allOf: [object({ a: {} }), { oneOf: [{ required: ["a"] }, {}] }] },
    { allOf: [object({ a: {} }), object({ b: {} }, { additionalProperties: false })] },
    { allOf: [object({ a: {} }), { minProperties: 1 }] },
  ])("%j stays one argument", async (schema) => {
    const tool = await compileOperation("post", "/a", { requestBody: jsonBody(schema) });
    expect(tool.request.body?.argument).toBe("body");
    expect(tool.inputSchema.properties).toMatchObject({ body: { allOf: [{}, {}] } });
  });

  test("compositions of compositions are one flat object, also those that lead back to themselves", async () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = {
      Model: object({ model: { type: "string" }, id: { type: "string" } }, { required: ["model", "id"] }),
      Shared: { allOf: [ref("Model"), object({ user: { type: "string" } })] },
      Create: { allOf: [ref("Shared"), ref("Shared"), ref("Create"), object({ id: { readOnly: true } })] },
    };
    const requestBody = jsonBody({
      allOf: [ref("Create"), object({ n: { type: "integer" } }, { required: ["user"] })],
    });
    const tool = await compileOperation("post", "/a", { requestBody }, { schemas });
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: { model: { type: "string" }, user: { type: "string" }, n: { type: "integer" } },
      required: ["model", "user"],
      additionalProperties: false,
    });
  });

  test.each<[string, readonly unknown[], unknown]>([
    [
      "twice with other words",
      [
        { type: "string", description: "A." },
        { description: "B.", type: "string" },
      ],
      { type: "string", description: "B." },
    ],
    [
      "with and without null",
      [{ anyOf: [{ type: "integer", title: "N" }, { type: "null" }] }, { type: "integer" }],
      { type: "integer" },
    ],
    ["of more types and of fewer", [{ type: ["integer", "null"] }, { type: "integer" }, {}], { type: "integer" }],
    ["of anything, twice", [{}, true], {}],
    [
      "in two ways",
      [{ minLength: 1, description: "A." }, { maxLength: 2 }],
      { description: "A.", allOf: [{ minLength: 1 }, { maxLength: 2 }] },
    ],
    ["never", [{ type: "string" }, false], { allOf: [{ type: "string" }, false] }],
  ])("a property that is described %s is what each description says", async (_, descriptions, expected) => {
    const requestBody = jsonBody({ allOf: descriptions.map((a) => object({ a })) });
    const { inputSchema } = await compileOperation("post", "/a", { requestBody });
    expect(inputSchema.properties).toEqual({ a: expected });
  });

  test("an optional body that may be null is flat: null and nothing say the same", async () => {
    const schema = { type: ["object", "null"], properties: { a: { type: "string" } } };
    const tool = await compileOperation("post", "/a", { requestBody: jsonBody(schema, false) });
    expect(Object.keys(tool.inputSchema.properties as object)).toEqual(["a"]);
  });

  test("a whole form or multipart body holds files, too", async () => {
    const schema = { oneOf: [object({ a: FILE }), object({ b: {} })] };
    const tool = await compileOperation("post", "/a", body({ "multipart/form-data": { schema } }));
    const form = await formOf(await api.receive(buildRequest(api.url, tool.request, { body: { a: { text: "x" } } })));
    expect(form.get("a")).toMatchObject({ size: 1, name: "file" });
    expect(() => buildRequest(api.url, tool.request, { body: "x" })).toThrow("body: must be an object");
  });

  test("one argument is described by what the body says of itself", async () => {
    const requestBody = { ...jsonBody({ type: "array" }), description: "All of them." };
    const tool = await compileOperation("post", "/a", { parameters: [parameter("body", "query")], requestBody });
    expect(tool.inputSchema.properties).toMatchObject({ body_content: { description: "All of them." } });
  });

  test("a schema of 200 KB is one of many", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { type: "string", description: "x".repeat(80) }]),
    );
    const tool = await compileOperation("post", "/a", jsonOf(object(properties)));
    expect(JSON.stringify(tool.inputSchema).length).toBeGreaterThan(200_000);
    expect(check(tool.inputSchema, { p1999: 5 })).toEqual([expect.stringMatching(/^p1999: /)]);
    expect(buildRequest("http://a", tool.request, { p1999: "x" }).body).toBe('{"p1999":"x"}');
  });
});

function jsonOf(schema: unknown) {
  return { requestBody: jsonBody(schema) };
}
