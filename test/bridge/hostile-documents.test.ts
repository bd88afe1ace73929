import { describe, expect, test } from "vitest";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { createProblemList } from "../../lib/openapi/documents/document-error.ts";
import { createEqualValues } from "../../lib/openapi/documents/equal-values.ts";
import { parseText } from "../../lib/openapi/documents/parse-text.ts";
import { createSchemaExtractor } from "../../lib/openapi/documents/standalone-schema.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";
import { compile, jsonBody } from "./compiled.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Schemas of which each refers to the next several times; the last is `end`. */
function fan(levels: number, width: number, keyword: string, end: object) {
  const all = Array.from({ length: levels }, (_, n) => [`L${n}`, { [keyword]: Array(width).fill(ref(`L${n + 1}`)) }]);
  return { ...Object.fromEntries(all), [`L${levels}`]: end };
}

async function toolsOf(operation: object, schemas: object = {}, servers?: unknown) {
  const { tools, leftOut } = await compile({
    paths: { "/a": { post: operation } },
    components: { schemas },
    ...(servers !== undefined && { servers }),
  });
  return [tools.length, leftOut.map(({ reason }) => reason)];
}

const answer = (schema: object) => ({ 200: { description: "", content: { "application/json": { schema } } } });
const multipart = (schema: object) => ({ required: true, content: { "multipart/form-data": { schema } } });

/** Each of these took minutes or hours, or all memory. */
describe("37. a few kilobytes do not keep the compiler busy:", () => {
  test.each([
    ["of objects put together of others", "allOf", { properties: { a: { type: "string" } } }],
    ["of alternatives", "oneOf", { type: "object" }],
  ])("a fan %s", async (_, keyword, end) => {
    expect(await toolsOf({ requestBody: jsonBody(ref("L0")) }, fan(25, 10, keyword, end))).toEqual([1, []]);
  });

  test("a fan of answers without a type", async () => {
    expect(await toolsOf({ responses: answer(ref("L0")) }, fan(25, 20, "allOf", {}))).toEqual([1, []]);
  });

  test("a fan that a file could be at the end of", async () => {
    const body = multipart({ type: "object", properties: { x: ref("L0") } });
    const file = { type: "string", format: "binary" };
    expect(await toolsOf({ requestBody: body }, fan(25, 10, "anyOf", file))).toEqual([1, []]);
  });

  test("a fan in which a member is hidden", async () => {
    const hidden = { properties: { id: { type: "string", readOnly: true } }, allOf: [ref("L0")] };
    const schemas = { Top: hidden, ...fan(25, 2, "allOf", { required: ["id"] }) };
    expect(await toolsOf({ requestBody: jsonBody(ref("Top")) }, schemas)).toEqual([1, []]);
  });

  test("references whose ways lead over two others each", async () => {
    const to = (n: number) => ref(`E${n}/l/x${n}/y`);
    const levels = Array.from({ length: 48 }, (_, n) => n);
    const Z = { y: ref("Z"), ...Object.fromEntries(levels.map((n) => [`x${n}`, n < 47 ? to(n + 1) : ref("Z")])) };
    const schemas = Object.fromEntries(levels.map((n) => [`E${n}`, { l: n < 47 ? to(n + 1) : ref("Z") }]));
    await expect(toolsOf({ requestBody: jsonBody(to(0)) }, { Z, ...schemas })).rejects.toThrow("leads nowhere");
  });

  test("parameters of a media type, and slashes of a server", async () => {
    const content = { [`application/json${";a".repeat(100)}é`]: {} };
    const servers = [{ url: `https://api.example/${"/".repeat(300_000)}a` }];
    expect(await toolsOf({ requestBody: { required: true, content } }, {}, servers)).toEqual([1, []]);
  });

  test("thousands of schemas that all lead to each other are not all looked at for each answer", () => {
    const web = (length: number) => {
      const names = Array.from({ length }, (_, n) => `W${n}`);
      const schemas = names.map((name, n) => [name, { properties: { next: ref(names[(n + 1) % length] as string) } }]);
      const document = { components: { schemas: Object.fromEntries(schemas) } };
      const extractor = createSchemaExtractor(document, "response", createProblemList(), createEqualValues());
      const schema = extractor.extract(ref("W0"), "");
      return () => Array.from({ length: 20 }, () => extractor.isLongerThan(1_000, schema));
    };
    expect(web(10)()).toContain(false);
    expect(web(1_000)()).toContain(true);
    expect(growth(web, (look) => look())).toBe(1);
  });
});

describe("time grows with the text of a YAML document, not with its square:", () => {
  test("keys of a mapping", () => {
    const keys = (length: number) => Array.from({ length }, (_, n) => `k${n}: 1\n`).join("");
    expect(growth(keys, parseText)).toBeLessThan(SUPER_LINEAR);
  });
});

test("21. a document of the internet does not make us ask hosts inside of networks", async () => {
  const asked = async (uri: string, reference: string) => {
    const parameters = [{ name: "p", in: "query", schema: { $ref: reference } }];
    const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/a": { get: { parameters } } } };
    const uris: string[] = [];
    const read = async (uri: string) => {
      uris.push(uri);
      return "{}";
    };
    await compileCatalog(JSON.stringify(document), {
      app: "app",
      namespace: { disabled: true },
      source: { uri, read },
    });
    return uris;
  };
  const inside = ["https://169.254.169.254/a", "https://[::1]/a", "https://localhost/a", "https://0x7f.1/a"];
  const others = [
    "//vault.internal/a",
    "https:\\\\10.0.0.1\\a",
    "https://db/a",
    "http://1.1.1.1/a",
    "file:///etc/passwd",
  ];
  for (const reference of [...inside, ...others]) {
    expect(await asked("https://vendor.example.com/openapi.json", reference)).toEqual([]);
  }
  expect(await asked("https://vendor.example.com/openapi.json", "https://other.example.com/a")).toHaveLength(1);
  expect(await asked("https://api.corp/openapi.json", "https://schemas.corp/a")).toHaveLength(1);
  expect(await asked("file://openapi.json", "https://localhost/a")).toHaveLength(1);
});
