import { describe, expect, test } from "vitest";
import { createRouteTable, parseRoutePattern, type RoutePattern } from "../../lib/reverse-proxy/routes.ts";

describe("a route pattern", () => {
  test.each([
    ["/", { path: "/" }],
    ["/payroll", { path: "/payroll" }],
    ["/payroll/", { path: "/payroll" }],
    ["//a/./b%41/", { path: "/a/bA" }],
    ["Payroll.Example.com", { host: "payroll.example.com", path: "/" }],
    ["payroll.example.com/", { host: "payroll.example.com", path: "/" }],
    ["example.com/payroll/", { host: "example.com", path: "/payroll" }],
    ["localhost:8080/a", { host: "localhost:8080", path: "/a" }],
    ["127.0.0.1:8443", { host: "127.0.0.1:8443", path: "/" }],
    ["[::1]/a", { host: "[::1]", path: "/a" }],
    ["[0:0:0:0:0:0:0:1]:8080/a", { host: "[::1]:8080", path: "/a" }],
    ["xn--bcher-kva.example/a", { host: "xn--bcher-kva.example", path: "/a" }],
  ])("%s", (text, expected) => {
    expect(parseRoutePattern(text)).toEqual(expected);
  });

  test.each([
    "",
    "https://example.com/a",
    "*.example.com",
    "example.com:/a",
    "example.com:0",
    "example.com:65536",
    "example.com:80:80",
    "user@example.com/a",
    "b\u00fccher.example",
    "exa mple.com",
    "1.2",
    "0x7f.1",
    "[::1",
    "[1.2.3.4]",
    "::1",
    "/a?b",
    "/a#b",
    "/a%2Fb",
    "/../a",
    "example.com/a\\b",
    "?",
  ])("is not %j", (text) => {
    expect(parseRoutePattern(text)).toBeUndefined();
  });
});

describe("the table of routes", () => {
  const table = createRouteTable(
    [
      app("root", "/"),
      app("wiki", "/wiki", "/docs/wiki/"),
      app("payroll", "payroll.example.com", "/payroll"),
      app("port", "payroll.example.com:8443/reports"),
      app("reports", "payroll.example.com/reports/new"),
      app("six", "[::1]/a", "[::1]:9000/a"),
      app("ours", "gateway.example.com/ours"),
      app("second", "/wiki", "payroll.example.com"),
      app("prototype", "constructor", "/__proto__"),
    ],
    new Set(["gateway.example.com", "localhost:8080"]),
    "",
  );

  test("has a pattern without a port at that of the instance, and at no other", () => {
    const own = createRouteTable([app("pay", "pay.example")], new Set(), "8080");
    expect(["pay.example:8080", "pay.example", "pay.example:666"].map((host) => own.find(host, "/"))).toEqual([
      "pay",
      "pay",
      undefined,
    ]);
  });

  test.each([
    ["gateway.example.com", "/", "root"],
    ["gateway.example.com", "/x", "root"],
    ["gateway.example.com", "/wiki", "wiki"],
    ["gateway.example.com", "/wiki/", "wiki"],
    ["gateway.example.com", "/wiki/a/b", "wiki"],
    ["gateway.example.com", "/wikipedia", "root"],
    ["gateway.example.com", "/docs/wiki/a", "wiki"],
    ["gateway.example.com", "/docs", "root"],
    ["gateway.example.com", "/Wiki", "root"],
    ["gateway.example.com", "/ours/x", "ours"],
    ["gateway.example.com", "/__proto__/x", "prototype"],
    ["gateway.example.com", "/constructor", "root"],
    ["localhost:8080", "/payroll/x", "payroll"],
    ["payroll.example.com", "/wiki", "payroll"],
    ["payroll.example.com", "/reports/new", "reports"],
    ["payroll.example.com:8443", "/reports/new", "port"],
    ["payroll.example.com:8443", "/reports", "port"],
    ["payroll.example.com:8443", "/report", undefined],
    ["payroll.example.com:9", "/reports/new/x", undefined],
    ["[::1]", "/a", "six"],
    ["[::1]:1", "/a/b", undefined],
    ["constructor", "/x", "prototype"],
    // Neither ours nor an app's: patterns without a host are none of its business.
    ["localhost", "/payroll", undefined],
    ["gateway.example.com:8443", "/wiki", undefined],
    ["evil.example", "/", undefined],
    ["[::1]", "/b", undefined],
    ["payroll.example.com.", "/", undefined],
    ["", "/", undefined],
  ])("of %s%s is %s", (host, path, expected) => {
    expect(table.find(host, path)).toBe(expected);
  });

  test.each([
    ["payroll.example.com", true],
    ["payroll.example.com:1", true],
    ["[::1]:9000", true],
    ["[::1]", true],
    // Our own paths come first there.
    ["gateway.example.com", false],
    ["localhost:8080", false],
    ["evil.example", false],
    ["__proto__", false],
  ])("says whether %s is a host of apps: %s", (host, expected) => {
    expect(table.isAppHost(host)).toBe(expected);
  });
});

function app(name: string, ...patterns: readonly string[]): { name: string; routes: readonly RoutePattern[] } {
  return { name, routes: patterns.flatMap((text) => parseRoutePattern(text) ?? []) };
}
