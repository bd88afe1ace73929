import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { CONSOLE_FILES } from "../support/console-build.ts";
import { type RawAnswer, type RawRequest, rawRequest } from "../support/raw-request.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";

const SCRIPT = "assets/index-BtR1x9Qz.js";
const FOR_EVER = "public, max-age=31536000, immutable";

/** The pages of the Console, with `tinyConsole` deployed. */
export function consoleAssets({ name }: RuntimeUnderTest, regions: () => RunningRegions): void {
  const get = (path: string, headers: RawRequest["headers"] = {}) => rawRequest(regions().us.url, { path, headers });

  describe("pages of the Console", () => {
    documents(get, regions);
    files(get);
    if (name !== "workerd") compressed(get);
    nothingElse(get, regions);
  });
}

type Get = (path: string, headers?: RawRequest["headers"]) => Promise<RawAnswer>;

function documents(get: Get, regions: () => RunningRegions): void {
  test.each([
    "/console/",
    "/console/index.html",
    "/console/sign-in?x=1.js",
    "/console/api-clients/client_1/",
    "/console/a%20b",
  ])("GET %s is the document, with the policy that a Console needs and no more", async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    const nonce = /nonce-([\w-]{22})'/.exec(headers["content-security-policy"] as string)?.[1] as string;
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
    expect(body.toString()).toBe(CONSOLE_FILES["index.html"].replaceAll("__CSP_NONCE__", nonce));
  });

  test("no two answers have the same nonce", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get("/console/")));
    expect(new Set(answers.map(({ headers }) => headers["content-security-policy"])).size).toBe(20);
  });

  test("HEAD is answered like GET, without a body", async () => {
    const head = await rawRequest(regions().us.url, { path: "/console/", method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(head.body).toHaveLength(0);
    const script = await rawRequest(regions().us.url, { path: `/console/${SCRIPT}`, method: "HEAD" });
    expect(script).toMatchObject({ status: 200, headers: { "cache-control": FOR_EVER } });
    expect(script.body).toHaveLength(0);
  });

  test.each(["/", "/console"])("GET %s leads to where the Console begins", async (path) => {
    const { status, headers } = await get(path);
    expect({ status, location: headers.location }).toEqual({ status: 302, location: "/console/" });
  });
}

function files(get: Get): void {
  test.each([
    [SCRIPT, "text/javascript; charset=utf-8", FOR_EVER],
    ["assets/_shared-D4-eWq_7.css", "text/css; charset=utf-8", FOR_EVER],
    ["favicon.svg", "image/svg+xml", "no-cache"],
  ] as const)("%s comes as it was built, and not again to those who have it", async (path, type, cacheControl) => {
    const { status, headers, body } = await get(`/console/${path}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "content-type": type, "cache-control": cacheControl });
    expect(headers).not.toHaveProperty("content-encoding");
    // A worker takes its policy from its own script.
    const policy = path === SCRIPT ? "default-src 'none'; script-src 'self'; connect-src https:" : undefined;
    expect(headers["content-security-policy"]).toBe(policy);
    expect(body.toString()).toBe(CONSOLE_FILES[path]);
    const etag = headers.etag as string;
    expect(etag).toMatch(/^(W\/)?"[\w-]+"$/);
    for (const known of [etag, `W/${etag.replace("W/", "")}`, `"other", ${etag}`, "*"]) {
      const again = await get(`/console/${path}`, { "If-None-Match": known });
      expect(again).toMatchObject({ status: 304, headers: { "cache-control": cacheControl } });
      expect(again.body).toHaveLength(0);
    }
    expect((await get(`/console/${path}`, { "If-None-Match": '"other"' })).status).toBe(200);
  });
}

function compressed(get: Get): void {
  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0, *", "gzip"],
  ])("with Accept-Encoding %s a script comes as %s, under a tag of its own", async (accepted, expected) => {
    const plain = await get(`/console/${SCRIPT}`);
    const { headers, body } = await get(`/console/${SCRIPT}`, { "Accept-Encoding": accepted });
    expect(headers).toMatchObject({ "content-encoding": expected, vary: "Accept-Encoding" });
    expect((expected === "br" ? brotliDecompressSync : gunzipSync)(body).toString()).toBe(CONSOLE_FILES[SCRIPT]);
    expect(plain.headers.vary).toBe("Accept-Encoding");
    expect(headers.etag).not.toBe(plain.headers.etag);
  });
}

function nothingElse(get: Get, regions: () => RunningRegions): void {
  test.each([
    "assets/index-00000000.js",
    "assets/../.sources",
    ".sources",
    ".assetsignore",
    `${SCRIPT}.br`,
    `${SCRIPT}.gz`,
    "..%2f..%2fpackage.json",
    "..%5c..%5cpackage.json",
    "%2e%2e/%2e%2e/package.json",
    "../../package.json",
    "assets%2findex-BtR1x9Qz.js",
    "assets//index-BtR1x9Qz.js",
    `${SCRIPT}%00`,
    `${SCRIPT}%00.css`,
    "page%00",
    "%0d%0aSet-Cookie:x",
    "%",
    "//evil.example/x.js",
  ])("there is nothing at %s that a build did not make", async (path) => {
    expect((await get(`/console/${path}`)).status).toBe(404);
  });

  test("other methods than GET and HEAD are not for pages", async () => {
    const { status, headers } = await rawRequest(regions().us.url, { path: "/console/", method: "POST" });
    expect(status).toBe(405);
    expect(headers.allow).toContain("GET");
  });

  test.each(["/api/v1/me", "/mcp", "/oauth2/token", "/console-of-others", "/consoles/", "/index.html", `/${SCRIPT}`])(
    "%s is no page of the Console",
    async (path) => {
      const { status, headers } = await get(path);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers["content-type"] ?? "").not.toContain("text/html");
    },
  );

  test.each(["/status", "/.well-known/openid-configuration"])("%s answers as without a Console", async (path) => {
    const { headers, body } = await get(path);
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body.toString())).toBeTypeOf("object");
  });
}
