import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { compile, compileOperation, errorsOf, jsonBody, opened, parameter } from "./compiled.ts";

describe("from an OpenAPI document to tools", () => {
  test("parameters and body properties become one flat object", async () => {
    const tool = await compileOperation("put", "/books/{bookId}", {
      operationId: "updateBook",
      summary: "Update a book",
      parameters: [parameter("bookId", "path"), parameter("notify", "query", { schema: { type: "boolean" } })],
      requestBody: jsonBody({
        type: "object",
        required: ["title"],
        properties: { title: { type: "string" }, pages: { type: "integer" } },
      }),
    });
    expect(tool).toMatchObject({
      name: "updateBook",
      localName: "updateBook",
      title: "Update a book",
      annotations: { idempotentHint: true },
      inputSchema: {
        type: "object",
        required: ["bookId", "title"],
        additionalProperties: false,
        properties: { bookId: { type: "string" }, notify: { type: "boolean" }, title: { type: "string" } },
      },
      request: {
        method: "PUT",
        path: "/books/{bookId}",
        body: { contentType: "application/json", required: true },
      },
    });
    expect(tool.inputSchema).not.toHaveProperty("$defs");
  });

  test("a parameter whose name is taken gets its location as suffix", async () => {
    const tool = await compileOperation("get", "/a/{id}", {
      parameters: [parameter("id", "query"), parameter("id", "header"), parameter("id", "path")],
    });
    expect(tool.request.parameters.map(({ argument, name, in: location }) => [argument, name, location])).toEqual([
      ["id", "id", "path"],
      ["id_query", "id", "query"],
      ["id_header", "id", "header"],
    ]);
  });

  test("a body whose property is named like a parameter becomes one argument", async () => {
    const tool = await compileOperation("post", "/a/{id}", {
      parameters: [parameter("id", "path")],
      requestBody: jsonBody({ type: "object", properties: { id: { type: "string" } } }),
    });
    expect(tool.request.body?.argument).toBe("body");
    expect(tool.inputSchema).toMatchObject({ required: ["id", "body"] });
  });

  test("a body that is no plain object stays one argument", async () => {
    const variants = [
      { oneOf: [{ type: "object" }, { type: "string" }] },
      { type: "array", items: { type: "string" } },
      { type: "object", properties: { a: {} }, additionalProperties: { type: "string" } },
      { type: ["object", "null"], properties: { a: {} } },
    ];
    for (const schema of variants) {
      const tool = await compileOperation("post", "/a", { requestBody: jsonBody(schema) });
      expect(tool.request.body?.argument).toBe("body");
    }
  });

  test("a body that the document leaves open and whose properties are required is sent, and the tool says that it need not be", async () => {
    const schema = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
    const tool = await compileOperation("post", "/a", { requestBody: jsonBody(schema, false) });
    expect(tool.inputSchema).toMatchObject({ required: ["a"], properties: { a: { type: "string" } } });
    expect(tool.request.body).toMatchObject({ required: true });
    expect(tool.request.body).not.toHaveProperty("argument");
    expect(tool.description).toBe("The API accepts this request without a body, too. This tool always sends one.");
  });

  test("a body that nobody can write, as it has itself in itself, is one argument that may be left out", async () => {
    const Node = { type: "object", required: ["inner"], properties: { inner: { $ref: "#/components/schemas/Inner" } } };
    const Inner = { type: "object", required: ["node"], properties: { node: { $ref: "#/components/schemas/Node" } } };
    const requestBody = jsonBody({ $ref: "#/components/schemas/Node" }, false);
    const tool = await compileOperation("post", "/a", { requestBody }, { schemas: { Node, Inner } });
    expect(tool.request.body).toMatchObject({ argument: "body" });
    expect(tool.inputSchema).not.toHaveProperty("required");
  });

  test("a required property that the document describes nowhere may be anything; a readOnly one is none", async () => {
    const schema = {
      type: "object",
      required: ["name", "method", "id"],
      properties: { name: { type: "string" }, id: { type: "string", readOnly: true } },
    };
    const { inputSchema } = await compileOperation("post", "/a", { requestBody: jsonBody(schema) });
    expect(inputSchema).toMatchObject({ required: ["name", "method"], properties: { method: {} } });
    expect(inputSchema.properties).not.toHaveProperty("id");
  });

  test("a closed object is not asked for what it cannot have; where that chooses, it stays as it is", async () => {
    const screens = {
      type: "object",
      required: ["view", "defaultScreen"],
      properties: { view: { type: "integer" } },
      additionalProperties: false,
    };
    const one = { oneOf: [screens, { type: "object", properties: { view: {} } }] };
    const schema = { type: "object", properties: { screens, one } };
    const { inputSchema } = await compileOperation("post", "/a", { requestBody: jsonBody(schema) });
    const { required: _, ...rest } = screens;
    expect(inputSchema.properties).toEqual({ screens: { ...rest, required: ["view"] }, one });
    const check = createSchemaCheck();
    expect(check(inputSchema, { screens: { view: 1 }, one: { view: 1 } })).toEqual([]);
    expect(check(inputSchema, { screens: {} })).not.toEqual([]);
  });

  test("operators at the end of names are words, and none of them is another parameter's name", async () => {
    const names = ["DateCreated", "DateCreated<", "DateCreated>", "Price<", "Price_less_than"];
    const parameters = names.map((name) => ({ name, in: "query", schema: { type: "string" } }));
    const tool = await compileOperation("get", "/a", { parameters });
    expect(tool.request.parameters.map(({ argument, name }) => [name, argument])).toEqual([
      ["DateCreated", "DateCreated"],
      ["DateCreated<", "DateCreated_before"],
      ["DateCreated>", "DateCreated_after"],
      ["Price<", expect.stringMatching(/^Price__[0-9a-f]{8}$/)],
      ["Price_less_than", "Price_less_than"],
    ]);
  });

  test("references become definitions, and cycles stay cycles", async () => {
    const tool = await compileOperation(
      "post",
      "/nodes",
      { requestBody: jsonBody({ type: "object", properties: { root: { $ref: "#/components/schemas/Node" } } }) },
      {
        schemas: {
          Node: {
            type: "object",
            properties: { children: { type: "array", items: { $ref: "#/components/schemas/Node" } } },
          },
          Unused: { type: "string" },
        },
      },
    );
    expect(tool.inputSchema).toMatchObject({
      properties: { root: { $ref: "#/$defs/Node" } },
      $defs: { Node: { properties: { children: { items: { $ref: "#/$defs/Node" } } } } },
    });
    expect(Object.keys(tool.inputSchema.$defs as object)).toEqual(["Node"]);
  });

  test("two definitions of one name stay two", async () => {
    const tool = await compileOperation(
      "post",
      "/a",
      {
        requestBody: jsonBody({
          type: "object",
          properties: { a: { $ref: "#/components/schemas/X" }, b: { $ref: "#/components/responses/X" } },
        }),
      },
      { schemas: { X: { type: "string" } }, responses: { X: { type: "integer" } } },
    );
    expect(tool.inputSchema.$defs).toEqual({ X: { type: "string" }, X_2: { type: "integer" } });
  });

  // https://github.com/jlowin/fastmcp/issues/1220
  test("a property that is named $ref is a property", async () => {
    const tool = await compileOperation("post", "/a", {
      requestBody: jsonBody({
        type: "object",
        properties: { link: { type: "object", properties: { $ref: { type: "string" } } } },
      }),
    });
    expect(tool.inputSchema).toMatchObject({
      properties: { link: { properties: { $ref: { type: "string" } } } },
    });
  });

  test("names that clients refuse are aliased, and the request still carries the real ones", async () => {
    const tool = await compileOperation("post", "/a", {
      parameters: [parameter("include[]", "query"), parameter("n".repeat(80), "query")],
      requestBody: jsonBody({ type: "object", properties: { $filter: { type: "string" } } }),
    });
    for (const name of Object.keys(tool.inputSchema.properties as object))
      expect(name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
    expect(tool.request.parameters.map(({ name }) => name)).toEqual(["include[]", "n".repeat(80)]);
    expect(Object.values(tool.request.body?.names ?? {})).toEqual(["$filter"]);
  });

  test("readOnly properties are no input and writeOnly ones no output, however deep", async () => {
    const schema = {
      type: "object",
      required: ["id", "secret"],
      properties: {
        id: { type: "string", readOnly: true },
        secret: { type: "string", writeOnly: true },
        inner: { type: "object", required: ["at"], properties: { at: { $ref: "#/components/schemas/At" } } },
      },
    };
    const tool = await compileOperation(
      "post",
      "/a",
      {
        requestBody: jsonBody(schema),
        responses: { 200: { content: { "application/json": { schema } } } },
      },
      { schemas: { At: { type: "string", readOnly: true } } },
    );
    expect(tool.inputSchema).toMatchObject({ required: ["secret"], properties: { inner: { properties: {} } } });
    expect(Object.keys(tool.inputSchema.properties as object)).toEqual(["secret", "inner"]);
    expect(tool.inputSchema).not.toHaveProperty("properties.inner.required");
    expect(Object.keys(tool.outputSchema?.properties as object)).toEqual(["id", "inner"]);
    expect(tool.outputSchema).not.toHaveProperty("required");
  });

  test("an output schema is promised only when every success is one JSON object", async () => {
    const object = { content: { "application/json": { schema: { type: "object" } } } };
    const outputs = async (responses: unknown) =>
      (await compileOperation("get", "/a", { responses })).outputSchema !== undefined;
    expect(await outputs({ 200: object, 404: {} })).toBe(true);
    expect(await outputs({ 200: object, 202: object })).toBe(false);
    expect(await outputs({ 200: object, 204: {} })).toBe(false);
    expect(await outputs({ 200: { content: { "application/json": { schema: { type: "array" } } } } })).toBe(false);
    expect(await outputs({ 200: { content: { ...object.content, "text/csv": {} } } })).toBe(false);
  });

  test("a keyword whose value is wrong is dropped, so that no client refuses the tool for it", async () => {
    const schema = {
      type: "object",
      properties: {
        n: { type: "number", minimum: 1, exclusiveMinimum: true, multipleOf: 0 },
        s: { type: "text", pattern: "[", minLength: -1, enum: [], format: 5 },
        o: { type: "object", required: true, "x-internal": 1, example: 1, $recursiveRef: "#" },
      },
    };
    const tool = await compileOperation("post", "/a", { requestBody: jsonBody(schema) });
    expect(tool.inputSchema.properties).toEqual({ n: { type: "number", minimum: 1 }, s: {}, o: { type: "object" } });
  });

  test.each<[summary: string, own: string | undefined, title: string, description: string]>([
    ["Get  a\tbook ", undefined, "Get a book", "Get  a\tbook"],
    ["Get a book", "One of all.", "Get a book", "One of all."],
    ["Get a book. Or not.", undefined, "Get a book. Or not.", "Get a book. Or not."],
    [
      "Gets a `book`\nby its id. Fast.\n\nMore.",
      undefined,
      "Gets a book by its id.",
      "Gets a `book`\nby its id. Fast.\n\nMore.",
    ],
    ["Get a book\n\nMore.\n", "One of all.", "Get a book", "Get a book\n\nMore.\n\nOne of all."],
    [
      "**New?** Read [this](/a).\n\n---\n\nGets a book.",
      "Own.",
      "Gets a book.",
      "**New?** Read [this](/a).\n\n---\n\nGets a book.\n\nOwn.",
    ],
    [`Gets it. ${"x".repeat(120)}`, undefined, "Gets it.", `Gets it. ${"x".repeat(120)}`],
    ["x".repeat(121), undefined, `${"x".repeat(119)}…`, "x".repeat(121)],
  ])("the summary %j is a title of one line, and nothing of it is lost", async (summary, own, title, description) => {
    const tool = await compileOperation("get", "/a", { summary, description: own });
    expect([tool.title, tool.description]).toEqual([title, description]);
  });

  test("annotations follow the method", async () => {
    const annotations = async (method: string) => (await compileOperation(method, "/a", {})).annotations;
    expect(await annotations("get")).toEqual({ readOnlyHint: true });
    expect(await annotations("head")).toEqual({ readOnlyHint: true });
    expect(await annotations("post")).toEqual({});
    expect(await annotations("put")).toEqual({ idempotentHint: true });
    expect(await annotations("delete")).toEqual({ idempotentHint: true, destructiveHint: true });
  });

  test("what cannot be called is listed with its reason", async () => {
    const reserved = parameter("X-Forwarded-For", "header", { required: true });
    const { tools, leftOut } = await compile({
      paths: {
        "/a": { get: {}, trace: {} },
        "/b": { get: { parameters: [parameter("s", "body", { required: true })] }, post: { parameters: [reserved] } },
        "/c": { post: { parameters: [{}] } },
      },
    });
    expect(tools.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /a"]);
    expect(leftOut).toEqual([
      { operation: "TRACE /a", localName: "trace_a", reason: "unsupported method" },
      {
        operation: "GET /b",
        localName: "get_b",
        reason: "unsupported parameter location",
        detail: '"s" is in "body"; accepted: path, query, querystring, header, cookie',
      },
      {
        operation: "POST /b",
        localName: "post_b",
        reason: "unsupported parameter location",
        detail: expect.stringMatching(/^the header .* is not the agent's to set$/),
      },
      {
        operation: "POST /c",
        localName: "post_c",
        reason: "invalid operation",
        detail: "/paths/~1c/post/parameters/0/name: is required",
      },
    ]);
  });

  test("OpenAPI 3.0 is read as 3.1: nullable and exclusive limits mean the same", async () => {
    const result = await compileCatalog(
      JSON.stringify({
        openapi: "3.0.3",
        info: { title: "t", version: "1" },
        paths: {
          "/a": {
            get: {
              parameters: [
                parameter("n", "query", {
                  schema: { type: "integer", minimum: 0, exclusiveMinimum: true, nullable: true },
                }),
              ],
            },
          },
        },
      }),
      { app: "app", namespace: { disabled: true } },
    );
    expect(opened(result)).toMatchObject([
      { inputSchema: { properties: { n: { type: ["integer", "null"], exclusiveMinimum: 0 } } } },
    ]);
  });

  test("YAML, anchors and the server's address are read", async () => {
    const text = readFileSync(new URL("../support/upstream.openapi.yaml", import.meta.url), "utf8");
    const result = await compileCatalog(text, { app: "notes", namespace: { disabled: false } });
    expect(result).toMatchObject({ serverURL: "http://127.0.0.1:9100" });
    expect("catalog" in result && result.catalog.tools.map(({ name }) => name)).toContain("notes_getNote");
    expect("catalog" in result && result.catalog.leftOut).toEqual([
      {
        operation: "POST /notes/import",
        localName: "importNotes",
        reason: "unsupported request body",
        detail: "multipart/mixed",
      },
    ]);
  });
});

describe("an invalid document", () => {
  const cases: readonly [string, Readonly<Record<string, unknown>> | string, RegExp][] = [
    ["is not even YAML", "{ a: [", /neither JSON nor YAML/],
    ["is a list", "- a", /^: must be an object; found a list$/],
    ["has no version", "info: {}", /\/openapi: is required/],
    ["is Swagger 1.2", "swagger: '1.2'", /\/swagger: version "1.2" is not supported; accepted are OpenAPI 3.0/],
    ["is of a later version", { openapi: "4.0.0" }, /\/openapi: version "4.0.0" is not supported/],
    ["has no info", { info: undefined }, /\/info: is required/],
    ["has a path without slash", { paths: { a: { get: {} } } }, /\/paths\/a: a path starts with a slash/],
    ["has a list as operation", { paths: { "/a": { get: [] } } }, /\/paths\/~1a\/get: an operation is an object/],
    [
      "refers to nothing",
      { paths: { "/a": { get: { parameters: [{ $ref: "#/components/parameters/P" }] } } } },
      /\/paths\/~1a\/get\/parameters\/0: the reference #\/components\/parameters\/P leads nowhere/,
    ],
    [
      "refers to another file",
      { paths: { "/a": { post: { requestBody: jsonBody({ $ref: "other.yaml#/X" }) } } } },
      /the reference other.yaml#\/X leads to a document that is not read: only the document itself is/,
    ],
    [
      "refers in a circle",
      {
        paths: { "/a": { post: { requestBody: jsonBody({ $ref: "#/components/schemas/A" }) } } },
        components: { schemas: { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } } },
      },
      /leads back to itself/,
    ],
    ["lacks a path parameter", { paths: { "/a/{id}": { get: {} } } }, /declares no path parameter for \{id\}/],
    [
      "declares a parameter twice",
      {
        paths: {
          "/a": { get: { parameters: [parameter("x", "query"), parameter("x", "query", { required: true })] } },
        },
      },
      /"x" in query is declared twice/,
    ],
    ["is nested without end", `openapi: 3.1.0\ninfo: ${"{a: ".repeat(300)}1${"}".repeat(300)}`, /nested deeper/],
    ["is a YAML bomb", yamlBomb(), /stand for over 500,000 values/],
  ];
  test.each(cases)("that %s is refused with the place of the mistake", async (_, document, expected) => {
    const errors = await errorsOf(document);
    expect(errors.join("\n")).toMatch(expected);
  });

  test("has all its mistakes told, each once, with line and column", async () => {
    const text = `openapi: 3.0.3
paths:
  /a/{id}:
    parameters: [{in: query}, {name: x, in: query}, {name: x, in: query, required: true}]
    get:
      parameters:
        - $ref: "#/components/parameters/P"
    post:
      requestBody:
        content:
          application/json: {schema: {$ref: "#/components/schemas/A"}}
      responses: {200: {$ref: "#/components/responses/R"}}
    put:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}
components:
  schemas:
    A:
      properties:
        list: {type: array, items: [1]}
        all: {allOf: {}}
`;
    const result = await compileCatalog(text, { app: "a", namespace: { disabled: true } });
    const problems = "errors" in result ? result.errors : [];
    const path = "/paths/~1a~1{id}";
    expect(problems.map(({ pointer, line, column }) => `${line}:${column} ${pointer}`)).toEqual([
      "1:1 /info",
      `4:18 ${path}/parameters/0/name`,
      `4:53 ${path}/parameters/2`,
      `5:5 ${path}/get`,
      `7:11 ${path}/get/parameters/0`,
      `8:5 ${path}/post`,
      `12:19 ${path}/post/responses/200`,
      `13:5 ${path}/put`,
      "19:37 /components/schemas/A/properties/list/items/0",
      "20:15 /components/schemas/A/properties/all/allOf",
    ]);
  });

  test("keys that mean something to JavaScript are data", async () => {
    const text = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"__proto__":{"polluted":true},
      "paths":{"/a":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object",
      "properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}}}}}}}}`;
    const result = await compileCatalog(text, { app: "a", namespace: { disabled: true } });
    expect(opened(result).map(({ inputSchema }) => Object.keys(inputSchema.properties as object))).toEqual([
      ["__proto__", "constructor"],
    ]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

function yamlBomb(): string {
  const levels = Array.from({ length: 12 }, (_, n) => `a${n}: &a${n} [${n === 0 ? "x" : Array(9).fill(`*a${n - 1}`)}]`);
  return `openapi: 3.1.0\n${levels.join("\n")}`;
}
