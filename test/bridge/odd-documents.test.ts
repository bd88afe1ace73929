import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { parseText } from "../../lib/openapi/documents/parse-text.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { compile, compileOperation, errorsOf, jsonBody, opened, parameter } from "./compiled.ts";

const INFO = { openapi: "3.1.0", info: { title: "t", version: "1" } };

describe("a document with operations that are invalid", () => {
  const broken = { parameters: [{ $ref: "#/components/parameters/Nothing" }] };

  test("has the others as tools, and says of each what is wrong with it and where", async () => {
    const schemas = {
      Bad: { type: "object", properties: { x: { type: "string", items: 5 } } },
      Lost: { properties: { y: { $ref: "#/components/schemas/Nowhere" } } },
      Endless: { allOf: [{ $ref: "#/components/schemas/Round" }] },
      Round: { anyOf: [{ type: "string" }, { $ref: "#/components/schemas/Endless" }] },
    };
    const post = (name: string) => ({ post: { requestBody: jsonBody({ $ref: `#/components/schemas/${name}` }) } });
    const { tools, leftOut } = await compile({
      paths: {
        "/good": { get: {} },
        "/parameter": { get: broken, put: { parameters: [{ in: "query" }, parameter("x", "path")] } },
        "/item": { $ref: "#/components/pathItems/Nothing" },
        "/list": { parameters: {}, get: {}, post: [] },
        "/<upload_url>": { put: {} },
        slashless: { get: {} },
        empty: {},
        "/bad": post("Bad"),
        "/bad-again": post("Bad"),
        "/lost": post("Lost"),
        "/endless": post("Endless"),
      },
      components: { schemas },
    });
    expect(tools.map(({ path }) => path)).toEqual(["/good"]);
    expect(leftOut.map(({ operation, detail }) => `${operation}: ${detail}`)).toEqual([
      "GET /parameter: /paths/~1parameter/get/parameters/0: the reference #/components/parameters/Nothing leads nowhere",
      "PUT /parameter: /paths/~1parameter/put/parameters/0/name: is required; and 1 more",
      "* /item: the reference #/components/pathItems/Nothing leads nowhere",
      "GET /list: /paths/~1list/parameters: must be an array",
      "POST /list: /paths/~1list/parameters: must be an array; and 1 more",
      "PUT /<upload_url>: /paths/~1<upload_url>: <upload_url> in the path is a placeholder that no call can fill; accepted: {upload_url}, declared as a path parameter",
      "GET slashless: /paths/slashless: a path starts with a slash",
      "* empty: a path starts with a slash",
      "POST /bad: /components/schemas/Bad/properties/x/items: a schema is an object or a boolean",
      "POST /bad-again: /components/schemas/Bad/properties/x/items: a schema is an object or a boolean",
      "POST /lost: /components/schemas/Lost/properties/y: the reference #/components/schemas/Nowhere leads nowhere",
      "POST /endless: /components/schemas/Endless: the schema is part of itself without end; and 1 more",
    ]);
    expect(new Set(leftOut.map(({ reason }) => reason))).toEqual(new Set(["invalid operation"]));
  });

  test("keeps tools whose answers alone are described wrongly, without an output schema that clients refuse", async () => {
    const answer = (schema: unknown) => ({ 200: { description: "", content: { "application/json": { schema } } } });
    const catalog = await compile({
      paths: {
        "/lost": { get: { responses: { 200: { $ref: "#/components/responses/Nothing" } } } },
        "/endless": {
          get: { responses: answer({ type: "object", properties: { x: { $ref: "#/components/schemas/E" } } }) },
        },
      },
      components: { schemas: { E: { allOf: [{ $ref: "#/components/schemas/E" }] } } },
    });
    expect(opened({ catalog }).map(({ path, outputSchema }) => [path, outputSchema])).toEqual([
      ["/lost", undefined],
      ["/endless", undefined],
    ]);
    expect(catalog.leftOut).toEqual([]);
    const examples = [
      "GET /lost: /paths/~1lost/get/responses/200: the reference #/components/responses/Nothing leads nowhere",
      "GET /endless: /components/schemas/E: the schema is part of itself without end",
    ];
    expect(catalog.flaws).toEqual([{ lost: "output schema", count: 2, examples }]);
  });

  test("tells of parameters at places that there are not, with the place that may be meant", async () => {
    const get = (location: string, required = false) => ({
      get: { parameters: [parameter("x", location, { required })] },
    });
    const { tools, leftOut, flaws } = await compile({
      paths: {
        "/a": get("querry"),
        "/b": get("body"),
        "/c": get("query"),
        "/d": get("Path"),
        "/e": get("querry"),
        "/f": get("headr", true),
        "/g": { get: { parameters: [parameter("Host", "header", { required: true })] } },
      },
    });
    expect(tools).toHaveLength(5);
    const examples = [
      'GET /a: "x" is in "querry"; did you mean "query"?',
      'GET /b: "x" is in "body"; accepted: path, query, querystring, header, cookie',
      'GET /d: "x" is in "Path"; did you mean "path"?',
    ];
    expect(flaws).toEqual([{ lost: "argument", count: 4, examples }]);
    expect(leftOut.map(({ detail }) => detail)).toEqual([
      '"x" is in "headr"; did you mean "header"?',
      "the header Host is not the agent's to set",
    ]);
  });

  test("is refused if all of them are, with everything that is wrong", async () => {
    const errors = await errorsOf({ paths: { "/a": { get: broken }, "/b": { get: broken, $ref: "#/nowhere" } } });
    expect(errors).toHaveLength(2);
    expect(errors.join("\n")).toMatch(/\/paths\/~1a\/get\/parameters\/0: .*\n\/paths\/~1b: the reference #\/nowhere/);
  });

  test("does not have those told of that are excluded", async () => {
    const keeps = (_: string, path: string) => path !== "/broken";
    const findings = {
      unmatched: [],
      candidates: [],
      excluded: 1,
      isEmpty: false,
      unknown: [],
      clashing: [],
      tools: [],
    };
    const curator = { keeps, override: async <T>(tools: T) => tools, findings: () => findings };
    const text = JSON.stringify({ ...INFO, paths: { "/good": { get: {} }, "/broken": { get: broken } } });
    const result = await compileCatalog(text, { app: "app", namespace: { disabled: true }, curator });
    expect("catalog" in result && result.catalog.leftOut).toEqual([]);
  });
});

describe("names", () => {
  test("of operations with one operationId differ, whatever their order, and none is lost", async () => {
    const paths = {
      "/a": { get: { operationId: "x" }, post: { operationId: "x" } },
      "/x": { get: { operationId: "get_y" } },
    };
    const catalog = await compile({ paths: { ...paths, "/y": { get: {} } } });
    const reordered = await compile({ paths: { "/y": { get: {} }, ...paths } });
    const names = ({ tools }: typeof catalog) => tools.map(({ localName }) => localName).sort();
    expect(names(catalog)).toEqual([
      expect.stringMatching(/^get_y$/),
      expect.stringMatching(/^get_y_[0-9a-f]{8}$/),
      expect.stringMatching(/^x_[0-9a-f]{8}$/),
      expect.stringMatching(/^x_[0-9a-f]{8}$/),
    ]);
    expect(new Set(names(catalog)).size).toBe(4);
    expect(names(reordered)).toEqual(names(catalog));
    expect(catalog.leftOut).toEqual([]);
  });

  test("of 80 characters, with [] and in templates that are alike make tools that clients accept", async () => {
    const id = (location: string) => ({ parameters: [parameter(location, "path")] });
    const { tools } = await compile({
      paths: {
        "/a/{id}": { get: { ...id("id") } },
        "/a/{name}": { get: { ...id("name") } },
        "/b": { get: { operationId: "x".repeat(80) }, post: { operationId: `${"x".repeat(79)}y` } },
        "/c[]": { get: { operationId: "list[]" } },
      },
    });
    expect(tools.map(({ name }) => name)).toEqual([
      "get_a_id",
      "get_a_name",
      expect.stringMatching(/^x{55}_[0-9a-f]{8}$/),
      expect.stringMatching(/^x{55}_[0-9a-f]{8}$/),
      expect.stringMatching(/^list___[0-9a-f]{8}$/),
    ]);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(5);
  });

  test("of properties may be $ref, and mean nothing", async () => {
    const schema = {
      type: "object",
      required: ["$ref"],
      properties: { $ref: { type: "string" }, $id: { type: "string" } },
    };
    const tool = await compileOperation("post", "/a", { requestBody: jsonBody({ type: "array", items: schema }) });
    expect(tool.inputSchema).toMatchObject({ properties: { body: { items: schema } } });
  });
});

describe("a document that is odd", () => {
  const cases: readonly [string, string, RegExp][] = [
    ["an HTML page", "\n<!DOCTYPE html><html><title>Sign in</title></html>", /is an HTML page, perhaps a login page/],
    ["XML", "<?xml version='1.0'?><a/>", /is XML; accepted: JSON or YAML/],
    ["empty", " \n", /: is empty/],
    ["an empty object", "{}", /\/openapi: is required/],
    ["a text", "hello", /^: must be an object; found text$/],
    ["a list", "[]", /^: must be an object; found a list$/],
    ["a number", "5", /^: must be an object; found 5$/],
    ["RAML", "#%RAML 1.0\ntitle: t", /^: is RAML; accepted: OpenAPI/],
    [
      "Swagger 1.2",
      '{"swaggerVersion":"1.2","apis":[]}',
      /^: is Swagger 1.2; accepted are OpenAPI 3.0, 3.1 and 3.2 and/,
    ],
    ["AsyncAPI", "asyncapi: 3.0.0\ninfo: {title: t}", /^: is AsyncAPI 3.0.0; accepted are/],
    [
      "a Postman collection",
      '{"info":{"_postman_id":"1","name":"n"},"item":[]}',
      /^: is a Postman collection; accepted are/,
    ],
    [
      "a Postman collection of its API",
      '{"collection":{"info":{"schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}}}',
      /^: is a Postman collection;/,
    ],
    ["a GraphQL introspection", '{"data":{"__schema":{"types":[]}}}', /^: is a GraphQL schema; accepted are/],
    ["deeper than anything", `{"openapi":"3.1.0","info":${'{"a":'.repeat(300)}1${"}".repeat(300)}}`, /nested deeper/],
    ["a circle of YAML aliases", "openapi: 3.1.0\ninfo: &a {a: *a}\npaths: {}", /^: is not usable: a YAML alias/],
    [
      "a circle of them with many ways",
      "openapi: 3.1.0\ninfo: &a [*a, *a]\npaths: {}",
      /^: is not usable: a YAML alias/,
    ],
    ["more YAML aliases than anybody writes", aliases(10_001, 1), /^: has over 10,000 YAML aliases; use \$ref/],
    [
      "YAML whose aliases stand for more than anybody reads",
      aliases(900, 600),
      /^: has YAML aliases that stand for over 500,000 values more than are written; use \$ref in their place/,
    ],
    [
      "YAML 1.1 whose merge keys do",
      `%YAML 1.1\n---\n${merged("<<")}`,
      /^: has YAML aliases that stand for over 500,000/,
    ],
    ["YAML whose tagged merge keys do", merged("!!merge <<"), /^: has YAML aliases that stand for over 500,000/],
    [
      "more YAML anchors than anybody writes",
      `openapi: [${"&a 1,".repeat(10_001)}]`,
      /^: has over 10,000 YAML anchors/,
    ],
    [
      "YAML with a key twice",
      "openapi: 3.1.0\nopenapi: 3.1.0",
      /: is neither JSON nor YAML: the same key stands twice/,
    ],
    ["YAML with a key that is a list", "[a]: 1", /: has a key that is a list, a mapping or an alias; accepted: text/],
    ["YAML with a key that is an alias", "a: &a [1]\n*a : 1", /: has a key that is a list, a mapping or an alias/],
  ];
  test.each(cases)("namely %s, is refused and told what it is", async (_, text, expected) => {
    expect((await errorsOf(text)).join("\n")).toMatch(expected);
  });

  const bytes: readonly [string, Uint8Array, RegExp][] = [
    ["gzip", gzipSync("openapi: 3.1.0"), /^: is gzip-compressed; accepted: JSON or YAML text$/],
    [
      "UTF-16 with a mark",
      Buffer.from("\uFEFF{}", "utf16le"),
      /^: is not UTF-8; accepted: JSON or YAML text in UTF-8$/,
    ],
    ["UTF-16", Buffer.from("openapi: 3.1.0", "utf16le"), /^: is not UTF-8;/],
    ["a zip archive", Buffer.from("PK\x03\x04\x14\0"), /^: is a zip archive;/],
  ];
  test.each(bytes)("namely bytes of %s, is refused and told what it is", async (_, content, expected) => {
    expect(await errorsOf(new TextDecoder().decode(content))).toEqual([expect.stringMatching(expected)]);
  });

  test("namely with hundreds of aliases of one schema, is read: each tool has what they stand for", async () => {
    const result = await compileCatalog(aliases(100, 600), { app: "app", namespace: { disabled: true } });
    const tools = opened(result);
    expect(tools).toHaveLength(100);
    const [first] = tools;
    expect(Object.keys(first?.inputSchema.properties as object)).toHaveLength(600);
    for (const { inputSchema } of tools) expect(inputSchema.properties).toBe(first?.inputSchema.properties);
  });

  test("namely of YAML 1.1, has the values that JSON has: merge keys and tags copy and change nothing", () => {
    const text = "%YAML 1.1\n---\na: &a { b: yes }\nc: { <<: *a }\nd: !!binary AAAA\ne: !!timestamp 2026-01-01";
    const a = { b: "yes" };
    expect(parseText(text)).toEqual({ a, c: { "<<": a }, d: "AAAA", e: "2026-01-01" });
    expect(parseText("a: &a { b: 1 }\nc: { !!merge <<: *a }\nd: !!omap [x: *a]")).toEqual({
      a: { b: 1 },
      c: { "<<": { b: 1 } },
      d: [{ x: { b: 1 } }],
    });
  });

  test("namely without an operation, has no tools", async () => {
    expect((await compile({})).tools).toEqual([]);
    expect((await compile({ paths: { "/a": null, "/b": {} } })).tools).toEqual([]);
  });

  test("with empty values, lists for maps and tuples of older drafts is read as it is meant", async () => {
    const schema = {
      type: "array",
      items: [{ type: "string" }, { type: "object", properties: [], required: null, additionalProperties: null }],
    };
    const tool = await compileOperation("post", "/a", { parameters: null, requestBody: jsonBody(schema) });
    expect(tool.inputSchema.properties).toEqual({
      body: { type: "array", prefixItems: [{ type: "string" }, { type: "object" }] },
    });
  });

  test("with nullable where 3.1 has none of it admits null", async () => {
    const of = async (schema: object) =>
      (await compileOperation("post", "/a", { requestBody: jsonBody({ type: "array", items: schema }) })).inputSchema
        .properties;
    const items = (schema: object) => ({ body: { type: "array", items: schema } });
    expect(await of({ type: "string", nullable: true })).toEqual(items({ type: ["string", "null"] }));
    expect(await of({ enum: ["a"], nullable: true })).toEqual(items({ enum: ["a", null] }));
    expect(await of({ anyOf: [{ type: "string" }], description: "d", nullable: true })).toEqual(
      items({ description: "d", anyOf: [{ anyOf: [{ type: "string" }] }, { type: "null" }] }),
    );
  });

  test("with a bound beyond all numbers has none", async () => {
    const schema = '{"type":"number","maximum":1e999,"minimum":0}';
    const get = { parameters: [parameter("x", "query", { schema: "SCHEMA" })] };
    const text = JSON.stringify({ ...INFO, paths: { "/a": { get } } }).replace('"SCHEMA"', schema);
    const [tool] = opened(await compileCatalog(text, { app: "app", namespace: { disabled: true } }));
    expect(tool?.inputSchema.properties).toEqual({ x: { type: "number", minimum: 0 } });
  });

  test("with a discriminator takes what more than one of its schemas fits", async () => {
    const of = async (more: object) => {
      const schema = { oneOf: [{ properties: { kind: {} } }, { required: ["kind"] }], ...more };
      const { inputSchema } = await compileOperation("post", "/a", { requestBody: jsonBody(schema) });
      return createSchemaCheck()(inputSchema, { body: { kind: "a" } });
    };
    expect(await of({ discriminator: { propertyName: "kind" } })).toEqual([]);
    expect(await of({})).not.toEqual([]);
  });

  describe("with a closed object that requires a member which it does not have", () => {
    const closed = { type: "object", properties: { x: { type: "string" } }, additionalProperties: false };
    const schemas = {
      Impossible: { ...closed, required: ["x", "gone"] },
      Possible: { ...closed, required: ["x"] },
      Around: { type: "object", properties: { in: { $ref: "#/components/schemas/Impossible" } }, required: ["in"] },
    };
    const impossible = { $ref: "#/components/schemas/Impossible" };
    const possible = { $ref: "#/components/schemas/Possible" };
    const around = { $ref: "#/components/schemas/Around" };
    const inside = { properties: { in: possible } };
    const choice = { oneOf: [impossible, possible], discriminator: { propertyName: "x" } };
    const x = { x: "a" };

    test.each<[string, object, unknown]>([
      ["itself", schemas.Impossible, x],
      ["behind a reference", impossible, x],
      ["in composed objects", { allOf: [impossible] }, x],
      ["in a member", around, { in: x }],
      ["in one of several alternatives", { anyOf: [impossible, { type: "null" }] }, x],
      ["as what a discriminator chooses", choice, x],
      ["as an exact one of two", { oneOf: [schemas.Impossible, schemas.Possible] }, x],
      ["as an exact one of two, behind references", { oneOf: [impossible, possible] }, x],
      ["as an exact one of two, composed", { oneOf: [{ allOf: [impossible] }, { allOf: [possible] }] }, x],
      ["in a member of an exact one of two", { oneOf: [around, inside] }, { in: x }],
      ["as what is refused, behind a reference", { not: impossible }, x],
      ["as what is refused, composed", { not: { allOf: [schemas.Impossible] } }, x],
    ])("takes a value that is right without that member: %s", async (_, schema, value) => {
      // The first member refers to the same schema where nothing is an exact one: both stand in one tool.
      const properties = { also: impossible, value: schema };
      const operation = { requestBody: jsonBody({ type: "object", properties, required: ["value"] }) };
      const { inputSchema } = await compileOperation("post", "/a", operation, { schemas });
      expect(createSchemaCheck()(inputSchema, { also: x, value })).toEqual([]);
      expect(createSchemaCheck()(inputSchema, { also: { ...x, y: 1 }, value })).not.toEqual([]);
    });
  });

  test("with equal parameters twice has them once", async () => {
    const tool = await compileOperation("get", "/a", {
      parameters: [parameter("x", "query"), parameter("x", "query")],
    });
    expect(tool.request.parameters).toHaveLength(1);
  });

  test("with a schema of 200 KB and a thousand operations is compiled whole", async () => {
    const names = Array.from({ length: 2_000 }, (_, n) => `property_with_a_long_name_${n}_${"x".repeat(60)}`);
    const Large = { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) };
    expect(JSON.stringify(Large).length).toBeGreaterThan(200_000);
    const paths = Array.from({ length: 1_000 }, (_, n) => [`/a${n}`, { get: { operationId: `o${n}` } }]);
    const catalog = await compile({
      paths: {
        ...Object.fromEntries(paths),
        "/large": { post: { requestBody: jsonBody({ type: "array", items: { $ref: "#/components/schemas/Large" } }) } },
      },
      components: { schemas: { Large } },
    });
    expect([catalog.tools.length, catalog.leftOut]).toEqual([1_001, []]);
    expect(opened({ catalog }).at(-1)?.inputSchema).toMatchObject({ $defs: { Large } });
  });
});

describe("OpenAPI 3.2", () => {
  test("has the method QUERY and methods of one's own", async () => {
    const { tools, leftOut } = await compile({
      openapi: "3.2.0",
      paths: {
        "/a": {
          query: {
            operationId: "ask",
            requestBody: jsonBody({ type: "object", properties: { q: { type: "string" } } }),
          },
          additionalOperations: { COPY: { operationId: "copy" }, "bad method": {}, CONNECT: {} },
        },
      },
    });
    expect(tools.map(({ name, method, annotations }) => [name, method, annotations])).toEqual([
      ["ask", "QUERY", { readOnlyHint: true }],
      ["copy", "COPY", {}],
    ]);
    expect(leftOut).toEqual([
      { operation: "bad method /a", localName: "bad method_a", reason: "unsupported method" },
      { operation: "CONNECT /a", localName: "connect_a", reason: "unsupported method" },
    ]);
  });
});

describe("keys of a Path Item that are no methods", () => {
  test("are left out with the reason where an operation was meant", async () => {
    const { tools, leftOut } = await compile({
      paths: {
        "/a": { get: { operationId: "a" }, Post: { operationId: "b" }, "x-post": { operationId: "c" }, summary: "s" },
        "/b": { GET: {}, fetch: { operationId: "d" }, examples: { one: {} }, link: { responses: {} } },
      },
    });
    expect(tools.map(({ name }) => name)).toEqual(["a"]);
    expect(leftOut).toMatchObject([
      { operation: "POST /a", localName: "b", detail: "the key Post has to be in lower case: post" },
      { operation: "GET /b", detail: "the key GET has to be in lower case: get" },
      {
        operation: "fetch /b",
        reason: "invalid operation",
        detail: expect.stringMatching(
          /^the key fetch is no method of a Path Item; accepted: get, .*additionalOperations$/,
        ),
      },
      { operation: "link /b" },
    ]);
  });

  test("are the mistake of a document that has no others, also of Swagger", async () => {
    const paths = { "/f": { GET: { operationId: "f" } } };
    for (const version of [{ openapi: "3.1.0" }, { swagger: "2.0" }]) {
      const text = JSON.stringify({ ...version, info: { title: "t", version: "1" }, paths });
      expect(await compileCatalog(text, { app: "app", namespace: { disabled: true } })).toMatchObject({
        errors: [{ pointer: "/paths/~1f/GET", message: "the key GET has to be in lower case: get" }],
      });
    }
  });
});

/** A thousand mappings with a merge key for the same six hundred members. */
function merged(key: string): string {
  const members = Array.from({ length: 600 }, (_, n) => `p${n}: 1`).join(", ");
  return `a: &a { ${members} }\nall:\n${`- { ${key}: *a }\n`.repeat(1_000)}`;
}

/** Operations that have the same body of so many properties, written once. */
function aliases(operations: number, properties: number): string {
  const names = Array.from({ length: properties }, (_, n) => `p${n}: *text`).join(", ");
  const paths = Array.from({ length: operations }, (_, n) => {
    return `  /a${n}: { post: { requestBody: { content: { application/json: { schema: *body } } } } }`;
  });
  return [
    "openapi: 3.1.0",
    "info: { title: t, version: '1' }",
    "x-text: &text { $ref: '#/components/schemas/Text' }",
    `x-body: &body { type: object, properties: { ${names} } }`,
    "components: { schemas: { Text: { type: string, description: What somebody wrote. } } }",
    `paths:\n${paths.join("\n")}`,
  ].join("\n");
}
