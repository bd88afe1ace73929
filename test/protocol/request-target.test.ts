import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldedName, HOP_BY_HOP, isPageRequest } from "../../lib/protocol/http/field-names.ts";
import { foldedPath, isFolded, readingsOf } from "../../lib/protocol/http/path-readings.ts";
import { canonicalPath, faultSentence, isBelow, readRequestTarget } from "../../lib/protocol/http/request-target.ts";
import { anyPath } from "./paths.ts";

const HOST = "wiki.example.com:8443";

describe("a request target", () => {
  test.each([
    ["/", { path: "/", query: "" }],
    ["/a/b?c=%2F&d=\\&e=/../", { path: "/a/b", query: "?c=%2F&d=\\&e=/../" }],
    ["/?", { path: "/", query: "?" }],
    // Query strings that regular expressions over the whole target took for the path (GHSA-7rh7-c77v-6434).
    ["/admin?/public.css", { path: "/admin", query: "?/public.css" }],
    ["/admin?x=/../public", { path: "/admin", query: "?x=/../public" }],
    ["http://wiki.example.com:8443/a?b", { path: "/a", query: "?b" }],
    ["HTTPS://WIKI.example.com:8443/a", { path: "/a", query: "" }],
    ["http://wiki.example.com:8443", { path: "/", query: "" }],
    ["http://wiki.example.com:8443?b", { path: "/", query: "?b" }],
    ["//evil.example/a", { path: "/evil.example/a", query: "" }],
    ["http://evil.example/a", { fault: "form" }],
    ["http://wiki.example.com/a", { fault: "form" }],
    ["http://wiki.example.com:8443@evil.example/", { fault: "form" }],
    ["http://evil.example\\@wiki.example.com:8443/", { fault: "form" }],
    ["http://user@wiki.example.com:8443/a", { fault: "form" }],
    ["ftp://wiki.example.com:8443/a", { fault: "form" }],
    ["wiki.example.com:8443", { fault: "form" }],
    ["a/b", { fault: "form" }],
    ["*", { fault: "form" }],
    ["", { fault: "form" }],
    ["/a#b", { fault: "fragment" }],
    ["/a?b#c", { fault: "fragment" }],
    ["/a?\u00e9", { fault: "not_ascii" }],
    ["/a?b c", { fault: "not_ascii" }],
    ["/a?\r\nX: y", { fault: "not_ascii" }],
  ])("%j is read as %j", (raw, expected) => {
    expect(readRequestTarget(raw, HOST)).toEqual(expected);
  });
});

describe("a path", () => {
  test.each([
    ["/a/b.css", "/a/b.css"],
    ["/%61%7Eb%2D%5f", "/a~b-_"],
    ["/caf%c3%a9", "/caf%C3%A9"],
    ["/a%20b%3f", "/a%20b%3F"],
    ["/a;b=c/d@e:f,g!$&'()*+=", "/a;b=c/d@e:f,g!$&'()*+="],
    ["/%3b%40%3A", "/%3B%40%3A"],
    ['/"<>^`{|}[]', "/%22%3C%3E%5E%60%7B%7C%7D%5B%5D"],
    // nginx merges slashes, and others take what follows two of them for a host.
    ["//a///b//", "/a/b/"],
    ["///", "/"],
    ["/a/./b/.", "/a/b/"],
    ["/a/../b", "/b"],
    ["/a/b/..", "/a/"],
    ["/a/..", "/"],
    ["/a//../b", "/b"],
    ["/static../secret", "/static../secret"],
    ["/.well-known/a", "/.well-known/a"],
    ["/a/...", "/a/..."],
    ["/100%25", "/100%25"],
    ["/a%252Fb", "/a%252Fb"],
    ["/%25%34%31", "/%2541"],
    [`/${"a".repeat(8_191)}`, `/${"a".repeat(8_191)}`],
  ])("%j becomes %j", (text, expected) => {
    expect(canonicalPath(text)).toBe(expected);
  });

  test.each([
    ["form", "", "a", "?", "/a?b", "/?"],
    ["not_ascii", "/a b", "/a\tb", "/a\0", "/\u00e9", "/\u2026", "/a\r\nb", "/a\x7f", " /a"],
    ["backslash", "/a\\b", "/..\\..\\etc", "/\\evil.example", "\\a"],
    // CVE-2026-41059: a proxy cut at %23, its upstream did not.
    ["fragment", "/a#b", "/admin%23/public", "/a%23"],
    // IIS reads %u; many read a broken escape as text, and some drop it.
    ["broken_encoding", "/%", "/a%2", "/%zz", "/%u002e%u002e/", "/%uff0e", "/%%32%65"],
    ["encoded_separator", "/a%2fb", "/a%2F..%2Fb", "/%5cevil", "/..%5C", "/..%2f..%2fetc%2fpasswd"],
    ["encoded_control", "/a%00", "/a%00.css", "/a%0d%0aX:y", "/%09", "/a%7f", "/a%1F", "/a%C2%85b"],
    // Also such that an upstream sees that decodes twice, or cuts spaces.
    ["encoded_dots", "/%2e", "/a/%2e%2E/b", "/.%2e/", "/%2e.", "/a/%252e%252e/b", "/%25252E./", "/%25%32%65%2e/"],
    ["encoded_dots", "/..%20/a", "/.%20", "/%2e%2e%2e", "/..%2520/"],
    // Spring and Tomcat cut `;…` before or after they resolve dots.
    ["dots_with_parameters", "/a/..;/b", "/..;x=y/b", "/.;/", "/%2e%2e;/", "/..%3B/b", "/%252e.%253b/", "/..%3Fa/b"],
    ["above_root", "/..", "/../a", "/a/../../b", "/./../"],
    // Overlong forms of "/" and ".", a surrogate, what is cut short, Latin-1.
    ["not_utf8", "/%c0%af", "/%e0%80%af", "/%c0%ae%c0%ae/", "/%ed%a0%80", "/%e2%82", "/%e2/%82%ac", "/%e9", "/%ff"],
    ["too_long", `/${"a".repeat(8_192)}`, `/${"^".repeat(3_000)}`, `/${"/".repeat(9_000)}`],
  ] as const)("is refused as %s", (fault, ...texts) => {
    for (const text of texts) expect([text, canonicalPath(text)]).toEqual([text, { fault }]);
    expect(faultSentence(fault)).toMatch(/^The [\w ,%#-]+\.$/);
  });

  test("once canonical, is what it is made of and what URLs have", () => {
    fc.assert(
      fc.property(anyPath, (text) => {
        const path = canonicalPath(text);
        if (typeof path !== "string") return;
        expect(canonicalPath(path)).toBe(path);
        expect(new URL(`http://h${path}`).pathname).toBe(path);
        expect(new URL(path, "http://h").host).toBe("h");
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ["/pay", "/pay", true],
    ["/pay", "/pay/", true],
    ["/pay", "/pay/x", true],
    ["/pay", "/payroll", false],
    ["/pay", "/pa", false],
    ["/pay", "/x/pay", false],
    ["/", "/x", true],
    ["/", "/", true],
  ])("%s above %s: %s", (prefix, path, expected) => {
    expect(isBelow(prefix, path)).toBe(expected);
  });
});

describe("other readings of a path", () => {
  test.each([
    ["/a/b.css", []],
    ["/A/b/", []],
    ["/admin;x=y/z", ["/admin/z"]],
    ["/a%40b", ["/a@b"]],
    ["/a%3Bb", ["/a;b", "/a"]],
    ["/a%2541", ["/aA"]],
    ["/admin%3Fx/y", ["/admin"]],
    ["/admin./x", ["/admin/x"]],
    ["/admin%20", ["/admin"]],
    ["/a+b", ["/a%20b"]],
    ["/%EF%BC%8Fadmin", ["/admin"]],
    ["/adm%E2%84%B9n", ["/admin"]],
    ["/a/%3Bx/b", ["/a/;x/b", "/a/b"]],
    ["/a/%EF%BC%8E%EF%BC%8E/b", ["/b"]],
  ])("of %s are %j", (path, expected) => {
    expect(readingsOf(path)).toEqual(expect.arrayContaining(expected));
    if (expected.length < 2) expect(readingsOf(path)).toEqual(expected);
  });

  test.each([
    ["/a%252Fb", "encoded_separator"],
    ["/a%2523", "fragment"],
    ["/a%252500", "encoded_control"],
    ["/a%25C0%25AF", "not_utf8"],
    ["/%25u002e", "broken_encoding"],
    ["/%EF%BC%8E%EF%BC%8E/b", "above_root"],
    [`/%${"25".repeat(2_000)}41`, "too_long"],
    [`/${"a;b+c%3Fd%2540%EF%BC%8E./".repeat(8)}`, "too_long"],
    [`/a+${"b".repeat(8_000)}%3F;`, "too_long"],
  ])("of %.40s are refused as %s", (path, fault) => {
    expect(canonicalPath(path)).toBe(path);
    expect(readingsOf(path)).toEqual({ fault });
  });

  test.each([
    ["/Admin/", "/admin"],
    ["/a%40b", "/a@b"],
    ["/A;x/B.%20/+", "/a/b"],
    ["/%C3%84", "/\u00e4"],
    ["/%E2%84%AAey", "/key"],
    ["/x%EF%BC%8Fy%EF%BC%9Bz", "/x/y"],
    ["/", "/"],
    ["/;x/", "/"],
  ])("%s folds to %s", (path, folded) => {
    expect(foldedPath(path)).toBe(folded);
  });

  test("fold to the same key where the quick way says so", () => {
    fc.assert(
      fc.property(anyPath, (text) => {
        const path = canonicalPath(text);
        if (typeof path !== "string" || !isFolded(path)) return;
        expect(readingsOf(path)).toEqual([]);
        expect(path).toBe(path.toLowerCase());
        expect(path === "/" || !path.endsWith("/")).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("names of fields", () => {
  test.each([
    ["X-Remote-User", "x-remote-user"],
    // CVE-2025-64484: an upstream took X_Forwarded_User for X-Forwarded-User.
    ["x_forwarded.User", "x-forwarded-user"],
    ["SM_USER", "sm-user"],
  ])("%s folds to %s", (name, folded) => {
    expect(foldedName(name)).toBe(folded);
  });

  test("of one connection are folded", () => {
    for (const name of HOP_BY_HOP) expect(foldedName(name)).toBe(name);
  });

  test.each([
    ["GET", { "Sec-Fetch-Mode": "navigate" }, true],
    ["HEAD", { "Sec-Fetch-Mode": "navigate", Accept: "*/*" }, true],
    ["POST", { "Sec-Fetch-Mode": "navigate" }, false],
    ["GET", { "Sec-Fetch-Mode": "cors", Accept: "text/html" }, false],
    ["GET", { Accept: "text/html,application/xhtml+xml;q=0.9" }, true],
    ["GET", { Accept: "application/json, TEXT/HTML;q=0.1" }, true],
    ["GET", { Accept: "application/json, text/html;q=0" }, false],
    ["GET", { Accept: "application/json, text/htmlx" }, false],
    ["GET", { Accept: "*/*" }, false],
    ["GET", {}, false],
  ])("%s with %j asks for a page: %s", (method, headers: Record<string, string>, expected) => {
    expect(isPageRequest(method, new Headers(headers))).toBe(expected);
  });
});
