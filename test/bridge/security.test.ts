import { describe, expect, test } from "vitest";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { carry } from "../../lib/openapi/invoke.ts";
import { createOpenTool } from "../../lib/openapi/open-tool.ts";

const INFO = { info: { title: "t", version: "1" } };
const operation = (more: object = {}) => ({ responses: { 200: { description: "Fine." } }, ...more });

async function compiled(document: object, schemes: readonly string[] = []) {
  const provided = { schemes, headers: [] };
  const options = { app: "app", namespace: { disabled: true }, provided };
  const result = await compileCatalog(JSON.stringify({ ...INFO, ...document }), options);
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  const open = createOpenTool(result.catalog);
  return { ...result, opened: result.catalog.tools.map(open) };
}

describe("what a document asks for", () => {
  const schemes = {
    key: { type: "apiKey", in: "header", name: "X-Key" },
    other: { type: "apiKey", in: "header", name: "x-key" },
    bearer: { $ref: "#/components/securitySchemes/oauth" },
    oauth: { type: "oauth2", flows: {} },
    gone: { $ref: "#/gone" },
    certificate: { type: "mutualTLS" },
  };
  const asking = (security: unknown, configured: readonly string[] = [], more: object = {}) => {
    const paths = { "/a": { get: operation({ operationId: "a", security, ...more }) } };
    return compiled({ openapi: "3.1.0", paths, components: { securitySchemes: schemes } }, configured);
  };

  test.each([
    ["nothing", [], undefined],
    ["nothing by an alternative", [{}], undefined],
    ["a certificate alone", [{ certificate: [] }], undefined],
    ["a list of no objects", ["key"], undefined],
    ["one of two", [{ key: [] }, { bearer: ["read"], certificate: [] }], [["key"], ["bearer"]]],
    ["what is not defined", [{ nobody: [] }], [["nobody"]]],
  ])("%s", async (_, security, expected) => {
    const { opened, catalog } = await asking(security);
    expect(opened[0]?.request.security).toEqual(expected);
    expect(catalog.security).toEqual(
      expected === undefined ? undefined : [{ alternatives: expected, count: 1, example: "a" }],
    );
  });

  test("is in the catalog with the schemes that calls can carry", async () => {
    const { catalog, schemes: defined } = await asking([{ key: [], gone: [] }, { bearer: [] }]);
    expect(catalog.securitySchemes).toEqual({
      key: { kind: "apiKey", in: "header", name: "X-Key" },
      bearer: { kind: "bearer" },
    });
    expect(defined.get("gone")).toEqual({ kind: "unsupported", what: "not a valid Security Scheme Object" });
  });

  test("is one key a place: the operation's own, else the first that is configured", async () => {
    const parameters = [{ name: "X-KEY", in: "header", required: true, schema: { type: "string" } }];
    const [other] = (await asking([{ other: [] }], ["key", "other"], { parameters })).opened;
    expect(other?.request).toMatchObject({ security: [["other"]], parameters: [] });
    const [none] = (await asking([], ["key", "other"], { parameters })).opened;
    expect(none?.request).toMatchObject({ security: [["key"]], parameters: [] });
    expect(none?.inputSchema.properties).toEqual({});
  });

  test("is read from Swagger 2.0 as well", async () => {
    const { catalog } = await compiled({
      swagger: "2.0",
      host: "a.example",
      securityDefinitions: {
        basic: { type: "basic" },
        key: { type: "apiKey", in: "query", name: "key" },
        oauth: { type: "oauth2", flow: "application", tokenUrl: "https://a.example/token", scopes: {} },
      },
      security: [{ basic: [] }, { key: [] }, { oauth: [] }],
      paths: { "/a": { get: operation() } },
    });
    expect(catalog.securitySchemes).toEqual({
      basic: { kind: "basic" },
      key: { kind: "apiKey", in: "query", name: "key" },
      oauth: { kind: "bearer" },
    });
  });
});

describe("24. what a request carries", () => {
  const request = { url: "https://a.example/x?a=b%20c&key=1&%6Bey=2&b", method: "GET", headers: {}, body: undefined };

  test("takes the place of what arguments made, however that is written, and leaves the rest as it is", () => {
    expect(carry(request, { headers: {}, query: [["key", "ours &"]] }).url).toBe(
      "https://a.example/x?a=b%20c&b&key=ours%20%26",
    );
    expect(carry({ ...request, url: "https://a.example/x" }, { headers: {}, query: [["k[]", "1"]] }).url).toBe(
      "https://a.example/x?k%5B%5D=1",
    );
    const headers = { cookie: "a=1; key=mine; keys=2", "x-a": "mine", accept: "*/*" };
    expect(carry({ ...request, headers }, { headers: { "x-a": "ours" }, cookies: [["key", "o;=1"]] }).headers).toEqual({
      cookie: "a=1; keys=2; key=o%3B%3D1",
      "x-a": "ours",
      accept: "*/*",
    });
  });

  test("is nothing where nothing is configured", () => {
    expect(carry(request, { headers: {} })).toEqual(request);
  });
});
