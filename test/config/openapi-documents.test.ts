import { describe, expect, test } from "vitest";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { formatMessage } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";

const INFO = { openapi: "3.1.0", info: { title: "t", version: "1" }, servers: [{ url: "https://api.example" }] };
const UPLOADS = { servers: [{ url: "https://uploads.example" }], post: {} };

function compile(spec: object, files: Readonly<Record<string, string | object>>, openapi: object = {}) {
  const app = { name: "api", type: "mcpBridge", openapi: { spec, ...openapi } };
  const readDocument = async (uri: string) => {
    const file = files[uri];
    if (file === undefined) throw new Error("cannot be read: no such file");
    return typeof file === "string" ? file : JSON.stringify(file);
  };
  return compileConfiguration(JSON.stringify({ version: 1, apps: [app] }), {
    file: "conf/countersign.yaml",
    readDocument,
  });
}

/** What starting says about the document of the only app. */
async function warningsOf(result: Awaited<ReturnType<typeof compile>>): Promise<readonly string[]> {
  if ("errors" in result) throw new Error(result.errors.map(formatMessage).join("\n"));
  const secrets = environmentSecrets({})("env://S_");
  const { warnings } = await resolveConfiguration(result.artifact, { environment: {}, secrets, runtime: "node" });
  return warnings.filter(({ path }) => path === "apps[0].openapi").map(({ message }) => message);
}

describe("the OpenAPI document of an app", () => {
  test("has its parts read beside it", async () => {
    const result = await compile(
      { uri: "file://apis/books.json" },
      {
        "file://apis/books.json": { ...INFO, paths: { "/a": { $ref: "../paths/a.yaml" } } },
        "file://paths/a.yaml": "get: {operationId: getA}",
      },
    );
    expect("artifact" in result && result.artifact.catalogs.api?.tools.map(({ name }) => name)).toEqual(["api_getA"]);
  });

  test("that is refused has each mistake told in its own file", async () => {
    const result = await compile(
      { uri: "file://apis/books.json" },
      {
        "file://apis/books.json": {
          ...INFO,
          paths: { "/a": { $ref: "a.yaml" }, "/b": { $ref: "https://b.example/b.json?token=t" } },
        },
        "file://apis/a.yaml": "get:\n  parameters:\n    - {name: x}\n",
        "https://b.example/b.json?token=t": '{"get": []}',
      },
    );
    expect("errors" in result && result.errors.map(formatMessage)).toEqual([
      "conf/apis/a.yaml:3:7: /get/parameters/0/in: is required",
      "https://b.example/b.json:1:2: /get: an operation is an object",
    ]);
  });

  test("that stands in the configuration has the mistakes of its parts told in their files", async () => {
    const data = JSON.stringify({ ...INFO, paths: { "/a": { $ref: "a.yaml" }, "/b": { $ref: "b.yaml" } } });
    const result = await compile({ data }, { "file://a.yaml": "get: []" });
    expect("errors" in result && result.errors.map(formatMessage)).toEqual([
      expect.stringMatching(
        /^conf\/countersign\.yaml:.*: \/paths\/~1b: the reference b\.yaml leads to a document that cannot be read: no such file$/,
      ),
      "conf/a.yaml:1:1: /get: an operation is an object",
    ]);
  });

  test("with invalid operations starts without them, with a warning", async () => {
    const broken = { get: { parameters: [{}] } };
    const paths = { "/good": { get: {} }, "/a": broken, "/b": broken, "/c": broken, "/d": broken };
    const result = await compile({ uri: "file://a.json" }, { "file://a.json": { ...INFO, paths } });
    expect(await warningsOf(result)).toEqual([
      expect.stringMatching(
        /^4 of 5 operations of the OpenAPI document are no tools, because they are invalid: GET \/a: \/paths\/~1a\/get\/.*: is required; .*; GET \/c: .*; … see `countersign tools`$/,
      ),
    ]);
  });

  test("tells of a mistake that several operations share once", async () => {
    const gone = { $ref: "gone.yaml" };
    const paths = { "/good": { get: {} }, "/a": gone, "/b": gone, "/c": { get: [] } };
    const result = await compile({ uri: "file://a.json" }, { "file://a.json": { ...INFO, paths } });
    expect(await warningsOf(result)).toEqual([
      expect.stringMatching(
        / invalid: \* \/a: the reference gone\.yaml [^;]*; GET \/c: an operation is an object; … see/,
      ),
    ]);
  });

  test("with mistakes that cost a tool less than itself starts, with a warning for each kind", async () => {
    const get = {
      parameters: [{ name: "page", in: "querry" }],
      responses: { 200: { $ref: "#/components/responses/Gone" } },
    };
    // A place is a mistake for itself, a parameter is the same one everywhere.
    const paths = Object.fromEntries(["/a", "/b", "/c", "/d", "/e"].map((path) => [path, { get }]));
    const result = await compile({ uri: "file://a.json" }, { "file://a.json": { ...INFO, paths } });
    expect(await warningsOf(result)).toEqual([
      expect.stringMatching(
        /^5 tools lack output schemas, because .* are invalid: GET \/a: \/paths\/~1a\/get\/responses\/200: the reference #\/components\/responses\/Gone leads nowhere; GET \/b: .*; GET \/c: .*; and 2 more$/,
      ),
      expect.stringMatching(
        /^5 tools lack arguments, because .*: GET \/a: "page" is in "querry"; did you mean "query"\?; and 4 more$/,
      ),
    ]);
  });

  test.each([
    [{}, "the OpenAPI document has no operations under paths: there are no tools"],
    [{ paths: { "/a": {} } }, "the OpenAPI document has no operations under paths: there are no tools"],
    [
      { paths: { "/a": { trace: {} } } },
      "the OpenAPI document has no operation that can be a tool: there are no tools",
    ],
  ])("without tools, such as %j, starts with a warning", async (document, warning) => {
    const result = await compile({ uri: "file://a.json" }, { "file://a.json": { ...INFO, ...document } });
    expect(await warningsOf(result)).toEqual([warning]);
  });

  test.each([
    [
      "/v1",
      'the server of the OpenAPI document, "/v1", is no absolute URL; accepted: an http or https URL, here one that ends in /v1',
    ],
    [
      "{host}/v1",
      'the server of the OpenAPI document, "{host}/v1", is no absolute URL; accepted: an http or https URL',
    ],
    ["https://user:hunter2@a.example", "the OpenAPI document names no server; accepted: an http or https URL"],
    [undefined, "the OpenAPI document names no server; accepted: an http or https URL"],
  ])("whose server is %s needs openapi.baseURL, and says what it found", async (url, message) => {
    const document = { ...INFO, servers: url === undefined ? undefined : [{ url }], paths: {} };
    const result = await compile({ uri: "file://a.json" }, { "file://a.json": document });
    expect("errors" in result && result.errors.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      `apps[0].openapi.baseURL: required: ${message}`,
    ]);
  });

  test("that is no file is told of once, however many references lead there, as they are written", async () => {
    const reference = { $ref: "../gone%20a.yaml#/get?x" };
    const paths = { "/a": { get: reference }, "/b": { get: reference } };
    const result = await compile({ uri: "file://apis/a.json" }, { "file://apis/a.json": { ...INFO, paths } });
    expect("errors" in result && result.errors.map(formatMessage)).toEqual([
      expect.stringMatching(
        /^conf\/apis\/a\.json:1:\d+: \/paths\/~1a\/get: the reference \.\.\/gone%20a\.yaml#\/get\?x leads to gone a\.yaml, which cannot be read: no such file$/,
      ),
    ]);
  });

  test("names the servers of operations, unless the configuration says where the API is", async () => {
    const files = { "file://a.json": { ...INFO, paths: { "/upload": UPLOADS } } };
    const documents = await compile({ uri: "file://a.json" }, files);
    const configured = await compile({ uri: "file://a.json" }, files, { baseURL: "https://own.example" });
    expect(JSON.stringify("artifact" in documents && documents.artifact.catalogs)).toContain("https://uploads.example");
    expect(JSON.stringify("artifact" in configured && configured.artifact.catalogs)).not.toContain("uploads.example");
  });
});
