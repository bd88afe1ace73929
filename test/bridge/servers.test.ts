import { describe, expect, test } from "vitest";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { invokeOperation } from "../../lib/openapi/invoke.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { opened } from "./compiled.ts";

const read = () => Promise.reject(new Error("is not there"));

async function compiled(document: object, options: { uri?: string; hasBaseURL?: boolean } = {}) {
  const { uri = "file://api.json", ...rest } = options;
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, ...document });
  return compileCatalog(text, { app: "app", namespace: { disabled: true }, source: { uri, read }, ...rest });
}

async function serverOf(servers: unknown, uri?: string): Promise<string | undefined> {
  const result = await compiled({ servers, paths: {} }, uri === undefined ? {} : { uri });
  return "catalog" in result ? result.serverURL : "refused";
}

describe("the server of a document", () => {
  test.each([
    [[{ url: "https://api.example/v1/" }], "https://api.example/v1"],
    [[{ url: "ftp://api.example" }, { url: "https://b.example" }], "https://b.example"],
    [[{ url: "https://user:password@api.example" }], undefined],
    [[{ url: "/v1" }], undefined],
    [[{ url: "//api.example/v1" }], "https://api.example/v1"],
    [
      [{ url: "https://{region}.example:{port}", variables: { region: { default: "eu" }, port: { default: 8443 } } }],
      "https://eu.example:8443",
    ],
    [[{ url: "https://{region}.example" }], undefined],
    [[{}, 5, null], undefined],
    [undefined, undefined],
  ])("%j is %s", async (servers, url) => {
    expect(await serverOf(servers)).toBe(url);
  });

  test("is resolved against the URL of the document", async () => {
    expect(await serverOf([{ url: "../v1" }], "https://docs.example/api/openapi.json?x=1")).toBe(
      "https://docs.example/v1",
    );
    expect(await serverOf([], "https://docs.example/api/openapi.json")).toBe("https://docs.example");
  });
});

describe("an operation with a server of its own", () => {
  const servers = [{ url: "https://api.example/v1" }];
  const document = {
    servers,
    paths: {
      "/a": { get: {} },
      "/upload": { servers: [{ url: "https://uploads.example/" }], post: {}, get: { servers: [{ url: "/v2" }] } },
      "/plain": { get: { servers: [{ url: "http://api.example" }] } },
      "/same": { get: { servers } },
      "/odd": { get: { servers: [{ url: "mailto:a@b.example" }] } },
    },
  };
  const places = (result: Awaited<ReturnType<typeof compiled>>) =>
    opened(result).map(({ method, path, request }) => [`${method} ${path}`, request.baseURL]);

  test("is called there, but never without TLS where the document has it", async () => {
    expect(places(await compiled(document))).toEqual([
      ["GET /a", undefined],
      ["GET /upload", "https://api.example/v2"],
      ["POST /upload", "https://uploads.example"],
      ["GET /plain", undefined],
      ["GET /same", undefined],
      ["GET /odd", undefined],
    ]);
  });

  test("is called where the configuration says, if it does", async () => {
    const found = places(await compiled(document, { hasBaseURL: true }));
    expect(found.every(([, baseURL]) => baseURL === undefined)).toBe(true);
  });

  test("has its request go there", async () => {
    const tool = opened(await compiled(document)).find(({ path, method }) => path === "/upload" && method === "POST");
    const urls: string[] = [];
    const fetch = async (url: unknown) => {
      urls.push(String(url));
      return new Response("done");
    };
    const target = { baseURL: "https://api.example/v1", timeout: 1000, headers: {}, check: createSchemaCheck() };
    const signal = new AbortController().signal;
    await invokeOperation(
      tool as NonNullable<typeof tool>,
      {},
      { ...target, fetch: fetch as typeof globalThis.fetch, signal },
    );
    expect(urls).toEqual(["https://uploads.example/upload"]);
  });
});
