import { describe, expect, test } from "vitest";
import { browserFetch } from "../../support/browser-fetch.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { ALPHABET } from "../../support/web-upstream.ts";
import { PAGE, SCRIPT, type WebAppsUnderTest } from "./fixture.ts";

interface Echo {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly length: number;
}

/** An app that is open to everybody: what is carried, and how. */
export function openApps(it: () => WebAppsUnderTest): void {
  const ask = (path: string, init: RequestInit = {}) => fetch(it().us.url + path, { redirect: "manual", ...init });
  const raw = (path: string, headers = {}, method = "GET") => rawRequest(it().us.url, { path, headers, method });
  const arrived = async (path: string, headers = {}) => {
    const { status, body } = await raw(path, headers);
    return status === 200 ? (JSON.parse(body.toString()) as Echo).target : status;
  };

  describe("a web app that is open to everybody", () => {
    test("sends requests to its upstream, whose path stands before the request's", async () => {
      const response = await ask("/site/hello?a=1&b=%2F", { method: "PUT", body: "content" });
      expect(response.headers.get("x-upstream")).toBe("yes");
      expect(await response.json()).toMatchObject({ method: "PUT", target: "/base/hello?a=1&b=%2F", length: 7 });
    });

    test.each([
      ["/site", "/base/"],
      ["/site/", "/base/"],
      ["/site/a%2Db%c3%a9", "/base/a-b%C3%A9"],
      ["/site//a///b", "/base/a/b"],
      ["/site/a/./b/../c", "/base/a/c"],
      ["/site/a?x=../%zz", "/base/a?x=../%zz"],
      ["/site/a;v=1", "/base/a;v=1"],
      ["/site/a+b%20c", "/base/a+b%20c"],
    ])("is reached by its route patterns: %s is %s to the upstream", async (path, target) => {
      expect(await arrived(path)).toBe(target);
    });

    test.each([
      "/site/a%2fb",
      "/site/a%5Cb",
      "/site/%00",
      "/site/a%23b",
      "/site/%2e%2e/desk",
      "/site/..;/desk",
      "/site/%zz",
      "/site/%c0%af",
      "/../site/..%2f",
    ])("58. refuses what two could read differently: %s", async (path) => {
      const before = it().upstream.requests.length;
      const { status, headers, body } = await raw(path);
      expect([status, headers["content-type"]]).toEqual([400, "application/problem+json"]);
      expect(JSON.parse(body.toString())).toMatchObject({ type: "urn:countersign:problem:bad_request_target" });
      expect(it().upstream.requests.length).toBe(before);
    });

    test("58. has a host of its own altogether: none of our paths is there, and none of its are at ours", async () => {
      const host = "pages.example";
      const answer = async (path: string, headers: object = { host }) => {
        const { status, body } = await raw(path, headers);
        return status === 200 ? (JSON.parse(body.toString()) as Echo).target : status;
      };
      expect(await answer("/about")).toBe("/about");
      expect(await answer("/oauth2/jwks")).toBe("/oauth2/jwks");
      expect(it().upstream.last().headers["x-forwarded-host"]).toBe(host);
      expect(await answer("/about", {})).toBe(404);
      expect(await answer("/about", { host: "other.example" })).toBe(404);
    });

    test.each([
      ["/other;.css", 400],
      ["/other%3F.css", 400],
      ["/other%253F.css", 400],
      ["/other.css", 200],
      ["/other", 401],
      ["/About", 401],
      ["/about;a=b", 401],
    ])("58. is not open where an upstream could read a path as a protected one: %s is %i", async (path, status) => {
      expect((await raw(path, { host: "pages.example" })).status).toBe(status);
    });

    test("58. has no policy for methods that none names", async () => {
      expect((await raw("/other", { host: "pages.example" }, "DELETE")).status).toBe(403);
    });

    test.each(["/sitemap", "/other", "/site/../other"])("is not reached by %s", async (path) => {
      expect((await raw(path)).status).toBe(404);
    });

    test("58. never gets a path that is ours, in whichever spelling", async () => {
      for (const path of ["/site/../oauth2/jwks", "//oauth2//jwks", "/oauth2/%6awks"]) {
        const { body } = await raw(path);
        expect(body.toString()).not.toContain("/base");
      }
      expect((await ask("/oauth2/token")).status).toBe(405);
    });

    test("59. gets nothing of the client's that pretends to be ours, and is told where a request comes from", async () => {
      const { host } = new URL(it().us.url);
      await raw("/site/x", {
        "X-Forwarded-For": "10.0.0.1",
        X_Forwarded_Host: "evil.example",
        Forwarded: "for=10.0.0.1",
        "X-Original-URL": "/admin",
        "X-HTTP-Method-Override": "DELETE",
        "X-Real-IP": "10.0.0.1",
        Authorization: "Bearer of-somebody",
        Cookie: `__Host-countersign=secret; own=1; theme="a b"`,
        "X-Own": "kept",
      });
      const { headers } = it().upstream.last();
      expect(headers).toMatchObject({ cookie: `own=1; theme="a b"`, "x-own": "kept", "x-forwarded-host": host });
      expect(headers["x-forwarded-for"] ?? "").not.toContain("10.0.0.1");
      expect(JSON.stringify(headers)).not.toMatch(/evil|admin|DELETE|secret|somebody/);
      expect(headers.host).toBe(new URL(it().upstream.url).host);
    });

    test("59. is not asked where the client's Connection header names one of ours", async () => {
      expect((await raw("/site/x", { Connection: "close, X-Forwarded-For" })).status).toBe(400);
    });

    test.each([
      ["/site/empty", 204],
      ["/site/unchanged", 304],
      ["/site/unauthorized", 401],
      ["/site/missing", 404],
    ])("answers as its upstream does: %s is %i", async (path, status) => {
      const response = await ask(path);
      expect(response.status).toBe(status);
      if (status === 401) expect(response.headers.get("www-authenticate")).toBe('Basic realm="its own"');
      if (status > 400) expect(await response.text()).toContain("its own");
    });

    test("answers HEAD without a body, and ranges with their part", async () => {
      expect(await (await ask("/site/x", { method: "HEAD" })).text()).toBe("");
      expect(it().upstream.last().method).toBe("HEAD");
      const part = await ask("/site/range", { headers: { range: "bytes=2-4" } });
      expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/26", "cde"]);
    });

    test("passes encoded answers on", async () => {
      const response = await ask("/site/gzip", { headers: { "accept-encoding": "gzip" } });
      expect(await response.text()).toBe(ALPHABET.repeat(100));
    });

    test("keeps its cookies but not ours", async () => {
      expect((await ask("/site/cookies")).headers.getSetCookie()).toEqual([
        "a=1; Path=/site; HttpOnly",
        "b=2; Path=/site/x",
      ]);
    });

    test.each([
      ["/base/next?x=1", "/site/next?x=1"],
      ["SELF/base/next", "OURS/site/next"],
      ["https://elsewhere.example/x", "https://elsewhere.example/x"],
      ["next", "next"],
    ])("redirects to %s as %s", async (to, location) => {
      const response = await ask(`/site/redirect?to=${encodeURIComponent(to)}`);
      expect(response.status).toBe(302);
      expect(response.headers.get("location")).toBe(location.replace("OURS", it().us.url));
    });

    test("begins an answer before its upstream has ended it", async () => {
      const response = await ask("/site/slow");
      const reader = response.body?.getReader();
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first ");
      it().upstream.release();
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("second");
    });

    test("answers 413 for a body that is too long, declared or not", async () => {
      const below = await ask("/site/x", { method: "POST", body: "x".repeat(1_000_000) });
      expect(await below.json()).toMatchObject({ length: 1_000_000 });
      const declared = await ask("/site/x", { method: "POST", body: "x".repeat(1_000_001) });
      expect(declared.status).toBe(413);
      let left = 10;
      const body = new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(200_000));
          left -= 1;
          if (left === 0) controller.close();
        },
      });
      const streamed = await ask("/site/x", { method: "POST", body, duplex: "half" } as RequestInit).catch(
        () => undefined,
      );
      // The connection may be cut before the client has read the answer.
      expect([413, undefined]).toContain(streamed?.status);
    });

    test.each([
      ["/site/silent", 504, "upstream_timeout"],
      ["/site/reset", 502, "upstream_unreachable"],
    ])("tells that its upstream does not answer, and not where it is: %s is %i", async (path, status, code) => {
      const response = await ask(path, { headers: SCRIPT });
      const problem = await response.text();
      expect([response.status, JSON.parse(problem)]).toMatchObject([
        status,
        { type: `urn:countersign:problem:${code}` },
      ]);
      expect(problem).not.toContain(new URL(it().upstream.url).port);
      const page = await browserFetch(it().us.url + path, { headers: PAGE });
      expect([page.status, page.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
      it().upstream.release();
    });

    test("tells people in their language what is wrong, and programs in English", async () => {
      const german = { "accept-language": "de-AT,en;q=0.5" };
      const page = await browserFetch(`${it().us.url}/site/reset`, { headers: { ...PAGE, ...german } });
      expect([page.status, page.headers.get("content-language")]).toEqual([502, "de"]);
      expect(await page.text()).toContain("<h1>Die Anwendung antwortet nicht</h1>");
      const problem = await ask("/site/reset", { headers: { ...SCRIPT, ...german } });
      expect(await problem.json()).toMatchObject({ title: "The application does not answer" });
    });

    test("answers preflights of the origins that may read it", async () => {
      const preflight = (origin: string) =>
        ask("/desk/x", {
          method: "OPTIONS",
          headers: { origin, "access-control-request-method": "PUT", "access-control-request-headers": "x-own" },
        });
      const allowed = await preflight("https://elsewhere.example");
      expect(allowed.status).toBe(204);
      expect(allowed.headers.get("access-control-allow-origin")).toBe("https://elsewhere.example");
      expect((await preflight("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    });
  });
}
