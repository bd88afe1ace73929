import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentReader } from "../../infra/node/files/read-document.ts";
import { openFetch } from "../../infra/node/net/open-fetch.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { INLINE } from "../../lib/openapi/documents/document-uri.ts";
import { type DocumentServer, openDocumentServer } from "../support/document-server.ts";
import { opened } from "./compiled.ts";

let folder: string;
let server: DocumentServer;
let host: string;
let fetch: typeof globalThis.fetch;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "documents-"));
  server = await openDocumentServer(["localhost"]);
  host = `https://localhost:${server.port}`;
  write({ "ca.pem": server.ca });
  fetch = openFetch({})({ caFile: join(folder, "ca.pem") });
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

function write(files: Readonly<Record<string, string | object>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

function serve(documents: Readonly<Record<string, object>>): void {
  for (const [path, document] of Object.entries(documents)) server.serve(host + path, document);
}

async function compileAt(uri: string, text?: string) {
  const read = documentReader(folder, fetch);
  const answer = text ?? (await read(uri));
  const found = typeof answer === "string" ? { text: answer, uri } : answer;
  const source = { uri: found.uri, read };
  return compileCatalog(found.text, { app: "app", namespace: { disabled: true }, source });
}

const INFO = { openapi: "3.1.0", info: { title: "t", version: "1" }, servers: [{ url: "https://api.example" }] };
const body = ($ref: string) => ({ content: { "application/json": { schema: { type: "array", items: { $ref } } } } });
const post = ($ref: string) => ({ post: { requestBody: body($ref) } });

describe("a document of many files", () => {
  test("is read as one: schemas, parameters, path items and whole maps in files, over files, in circles", async () => {
    write({
      "api/openapi.yaml": `openapi: 3.0.3
info: {title: t, version: "1"}
paths:
  /users: {$ref: paths/users.yaml}
  /orders/{id}: {$ref: "./paths/orders.json#/~1orders~1{id}"}
components: {schemas: {$ref: schemas/index.yaml}}
`,
      "api/paths/users.yaml": `post:
  operationId: createUser
  parameters: [{$ref: ../parameters.yaml#/page}]
  requestBody: {required: true, content: {application/json: {schema: {$ref: "../openapi.yaml#/components/schemas/User"}}}}
  responses: {200: {$ref: "../responses.yaml#/User"}}
`,
      "api/paths/orders.json": {
        "/orders/{id}": {
          parameters: [{ name: "id", in: "path", required: true, schema: { $ref: "#/Id" } }],
          get: { operationId: "getOrder" },
        },
        Id: { type: "integer" },
      },
      "api/parameters.yaml": "page: {name: page, in: query, schema: {type: integer, nullable: true}}",
      "api/responses.yaml": `User: {description: ok, content: {application/json: {schema: {$ref: schemas/user.yaml}}}}`,
      "api/schemas/index.yaml": "User: {$ref: ./user.yaml}",
      "api/schemas/user.yaml": `type: object
required: [name]
properties:
  name: {type: string}
  group: {$ref: "group%20name.yaml#/Group"}
  friend: {$ref: "#"}
`,
      "api/schemas/group name.yaml":
        "Group: {type: object, properties: {owner: {$ref: user.yaml}, next: {$ref: '#/Group'}}}",
    });
    const result = await compileAt("file://api/openapi.yaml");
    expect("errors" in result && result.errors).toBe(false);
    const [user, order] = opened(result);
    expect(user?.inputSchema).toMatchObject({
      required: ["name"],
      properties: {
        page: { type: ["integer", "null"] },
        name: { type: "string" },
        group: { $ref: "#/$defs/Group" },
        friend: { $ref: "#/$defs/user" },
      },
    });
    expect(user?.inputSchema.$defs).toMatchObject({ Group: { properties: { next: { $ref: "#/$defs/Group" } } } });
    expect(user?.outputSchema).toMatchObject({ properties: { name: {} } });
    expect(order?.inputSchema).toMatchObject({
      properties: { id: { $ref: "#/$defs/Id" } },
      $defs: { Id: { type: "integer" } },
    });
  });

  test("of Swagger 2.0 has its parts read as such", async () => {
    write({
      "swagger/api.json": {
        swagger: "2.0",
        info: {},
        paths: { "/a": { $ref: "paths.json#/a" } },
      },
      "swagger/paths.json": {
        a: {
          post: {
            parameters: [
              { $ref: "#/parameters/list" },
              { name: "b", in: "body", required: true, schema: { $ref: "../swagger/schemas.json#/definitions/Pet" } },
            ],
          },
        },
        parameters: { list: { name: "x", in: "query", type: "array", items: { type: "string" } } },
      },
      "swagger/schemas.json": {
        definitions: { Pet: { type: "object", properties: { name: { type: "string", "x-nullable": true } } } },
      },
    });
    const [tool] = opened(await compileAt("file://swagger/api.json"));
    expect(tool?.inputSchema.properties).toMatchObject({ name: { type: ["string", "null"] }, x: { type: "array" } });
    expect(tool?.request.parameters).toMatchObject([{ name: "x", explode: false }]);
  });

  test("may stand in the configuration: its files are beside that", async () => {
    write({ "beside.yaml": "Name: {type: boolean}" });
    const text = JSON.stringify({ ...INFO, paths: { "/a": post("./beside.yaml#/Name") } });
    expect(opened(await compileAt(INLINE, text))[0]?.inputSchema.$defs).toEqual({ Name: { type: "boolean" } });
  });

  test("of which one is missing or wrong loses the operations that need it, and says why", async () => {
    write({
      "broken/openapi.json": {
        ...INFO,
        paths: {
          "/good": { get: {} },
          "/missing": post("missing.yaml#/X"),
          "/empty": post("part.yaml#/Nothing"),
          "/bad": post("part.yaml#/Bad"),
          "/syntax": post("syntax.yaml"),
          "/page": post("page.html"),
          "/http": post("http://agent.example/x.json"),
          "/ftp": post("ftp://agent.example/x.json"),
          "/host": post("//agent.example/x.json"),
        },
      },
      "broken/part.yaml": "Bad: {properties: {x: 5}}",
      "broken/syntax.yaml": "a: [",
      "broken/page.html": "<html></html>",
    });
    const result = await compileAt("file://broken/openapi.json");
    const leftOut = "catalog" in result ? result.catalog.leftOut : [];
    const itself = /\/paths\/[^:]*\/items: /;
    expect(leftOut.map(({ operation, detail }) => `${operation}: ${detail?.replace(itself, "")}`)).toEqual([
      "POST /missing: the reference missing.yaml#/X leads to broken/missing.yaml, which cannot be read: no such file or folder",
      "POST /empty: the reference broken/part.yaml#/Nothing leads nowhere",
      "POST /bad: broken/part.yaml#/Bad/properties/x: a schema is an object or a boolean",
      expect.stringMatching(
        / syntax\.yaml leads to broken\/syntax\.yaml, which is neither JSON nor YAML: .* \(line 1\)$/,
      ),
      expect.stringContaining("page.html leads to broken/page.html, which is an HTML page"),
      expect.stringContaining(
        "http://agent.example/x.json leads to a document that would be read without TLS; accepted: https",
      ),
      expect.stringContaining("ftp is not supported; accepted: files and https"),
      expect.stringContaining("has a host and no scheme"),
    ]);
    expect(server.requests).toEqual([]);
  });

  test("that is refused tells of each mistake in its own file", async () => {
    write({
      "refused/openapi.yaml": `openapi: 3.1.0
info: {title: t, version: "1"}
paths:
  /a: {$ref: paths.yaml#/a}
  /b:
    post:
      requestBody: {content: {application/json: {schema: {$ref: "syntax.yaml"}}}}
`,
      "refused/paths.yaml": "a:\n  get:\n    parameters:\n      - {in: query}\n",
      "refused/syntax.yaml": "x: y\na: [",
    });
    const result = await compileAt("file://refused/openapi.yaml");
    const errors = "errors" in result ? result.errors : [];
    expect(
      errors.map(({ document = "", line, column, pointer }) => `${document}:${line}:${column} ${pointer}`),
    ).toEqual([
      "file://refused/paths.yaml:4:9 /a/get/parameters/0/name",
      expect.stringMatching(/^file:\/\/refused\/syntax\.yaml:2:\d+ $/),
    ]);
  });
});

describe("a document at a URL", () => {
  test("has its parts beside it, where it was found after redirects, and its server", async () => {
    server.serve(`${host}/latest.json`, (_, response) =>
      response.writeHead(302, { Location: "/v2/openapi.json" }).end(),
    );
    serve({
      "/v2/openapi.json": {
        ...INFO,
        info: { "x-y": { minLength: 1 } },
        servers: [{ url: "../api" }],
        paths: { "/a": post("parts/x.json#/X") },
      },
      "/v2/parts/x.json": { X: { allOf: [{ $ref: "y.json" }, { $ref: "/v2/openapi.json#/info/x-y" }] } },
      "/v2/parts/y.json": { type: "string" },
    });
    const result = await compileAt(`${host}/latest.json`);
    expect(opened(result)[0]?.inputSchema.$defs).toMatchObject({ "x-y": { minLength: 1 }, y: { type: "string" } });
    expect(result).toMatchObject({ serverURL: `${host}/api` });
  });

  test("cannot make us read files or read without TLS", async () => {
    write({ "secret.yaml": "Secret: {type: string, const: hunter2}" });
    const references = [
      `file://${folder}/secret.yaml#/Secret`,
      "file://secret.yaml#/Secret",
      "http://agent.example/x.json",
    ];
    const paths = references.map((reference, index) => [`/a${index}`, post(reference)]);
    const bound = {
      ...INFO,
      paths: { "/good": { get: {} }, ...Object.fromEntries(paths), "/part": post("part.json") },
    };
    serve({ "/bound.json": bound, "/part.json": { $ref: `file://${folder}/secret.yaml#/Secret` } });
    const result = await compileAt(`${host}/bound.json`);
    const leftOut = "catalog" in result ? result.catalog.leftOut : [];
    expect(leftOut.map(({ detail = "" }) => /is a file, which|without TLS/.exec(detail)?.[0])).toEqual([
      ...["is a file, which", "is a file, which", "without TLS", "is a file, which"],
    ]);
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  test("is read with all its parts within bounds", async () => {
    const read: string[] = [];
    const chain = {
      uri: `${host}/0`,
      read: async (uri: string) => {
        read.push(uri);
        return JSON.stringify({ $ref: `${host}/${Number(new URL(uri).pathname.slice(1)) + 1}` });
      },
    };
    const text = JSON.stringify({ ...INFO, paths: { "/good": { get: {} }, "/a": post("1") } });
    const result = await compileCatalog(text, { app: "app", namespace: { disabled: true }, source: chain });
    expect("catalog" in result && result.catalog.leftOut[0]?.detail).toMatch(
      /is not read: there are over 500 documents/,
    );
    expect(read).toHaveLength(499);
    const long = { uri: `${host}/0`, read: async () => "#".repeat(64 * 1024 * 1024) };
    const tooLong = await compileCatalog(text, { app: "app", namespace: { disabled: true }, source: long });
    expect("catalog" in tooLong && tooLong.catalog.leftOut[0]?.detail).toMatch(
      /all documents have over \d+ characters/,
    );
  });
});
