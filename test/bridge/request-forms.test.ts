import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";
import { buildRequest } from "../../lib/openapi/request.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { compile, compileOperation, opened } from "./compiled.ts";
import { arrivalAt, formOf, type ReceivingAPI, startReceivingAPI } from "./receiving-api.ts";

type Plain = Readonly<Record<string, unknown>>;

let api: ReceivingAPI;
beforeAll(async () => {
  api = await startReceivingAPI();
});
afterAll(() => api.stop());

const check = createSchemaCheck();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const body = (content: Plain, required = true) => ({ requestBody: { required, content } });
const object = (properties: Plain) => ({ type: "object", properties });

const arrivalOf = (operation: Plain, given: Plain) => arrivalAt(api, operation, given);

async function formArrival(given: Plain, definition: Plain = {}) {
  const content = { "application/x-www-form-urlencoded": { schema: object({ a: {}, b: {}, c: {} }), ...definition } };
  const { headers, body: bytes } = await arrivalOf(body(content), given);
  expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
  return text(bytes);
}

async function partsArrival(given: Plain, properties: Plain, definition: Plain = {}) {
  const content = { "multipart/form-data": { schema: object(properties), ...definition } };
  return formOf(await arrivalOf(body(content), given));
}

const FILE = { type: "string", format: "binary" };
/** Every byte there is, which no text encoding survives. */
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const BASE64 = Buffer.from(BYTES).toString("base64");

describe("forms", () => {
  test("texts stand as they are, lists entry by entry, objects as JSON", async () => {
    const given = { a: "ü &=+%", b: [1, true, "x", null, { k: 1 }], c: { d: [1] } };
    const form = await formArrival(given);
    expect([...new URLSearchParams(form)]).toEqual([
      ["a", "ü &=+%"],
      ...["1", "true", "x", '{"k":1}'].map((entry) => ["b", entry]),
      ["c", '{"d":[1]}'],
    ]);
  });

  test("OpenAPI's example of a form", async () => {
    const address = { streetAddress: "123 Example Dr.", city: "Somewhere", state: "CA", zip: "99999+1234" };
    const form = await formArrival({ a: "f81d4fae", b: address });
    expect(form.replaceAll("%20", "+").replaceAll("%3A", ":").replaceAll("%2C", ",")).toBe(
      "a=f81d4fae&b=%7B%22streetAddress%22:%22123+Example+Dr.%22,%22city%22:%22Somewhere%22," +
        "%22state%22:%22CA%22,%22zip%22:%2299999%2B1234%22%7D",
    );
  });

  test.each<[Plain, unknown, string]>([
    [{ style: "form" }, { R: 1, G: 2 }, "R=1&G=2"],
    [{ explode: false }, ["x", "y,z"], "a=x,y%2Cz"],
    [{ style: "deepObject", explode: true }, { R: { G: 2 } }, "a%5BR%5D%5BG%5D=2"],
    [{ style: "pipeDelimited", explode: false }, [1, 2], "a=1%7C2"],
    [{ allowReserved: true }, "x/y&z", "a=x/y%26z"],
    [{ contentType: "application/json" }, "x", "a=%22x%22"],
    [{ contentType: "text/plain" }, "x", "a=x"],
  ])("encoding %j", async (encoding, value, expected) => {
    expect(await formArrival({ a: value }, { encoding: { a: encoding } })).toBe(expected);
  });

  test("an optional form of which nothing is given is not sent", async () => {
    const content = { "application/x-www-form-urlencoded": { schema: { properties: { a: {} } } } };
    const { headers } = await arrivalOf(body(content, false), {});
    expect(headers).not.toHaveProperty("content-type");
  });
});

describe("multipart", () => {
  const LIST = { type: "array", items: FILE };
  const UPLOAD = { properties: { originalFilename: { type: "string" }, bytes: { type: "array" }, size: {} } };

  test.each<[string, Plain, string]>([
    ["a file", { schema: FILE }, "file"],
    ["a file of another name", { schema: FILE, encoding: { logo: { contentType: "image/png" } } }, "logo"],
    ["a file by reference", { schema: { $ref: "#/components/schemas/File" } }, "file"],
    ["a list of files", { schema: LIST }, "file"],
    ["a list of what Java has for a file", { schema: { type: "array", items: UPLOAD } }, "file"],
  ])("a body that is %s has it as its one part", async (_, definition, name) => {
    for (const openapi of ["3.0.3", "3.1.0"]) {
      const catalog = await compile({
        openapi,
        paths: { "/a": { post: { requestBody: { content: { "multipart/form-data": definition } } } } },
        components: { schemas: { File: FILE } },
      });
      const [tool] = opened({ catalog }) as [BridgeTool];
      const file = { data: BASE64, filename: "a.png" };
      const given = { [name]: JSON.stringify(definition).includes("array") ? [file, file] : file };
      expect(check(tool.inputSchema, given)).toEqual([]);
      expect((tool.inputSchema.properties as Plain)[name]).toHaveProperty("description", expect.any(String));
      const form = await formOf(await api.receive(buildRequest(api.url, tool.request, given)));
      const parts = form.getAll(name) as File[];
      expect([...form.keys()]).toEqual(parts.map(() => name));
      for (const part of parts) {
        expect(part.name).toBe("a.png");
        expect(new Uint8Array(await part.arrayBuffer())).toEqual(BYTES);
      }
      expect(parts).toHaveLength([given[name]].flat().length);
    }
  });

  test("the parts have the types that OpenAPI gives them", async () => {
    const given = { s: "a\nb", n: 5, flag: true, list: ["x", "y"], o: { k: [1] }, gone: null };
    const tool = await compileOperation(
      "post",
      "/a",
      body({ "multipart/form-data": { schema: object({ s: {}, n: {}, flag: {}, list: {}, o: {}, gone: {} }) } }),
    );
    const arrival = await api.receive(buildRequest(api.url, tool.request, given));
    const form = await formOf(arrival);
    expect([...form]).toEqual([
      ["s", "a\nb"],
      ["n", "5"],
      ["flag", "true"],
      ["list", "x"],
      ["list", "y"],
      ["o", '{"k":[1]}'],
    ]);
    expect(text(arrival.body).match(/Content-Type: .*/g)).toEqual(["Content-Type: application/json"]);
  });

  test("files arrive byte by byte under their names and types", async () => {
    const given = {
      one: { data: BASE64, filename: "ä b.bin", contentType: "image/png" },
      many: [{ text: "héllo", filename: "a.txt" }, { data: "-_-_" }],
    };
    const form = await partsArrival(given, { one: FILE, many: { type: "array", items: FILE } });
    const [one] = form.getAll("one") as File[];
    expect(one).toMatchObject({ name: "ä b.bin", type: "image/png" });
    expect(new Uint8Array((await one?.arrayBuffer()) as ArrayBuffer)).toEqual(BYTES);
    const [first, second] = form.getAll("many") as File[];
    expect(first).toMatchObject({ name: "a.txt", type: "application/octet-stream" });
    expect(await first?.text()).toBe("héllo");
    expect(second?.name).toBe("file");
    expect(new Uint8Array((await second?.arrayBuffer()) as ArrayBuffer)).toEqual(new Uint8Array([251, 255, 191]));
  });

  test("a file can be one of several things that a property takes, also behind a reference", async () => {
    const schemas = {
      Upload: { anyOf: [FILE, { type: "array", items: FILE }, { $ref: "#/components/schemas/Link" }] },
      Link: object({ text: { type: "string" }, url: { type: "string" } }),
    };
    const operation = body({
      "multipart/form-data": { schema: object({ image: { $ref: "#/components/schemas/Upload" } }) },
    });
    const tool = await compileOperation("post", "/a", operation, { schemas });
    const send = async (image: unknown) => {
      expect(check(tool.inputSchema, { image })).toEqual([]);
      return (await formOf(await api.receive(buildRequest(api.url, tool.request, { image })))).getAll("image");
    };
    expect(await send([{ text: "a" }, { text: "b" }])).toHaveLength(2);
    expect(await send({ data: "" })).toEqual([expect.objectContaining({ size: 0, name: "file" })]);
    expect(await send({ url: "x" })).toEqual(['{"url":"x"}']);
  });

  test("a file with an empty name has a name all the same: servers drop a part that has none", async () => {
    const form = await partsArrival({ one: { data: BASE64, filename: "" } }, { one: FILE });
    expect(form.getAll("one")).toEqual([expect.objectContaining({ name: "file", size: BYTES.length })]);
  });

  test("a backslash in the name of a file does not escape the quote behind it", async () => {
    const form = await partsArrival({ one: { text: "x", filename: "a\\" } }, { one: FILE });
    expect(form.getAll("one")).toEqual([expect.objectContaining({ name: "a%5C", size: 1 })]);
  });

  test("a file has its bytes or its text, not both and not neither", async () => {
    const tool = await compileOperation("post", "/a", body({ "multipart/form-data": { schema: object({ a: FILE }) } }));
    for (const a of [{}, { data: "", text: "" }, { filename: "a" }, { text: 5 }, "YQ=="]) {
      expect(check(tool.inputSchema, { a })).not.toEqual([]);
    }
  });

  test.each<[Plain, Plain, unknown, string, string]>([
    [{ type: "string" }, { contentType: "application/sdp" }, "v=0", "application/sdp", "v=0"],
    [{ type: "string" }, { contentType: "application/json" }, "x", "application/json", '"x"'],
    [{ contentMediaType: "image/png" }, {}, { text: "x" }, "application/octet-stream", "x"],
    [{}, { contentType: "image/png" }, { text: "x" }, "image/png", "x"],
    [FILE, { contentType: "image/png, image/jpeg" }, { text: "x" }, "image/png", "x"],
    [FILE, { contentType: "image/png, image/jpeg" }, { text: "x", contentType: "image/jpeg" }, "image/jpeg", "x"],
    [FILE, { contentType: "image/*" }, { text: "x", contentType: "image/webp" }, "image/webp", "x"],
  ])("a part of schema %j with encoding %j", async (schema, encoding, value, type, content) => {
    const definition = { schema: object({ a: schema }), encoding: { a: encoding } };
    const { body: bytes } = await arrivalOf(body({ "multipart/form-data": definition }), { a: value });
    expect(text(bytes)).toContain(`\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--`);
  });

  test("a type that the document does not name is refused, and so is what is no type", async () => {
    const tool = async (encoding: Plain) => {
      const definition = { schema: object({ a: FILE }), encoding: { a: encoding } };
      return compileOperation("post", "/a", body({ "multipart/form-data": definition }));
    };
    const { inputSchema } = await tool({ contentType: "image/png, image/jpeg" });
    expect(check(inputSchema, { a: { text: "x", contentType: "text/html" } })).not.toEqual([]);
    const images = await tool({ contentType: "image/*" });
    expect(check(images.inputSchema, { a: { text: "x" } })).not.toEqual([]);
    const open = await tool({});
    const contentType = "a/b\r\nX-Admin: 1";
    expect(check(open.inputSchema, { a: { text: "x", contentType } })).not.toEqual([]);
    expect(() => buildRequest(api.url, open.request, { a: { text: "x", contentType } })).toThrow(/^a.contentType: /);
  });

  test("one with styles is written like a query, a pair to a part", async () => {
    const given = { o: { R: 1, G: 2 }, list: [1, 2] };
    const encoding = { o: { style: "deepObject" }, list: { style: "pipeDelimited", explode: false } };
    expect([...(await partsArrival(given, { o: {}, list: {} }, { encoding }))]).toEqual([
      ["o[R]", "1"],
      ["o[G]", "2"],
      ["list", "1|2"],
    ]);
  });

  test("base64 that is none is refused by name", async () => {
    const tool = await compileOperation("post", "/a", body({ "multipart/form-data": { schema: object({ a: FILE }) } }));
    for (const data of ["a", "a*bc", "data:text/plain;base64,YQ==", "YR=="]) {
      expect(() => buildRequest(api.url, tool.request, { a: { data } })).toThrow("a.data: is not valid base64");
    }
    expect(() => buildRequest(api.url, tool.request, { a: { data: " YWI=\n" } })).not.toThrow();
  });
});
