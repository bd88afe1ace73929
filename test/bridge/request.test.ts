import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";
import { buildRequest } from "../../lib/openapi/request.ts";
import { compileOperation, jsonBody, parameter } from "./compiled.ts";

const BASE = "https://api.example/v1";

function requestOf(tool: BridgeTool, given: Readonly<Record<string, unknown>>) {
  return buildRequest(BASE, tool.request, given);
}

describe("28. path parameters cannot escape their segment", () => {
  const read = () => compileOperation("get", "/files/{name}/meta", { parameters: [parameter("name", "path")] });

  const escapes = ["..", ".", "../admin", "a/../../b", "..\\admin", "%2e%2e", "%2E.", "..%2fadmin", "..%5cadmin"];
  test.each([...escapes, "%252e%252e%252fadmin", "", "a\r\nb", "a\u0000b", "\ud800"])("%j is refused", async (name) => {
    const tool = await read();
    expect(() => requestOf(tool, { name })).toThrow(/^name: /);
  });

  test.each([
    ["a/b", "/v1/files/a%2Fb/meta"],
    ["a\\b", "/v1/files/a%5Cb/meta"],
    ["a%2fb", "/v1/files/a%252fb/meta"],
    ["a?b#c", "/v1/files/a%3Fb%23c/meta"],
    ["...", "/v1/files/.../meta"],
    ["a..b", "/v1/files/a..b/meta"],
    ["ä €", "/v1/files/%C3%A4%20%E2%82%AC/meta"],
    ["{name}", "/v1/files/%7Bname%7D/meta"],
    ["$&", "/v1/files/%24%26/meta"],
  ])("%j stays one segment", async (name, path) => {
    const { url } = requestOf(await read(), { name });
    expect(new URL(url).pathname).toBe(path);
  });

  test("two parameters in one segment cannot make a way up together", async () => {
    const parameters = [parameter("a", "path"), parameter("b", "path")];
    const tool = await compileOperation("get", "/x/{a}{b}", { parameters });
    expect(() => requestOf(tool, { a: "%2", b: "e." })).toThrow(/^path: must not contain the path segments/);
    const dotted = await compileOperation("get", "/x/.{a}", { parameters: [parameter("a", "path")] });
    expect(new URL(requestOf(dotted, { a: "b" }).url).pathname).toBe("/v1/x/.b");
  });

  test("a value that continues the host's name does not leave the API", async () => {
    const tool = await compileOperation("get", "/{name}", { parameters: [parameter("name", "path")] });
    const request = { ...tool.request, path: "{name}" };
    const build = () => buildRequest("https://api.example", request, { name: ".elsewhere.example" });
    expect(build).toThrow("path: leaves the API");
  });

  test("whatever the value is, the path keeps its segments", async () => {
    const tool = await read();
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(".", "/", "\\", "%", "2", "e", "f") })),
        (name) => {
          const path = pathOrRefusal(tool, name);
          if (path === undefined) return;
          const segments = path.split("/");
          expect(segments).toHaveLength(5);
          expect(segments[2]).toBe("files");
          expect(decodeURIComponent(segments[3] ?? "")).toBe(name);
        },
      ),
    );
  });

  test.each(["a\r\nX-Admin: 1", "a\nb", "a\u0000", "€"])("a header value %j is refused", async (trace) => {
    const tool = await compileOperation("get", "/a", { parameters: [parameter("X-Trace", "header")] });
    expect(() => requestOf(tool, { "X-Trace": trace })).toThrow(/^X-Trace: cannot be sent in an HTTP header/);
  });
});

describe("from arguments to a request", () => {
  test("query parameters follow the form style", async () => {
    const array = { type: "array", items: { type: "string" } };
    const tool = await compileOperation("get", "/a", {
      parameters: [
        parameter("tag", "query", { schema: array }),
        parameter("ids", "query", { schema: array, explode: false }),
        parameter("where", "query", { schema: { type: "object" } }),
        parameter("pair", "query", { schema: { type: "object" }, explode: false }),
        parameter("q[]", "query"),
      ],
    });
    const [, , , , odd] = tool.request.parameters;
    const { url } = requestOf(tool, {
      tag: ["a&b", "c"],
      ids: [1, "2,3"],
      where: { color: "red", size: 5 },
      pair: { x: 1, y: true },
      [odd?.argument ?? ""]: "ü",
    });
    expect(new URL(url).search).toBe("?tag=a%26b&tag=c&ids=1,2%2C3&color=red&size=5&pair=x,1,y,true&q%5B%5D=%C3%BC");
  });

  test("only given properties are in the body, under their own names", async () => {
    const tool = await compileOperation("post", "/a", {
      requestBody: jsonBody({ type: "object", properties: { $a: {}, b: {}, __proto__: {} } }),
    });
    const [alias = ""] = Object.keys(tool.request.body?.names ?? {});
    const { body, headers } = requestOf(tool, { [alias]: 1 });
    expect(body).toBe('{"$a":1}');
    expect(headers["content-type"]).toBe("application/json");
  });

  test("an optional body that nobody gave is not sent, a required one is an empty object", async () => {
    const schema = { type: "object", properties: { a: {} } };
    const optional = await compileOperation("post", "/a", { requestBody: jsonBody(schema, false) });
    expect(requestOf(optional, {})).toMatchObject({ body: undefined });
    expect(requestOf(optional, {}).headers).not.toHaveProperty("content-type");
    const required = await compileOperation("post", "/a", { requestBody: jsonBody(schema) });
    expect(requestOf(required, {}).body).toBe("{}");
  });

  test("24. a declared header cannot replace ours", async () => {
    const tool = await compileOperation("get", "/a", {
      parameters: ["Authorization", "Accept", "Content-Type"].map((name) => parameter(name, "header")),
      responses: { 200: { content: { "application/json": {} } } },
    });
    expect(tool.request.parameters).toEqual([]);
    expect(requestOf(tool, { Authorization: "Bearer x" }).headers).toEqual({
      accept: "application/json",
      "user-agent": "Countersign",
    });
  });

  test("a missing path parameter is refused by name", async () => {
    const tool = await compileOperation("get", "/a/{id}", { parameters: [parameter("id", "path")] });
    expect(() => requestOf(tool, {})).toThrow("id: is required");
  });
});

function pathOrRefusal(tool: BridgeTool, name: string): string | undefined {
  try {
    return new URL(requestOf(tool, { name }).url).pathname;
  } catch (cause) {
    if (cause instanceof Error && cause.name === "RequestError") return undefined;
    throw cause;
  }
}
