import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalPath } from "../../lib/protocol/http/request-target.ts";
import { createLocations, parseLocation } from "../../lib/reverse-proxy/locations.ts";
import { CASES, judge } from "./upstreams.ts";

describe("a location", () => {
  test.each([
    ["/", { kind: "prefix", path: "/" }],
    ["/admin/", { kind: "prefix", path: "/admin" }],
    ["//a/%61/../b", { kind: "prefix", path: "/a/b" }],
    ["= /", { kind: "exact", path: "/" }],
    ["=/admin/", { kind: "exact", path: "/admin/" }],
    ["~ \\.(css|js)$", { kind: "pattern", source: "\\.(css|js)$" }],
    ["~ (?i)^/%C3%A9", { kind: "pattern", source: "(?i)^/%C3%A9" }],
    ["~ ^/a%20b%3B?", { problem: "The expression has %3B, which paths have as a character or not at all." }],
    ["~ %2f", { problem: "The expression has %2f, which paths have as a character or not at all." }],
    ["~ ^/a\\?b", { problem: "The expression has a question mark, but is compared with the path alone." }],
    ["~ \u00e9", { problem: "The expression has a character that paths have percent-encoded only." }],
    ["~", { problem: "The expression is empty." }],
    ["~ (", { problem: 'The expression has an unmatched "(".' }],
    ["~ (?=a)", { problem: "The expression has a group of another kind than (…) and (?:…)." }],
    ["~* \\.css$", { problem: "~* is not known; accepted: = /path, ~ expression, or /path" }],
    ["^~ /a", { problem: "^~ is not known; accepted: = /path, ~ expression, or /path" }],
    ["admin", { problem: "The request target is neither a path nor a URL at this host." }],
    ["= /a%2Fb", { problem: "The path has an encoded slash or backslash." }],
    ["", { problem: "The request target is neither a path nor a URL at this host." }],
  ])("%s", (text, expected) => {
    expect(parseLocation(text)).toEqual(expected);
  });
});

/** Written as in a configuration, `!` before those that are open, methods behind. */
function locations(...rows: readonly string[]) {
  return createLocations(
    rows.map((row) => {
      const [, open, text = "", methods] = /^(!?)(.*?)(?: ([A-Z,]+))?$/.exec(row) ?? [];
      const location = parseLocation(text);
      if ("problem" in location) throw new Error(location.problem);
      return { location, isOpen: open === "!", ...(methods !== undefined && { methods: methods.split(",") }) };
    }),
  );
}

/** The row that is found, `?` before it where the path is ambiguous. */
function found(rows: readonly string[], path: string, method = "GET"): string | undefined {
  expect(canonicalPath(path)).toBe(path);
  const located = locations(...rows)(path, method);
  return located && `${located.isAmbiguous ? "?" : ""}${rows[located.index]}`;
}

const ASSETS = ["!~ \\.(css|js|png|svg)$", "/"];
const ADMIN = ["/admin", "/"];
const ROOT_OPEN = ["/admin", "!/"];
const ORDER = ["/", "/images", "~ \\.gif$", "/images/big", "~ ^/images", "= /images/a.gif", "= /"];

describe("the policy of a path", () => {
  test.each([
    // nginx's order.
    [ORDER, "/", "= /"],
    [ORDER, "/x", "/"],
    [ORDER, "/a.gif", "~ \\.gif$"],
    [ORDER, "/images/a.gif", "= /images/a.gif"],
    [ORDER, "/images/b.gif", "~ \\.gif$"],
    [ORDER, "/images/big/x", "~ ^/images"],
    [["/a", "/a/b", "/"], "/a/b/c", "/a/b"],
    [["/a", "/a/b", "/"], "/a/bc", "/a"],
    [["/a", "/a/b", "/"], "/ab", "/"],
    [["/a/"], "/a", "/a/"],
    [["/a"], "/b", undefined],
    [["= /a"], "/a/b", undefined],
    [["/", "/"], "/a", "/"],
    [[], "/", undefined],
    // An expression sees the path alone, from its beginning to its end.
    [ASSETS, "/x.css", "!~ \\.(css|js|png|svg)$"],
    [ASSETS, "/x.css/y", "/"],
    [["~ ^/a$", "/"], "/x/a", "/"],
  ] as const)("of %j for %s is %s", (rows, path, expected) => {
    expect(found(rows, path)).toBe(expected);
  });

  test.each([
    [["/a GET", "/a POST", "/"], "GET", "/a GET"],
    [["/a GET", "/a POST", "/"], "HEAD", "/a GET"],
    [["/a GET", "/a POST", "/"], "POST", "/a POST"],
    [["/a GET", "/a POST", "/"], "DELETE", "/"],
    [["/a GET", "/a POST", "/"], "get", "/"],
    [["!/a GET", "/a", "/"], "GET", "!/a GET"],
    [["!/a GET", "/a", "/"], "PUT", "/a"],
    [["= /a POST", "~ ^/a PUT,DELETE", "/a"], "DELETE", "~ ^/a PUT,DELETE"],
    [["= /a POST", "~ ^/a PUT,DELETE", "/a"], "GET", "/a"],
    [["/a GET"], "POST", undefined],
    [["/a GET"], "__proto__", undefined],
  ] as const)("of %j for %s is %s", (rows, method, expected) => {
    expect(found(rows, "/a", method)).toBe(expected);
  });
});

describe("a path that an upstream could take for another", () => {
  test.each([
    "/admin;x",
    "/;x/admin",
    "/Admin",
    "/ADMIN/x",
    "/admi%256E",
    "/admi%25256E",
    "/admin%3Fx",
    "/admin%3Bx/y",
    "/admin.",
    "/admin%20/x",
    "/admin+",
    "/%EF%BD%81dmin",
    "/admin%EF%BC%8Fb",
    "/%3BA/ADMIN.%3B",
    // Would be refused if it came like this.
    "/a%252Fb",
    "/a%2523",
    "/a%25u002f",
    "/x/%EF%BC%8E%EF%BC%8E/%EF%BC%8E%EF%BC%8E/admin",
  ])("is ambiguous beside a protected folder: %s", (path) => {
    expect(found(ADMIN, path)).toBe("?/");
    expect(found(ROOT_OPEN, path)).toBe("?!/");
    // One policy for all, or nothing that is closed but what was found.
    expect(found(["/"], path)).toBe("/");
    expect(found(["!/admin", "/"], path)).toBe("/");
    expect(found(["!/admin", "!/"], path)).toBe("!/");
  });

  test.each([
    // What was let through as an asset, and is a page for the upstream.
    [ASSETS, "/admin;.css", true],
    [ASSETS, "/admin%3F.css", true],
    [ASSETS, "/admin/%253B.css", true],
    [ASSETS, "/a%252F.css", true],
    [ASSETS, "/admin%20.css", false],
    [ASSETS, "/a;v=1/b.css", false],
    [ASSETS, "/A/B.css", false],
    [ASSETS, "/a.css", false],
    [ASSETS, "/wiki/%E3%81%AA%EF%BC%88a%EF%BC%89.png", false],
    [ASSETS, "/admin.css.", false],
    // A slash at the end, and what the location has beyond lower case.
    [["~ ^/admin/", "/"], "/admin", true],
    [["~ ^/admin/", "/"], "/administration", false],
    [["~ ^/Admin/", "/"], "/admin/", true],
    [["~ ^/admin/", "/"], "/Admin/x", true],
    [["~ \\.PDF$", "!/"], "/a.pdf", true],
    [["~ ^/[!-Z]$", "!/"], "/a", true],
    [["= /admin", "/"], "/admin/", true],
    [["= /admin/", "/"], "/admin", true],
    [["!= /login", "/"], "/login", false],
    [["!= /login", "/"], "/login/", false],
    [["= /", "!/"], "/", false],
    [["= /", "!/"], "/;x", true],
    [["/Admin", "/"], "/admin", true],
    [["/Admin", "/"], "/Admin", false],
    [["/a%40b", "/"], "/a@b", true],
    [["/a@b", "/"], "/a%40b", true],
    [["/a;x", "/"], "/a", true],
    [["/a;x", "/"], "/ab", false],
    // Upstreams may not tell these apart, so neither can be protected from the other.
    [["/Admin", "/admin", "/"], "/admin", true],
    [["/Admin", "!/admin", "/"], "/Admin", false],
    [["/Admin", "!/admin", "/"], "/admin", true],
    // One that folds case alone finds the closed folder in the middle.
    [["/secret", "!/secret/pub", "!/"], "/Secret/pub;x", true],
    // Never found, for what lies below always fits.
    [["/A", "/a/b", "/"], "/a/b", false],
    // Under none where something is open, and where it is not: nobody may have what no policy is about.
    [["!/a"], "/a/b%3F", false],
    [["!~ \\.css$"], "/a;.css", true],
    [["~ \\.css$"], "/a;.css", true],
    [["/a"], "/a/b%252Fc", true],
    // What goes by methods is compared by this method's policies.
    [["/admin POST", "/"], "/admin;x", false],
    // Documented as no reading.
    [["= /admin", "!/"], "/admin.json", false],
  ] as const)("with %j: %s is ambiguous: %s", (rows, path, expected) => {
    expect(found(rows, path)?.startsWith("?")).toBe(expected);
  });

  test("58. is refused, or read under the same policy or an open one by every model of an upstream", () => {
    fc.assert(
      fc.property(CASES, (one) => {
        judge(one);
      }),
      { numRuns: 3_000 },
    );
  });
});
