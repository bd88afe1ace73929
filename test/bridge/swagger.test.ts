import { readFileSync } from "node:fs";
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
import { describe, expect, test } from "vitest";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { buildRequest } from "../../lib/openapi/request.ts";
import { opened } from "./compiled.ts";

type Json = Readonly<Record<string, unknown>>;

async function compiled(document: Json, uri = "file://api.json") {
  const text = JSON.stringify({ swagger: "2.0", info: { title: "t", version: "1" }, ...document });
  const read = () => Promise.reject(new Error("is not there"));
  return compileCatalog(text, { app: "app", namespace: { disabled: true }, source: { uri, read } });
}

async function toolOf(method: string, path: string, operation: Json, more: Json = {}): Promise<BridgeTool> {
  const result = await compiled({ paths: { [path]: { [method]: operation } }, ...more });
  const [tool] = opened(result);
  if (tool === undefined) throw new Error(JSON.stringify(result));
  return tool;
}

function requestOf(tool: BridgeTool, given: Json) {
  return buildRequest("https://api.example", tool.request, given);
}

function array(name: string, location: string, collectionFormat?: string): Json {
  return {
    name,
    in: location,
    type: "array",
    items: { type: "string" },
    ...(collectionFormat && { collectionFormat }),
  };
}

describe("Swagger 2.0", () => {
  test.each([
    [undefined, "x=a,b"],
    ["csv", "x=a,b"],
    ["multi", "x=a&x=b"],
    ["ssv", "x=a%20b"],
    ["pipes", "x=a%7Cb"],
  ])("a list in the query with collectionFormat %s is sent as %s", async (format, query) => {
    const tool = await toolOf("get", "/a", { parameters: [array("x", "query", format)] });
    expect(requestOf(tool, { x: ["a", "b"] }).url).toBe(`https://api.example/a?${query}`);
  });

  test("a list that OpenAPI 3 cannot write is an argument that is the text", async () => {
    const parameters = [array("x", "query", "tsv"), { ...array("id", "path", "pipes"), required: true }];
    const tool = await toolOf("get", "/a/{id}", { parameters });
    expect(tool.inputSchema.properties).toMatchObject({
      x: { type: "string", description: "Values separated by tabs." },
      id: { type: "string", description: "Values separated by vertical bars." },
    });
    expect(requestOf(tool, { x: "a\tb", id: "1|2" }).url).toBe("https://api.example/a/1%7C2?x=a%09b");
  });

  test("a body parameter is a JSON body, also one of the path or one that is referred to", async () => {
    const schema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
    const body = { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } };
    const own = await toolOf("post", "/a", { parameters: [body] }, { definitions: { Pet: schema } });
    const referred = await toolOf(
      "post",
      "/a",
      { parameters: [{ $ref: "#/parameters/Body" }] },
      { definitions: { Pet: schema }, parameters: { Body: body } },
    );
    const shared = opened(
      await compiled({ paths: { "/a": { post: {}, parameters: [body] } }, definitions: { Pet: schema } }),
    );
    for (const tool of [own, referred, ...shared]) {
      expect(tool.inputSchema).toMatchObject({ required: ["name"], properties: { name: { type: "string" } } });
      expect(requestOf(tool, { name: "x" })).toMatchObject({
        body: '{"name":"x"}',
        headers: { "content-type": "application/json" },
      });
    }
    expect(shared).toHaveLength(1);
  });

  test("fields of a form are a form, and with a file a multipart body", async () => {
    const fields = [
      { name: "name", in: "formData", type: "string", required: true },
      array("tags", "formData", "multi"),
    ];
    const form = await toolOf("post", "/a", { parameters: fields });
    expect(requestOf(form, { name: "x y", tags: ["a", "b"] })).toMatchObject({
      body: "name=x%20y&tags=a&tags=b",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const referred = await toolOf(
      "post",
      "/a",
      { consumes: ["multipart/form-data"], parameters: fields.map(({ name }) => ({ $ref: `#/parameters/${name}` })) },
      { parameters: Object.fromEntries(fields.map((field) => [field.name, field])) },
    );
    expect(referred.request.body?.contentType).toBe("multipart/form-data");
    const file = { name: "file", in: "formData", type: "file" };
    const upload = await toolOf("post", "/a", {
      consumes: ["application/x-www-form-urlencoded"],
      parameters: [...fields, file],
    });
    expect(upload.request.body?.contentType).toBe("multipart/form-data");
    expect(Object.keys(upload.inputSchema.properties as object)).toEqual(["name", "tags", "file"]);
  });

  test("consumes and produces of an operation win over those of the document", async () => {
    const body = { name: "b", in: "body", schema: { type: "string" } };
    const answer = { 200: { description: "", schema: { type: "object", properties: { n: { type: "integer" } } } } };
    const document = { consumes: ["text/plain"], produces: ["text/csv"] };
    const inherited = await toolOf("post", "/a", { parameters: [body], responses: answer }, document);
    expect([inherited.request.body?.contentType, inherited.request.accept]).toEqual(["text/plain", "text/csv"]);
    const operation = { consumes: ["application/json"], produces: ["application/json"] };
    const own = await toolOf("post", "/a", { ...operation, parameters: [body], responses: answer }, document);
    expect([own.request.body?.contentType, own.request.accept]).toEqual(["application/json", "application/json"]);
    expect(own.outputSchema).toMatchObject({ properties: { n: {} } });
  });

  test("responses that are referred to have their schema, and files are bytes", async () => {
    const responses = { 200: { $ref: "#/responses/Pet" } };
    const schema = { type: "object", properties: { name: { type: "string", "x-nullable": true } } };
    const tool = await toolOf("get", "/a", { responses }, { responses: { Pet: { description: "", schema } } });
    expect(tool.outputSchema).toMatchObject({ properties: { name: {} } });
    const file = await toolOf("get", "/a", { responses: { 200: { description: "", schema: { type: "file" } } } });
    expect([file.request.accept, file.outputSchema]).toEqual(["application/octet-stream", undefined]);
  });

  test("x-nullable admits null", async () => {
    const schema = { type: "object", properties: { a: { type: "string", "x-nullable": true }, b: { type: "string" } } };
    const tool = await toolOf("post", "/a", { parameters: [{ name: "x", in: "body", required: true, schema }] });
    expect(tool.inputSchema.properties).toMatchObject({ a: { type: ["string", "null"] }, b: { type: "string" } });
  });

  test("references into paths lead to what stands there", async () => {
    const schema = { type: "object", properties: { x: { type: "integer" } } };
    const first = { post: { parameters: [{ name: "b", in: "body", required: true, schema }] } };
    const second = { $ref: "#/paths/~1a/post/parameters/0/schema" };
    const third = { post: { parameters: [{ name: "b", in: "body", required: true, schema: second }] } };
    const tools = opened(await compiled({ paths: { "/a": first, "/b": third, "/c": { $ref: "#/paths/~1a" } } }));
    expect(tools.map(({ path, inputSchema }) => [path, inputSchema.properties])).toEqual(
      ["/a", "/b", "/c"].map((path) => [path, { x: { type: "integer" } }]),
    );
  });

  test.each([
    [{ host: "api.example", basePath: "/v1", schemes: ["http", "https"] }, "https://api.example/v1"],
    [{ host: "api.example", schemes: ["http"] }, "http://api.example"],
    [{ host: "api.example", basePath: "v1/" }, "https://api.example/v1"],
    [{ host: "localhost:8080" }, "http://localhost:8080"],
    [{ basePath: "/v1" }, "https://docs.example/v1"],
    [{}, "https://docs.example"],
  ])("%j is where the API is: %s", async (document, url) => {
    const at = "host" in document ? "file://api.json" : "https://docs.example/openapi.json";
    expect(await compiled({ ...document, paths: {} }, at)).toMatchObject({ serverURL: url });
  });

  test("security definitions are security schemes", async () => {
    const result = await compiled({
      paths: {},
      securityDefinitions: {
        basic: { type: "basic" },
        key: { type: "apiKey", in: "header", name: "X-Key" },
        oauth: {
          type: "oauth2",
          flow: "accessCode",
          authorizationUrl: "https://a/",
          tokenUrl: "https://t/",
          scopes: {},
        },
      },
    });
    expect("schemes" in result && Object.fromEntries(result.schemes)).toEqual({
      basic: { kind: "basic" },
      key: { kind: "apiKey", in: "header", name: "X-Key" },
      oauth: { kind: "bearer" },
    });
  });

  test("YAML may write the version as a number, and a mistake is told where it stands", async () => {
    const text = `swagger: 2.0
info: {title: t, version: "1"}
paths:
  /a:
    post:
      parameters:
        - in: body
          name: b
          schema: {$ref: "#/definitions/Nothing"}
  /b:
    get:
      parameters:
        - {in: query, name: x, type: string}
        - {in: query, type: string}
`;
    const result = await compileCatalog(text, { app: "app", namespace: { disabled: true } });
    expect("errors" in result && result.errors).toEqual([
      {
        pointer: "/paths/~1a/post",
        message: "the reference #/definitions/Nothing leads nowhere",
        line: 5,
        column: 5,
      },
      { pointer: "/paths/~1b/get/parameters/1", message: "is required", line: 14, column: 11 },
    ]);
  });
});

/**
 * Why the step from 2.0 to 3.0 is written by us, while `@scalar/openapi-upgrader` takes the next one (`docs/dependencies.md`). A
 * row that fails says that the package got it right: when all do, our step can go.
 */
describe("the Swagger step of @scalar/openapi-upgrader loses", () => {
  const EXAMPLE = "node_modules/@readme/oas-examples/2.0/json/api-with-examples.json";

  test("where an API is whose document names neither host nor basePath, as in api-with-examples.json", async () => {
    const document = JSON.parse(readFileSync(EXAMPLE, "utf8")) as Json;
    const read = () => Promise.reject(new Error("is not there"));
    const source = { uri: "https://api.example/v2/swagger.json", read };
    const result = await compileCatalog(JSON.stringify(document), { app: "a", namespace: { disabled: true }, source });
    expect(result).toMatchObject({ serverURL: "https://api.example" });
    expect(upgraded(document)).not.toHaveProperty("servers");
  });

  test("the slash of a basePath that has none", () => {
    expect(upgraded({ host: "api.example", basePath: "v1", schemes: ["https"], paths: {} })).toMatchObject({
      servers: [{ url: "https://api.examplev1" }],
    });
  });

  test("how a list with tabs between is written", () => {
    const operation = { parameters: [array("x", "query", "tsv")], responses: {} };
    expect(upgraded({ paths: { "/a": { get: operation } } })).toMatchObject({
      paths: { "/a": { get: { parameters: [{ name: "x", in: "query", schema: { type: "array" } }] } } },
    });
  });

  test("that an answer is a file and not JSON", () => {
    const responses = { 200: { description: "", schema: { type: "file" } } };
    expect(upgraded({ paths: { "/a": { get: { responses } } } })).toMatchObject({
      paths: {
        "/a": { get: { responses: { 200: { content: { "application/json": { schema: { format: "binary" } } } } } } },
      },
    });
  });

  function upgraded(document: Json): unknown {
    return upgradeFromTwoToThree({ swagger: "2.0", info: { title: "t", version: "1" }, ...structuredClone(document) });
  }
});
