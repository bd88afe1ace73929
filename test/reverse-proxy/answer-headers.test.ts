import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnswerFacts, clientHeaders } from "../../lib/reverse-proxy/answer-headers.ts";

type Facts = Partial<Omit<AnswerFacts, "upstream"> & { readonly upstream: string }>;
type Pairs = readonly (readonly [string, string])[];

function answered(pairs: Pairs, { upstream = "https://in.example", ...others }: Facts = {}): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) headers.append(name, value);
  const facts = { publicOrigin: "https://ours.example", stripPrefix: "", ownCookies: [], isPrivate: false };
  return clientHeaders(headers, { ...facts, sharesOrigin: false, ...others, upstream: new URL(upstream) });
}

const location = (value: string, facts: Facts = {}) => answered([["Location", value]], facts).get("Location");
const cookies = (values: readonly string[], facts: Facts = {}) =>
  answered(
    values.map((value) => ["Set-Cookie", value]),
    facts,
  ).getSetCookie();

describe("What a client gets of an upstream's headers", () => {
  test("is what is about the answer, as it came", () => {
    const pairs: Pairs = [
      ["accept-ranges", "bytes"],
      ["access-control-allow-origin", "https://other.example"],
      ["cache-control", "public, max-age=60"],
      ["clear-site-data", '"cache"'],
      ["content-encoding", "br"],
      ["content-length", "10"],
      ["content-location", "https://in.example/a"],
      ["content-range", "bytes 0-9/100"],
      ["content-security-policy", "default-src 'self'"],
      ["content-type", "text/html"],
      ["etag", '"1"'],
      ["service-worker-allowed", "/"],
      ["vary", "Accept-Encoding"],
      ["www-authenticate", "Basic"],
    ];
    expect([...answered(pairs)]).toEqual(pairs);
  });

  test.each(["Connection", "Keep-Alive", "Proxy-Authenticate", "Trailer", "Transfer-Encoding", "Upgrade", "TE"])(
    "is nothing of %s",
    (name) => expect([...answered([[name, "x"]])]).toEqual([]),
  );

  test("is nothing that leads browsers around us", () => {
    expect([...answered([["Alt-Svc", 'h3=":8443"; ma=2592000']])]).toEqual([]);
  });

  test("is nothing that Connection names", () => {
    const pairs: Pairs = [
      ["Connection", "close, X-Hop"],
      ["X-Hop", "1"],
      ["X-End", "1"],
      ["Set-Cookie", "a=1"],
    ];
    expect([...answered(pairs)]).toEqual([
      ["set-cookie", "a=1"],
      ["x-end", "1"],
    ]);
    expect([...answered([...pairs, ["Connection", "Set-Cookie"]])]).toEqual([["x-end", "1"]]);
  });

  test.each<[string | undefined, boolean, string | null]>([
    [undefined, true, "private"],
    [undefined, false, null],
    ["no-cache", true, "no-cache"],
    ["public", true, "public"],
    ["", true, ""],
  ])("Cache-Control: %j, for one person %j: %j", (given, isPrivate, expected) => {
    const pairs: Pairs = given === undefined ? [] : [["Cache-Control", given]];
    expect(answered(pairs, { isPrivate }).get("Cache-Control")).toBe(expected);
  });

  test("leaves the Console's pages alone where they share the origin", () => {
    const pairs: Pairs = [
      ["Clear-Site-Data", "*"],
      ["Service-Worker-Allowed", "/"],
      // The addresses of sign-ins have codes in them.
      ["NEL", '{"report_to":"a","max_age":3600,"success_fraction":1}'],
      ["Report-To", '{"group":"a","max_age":3600,"endpoints":[{"url":"https://evil.example"}]}'],
      ["Reporting-Endpoints", 'default="https://evil.example"'],
      ["Strict-Transport-Security", "max-age=0"],
      ["ETag", '"1"'],
    ];
    expect([...answered(pairs, { sharesOrigin: true })]).toEqual([["etag", '"1"']]);
  });
});

const PLAIN: Facts = {};
const STRIPPED: Facts = { stripPrefix: "/payroll" };
const BASE: Facts = { upstream: "https://in.example/app/" };
const BOTH: Facts = { upstream: "https://in.example/app", stripPrefix: "/payroll" };

describe("Location", () => {
  test.each<[string, Facts, string]>([
    // Relative to the request's path: the client resolves it as the upstream meant it.
    ["", BOTH, ""],
    ["next", BOTH, "next"],
    ["../up?a=1", BOTH, "../up?a=1"],
    ["?page=2", BOTH, "?page=2"],
    ["#part", BOTH, "#part"],
    // From the root of the upstream.
    ["/", PLAIN, "/"],
    ["/a b/%2e%2e/c?x=/../y#z", PLAIN, "/a b/%2e%2e/c?x=/../y#z"],
    ["/login?next=%2Fa", STRIPPED, "/payroll/login?next=%2Fa"],
    ["/", STRIPPED, "/payroll/"],
    ["/app/login", BASE, "/login"],
    ["/app", BASE, "/"],
    ["/app/", BASE, "/"],
    ["/app?x=1", BASE, "/?x=1"],
    ["/application", BASE, "/application"],
    ["/elsewhere", BASE, "/elsewhere"],
    ["/app/../elsewhere", BASE, "/app/../elsewhere"],
    ["/app/login#top", BOTH, "/payroll/login#top"],
    ["/app", BOTH, "/payroll"],
    ["/elsewhere", BOTH, "/elsewhere"],
    // At the upstream's origin, however it is written.
    ["https://in.example", PLAIN, "https://ours.example/"],
    ["https://in.example/a?b#c", PLAIN, "https://ours.example/a?b#c"],
    ["HTTPS://IN.EXAMPLE:443/a", PLAIN, "https://ours.example/a"],
    ["//in.example/a", PLAIN, "https://ours.example/a"],
    ["/\\in.example/a", PLAIN, "https://ours.example/a"],
    ["https:\\\\in.example\\a", PLAIN, "https://ours.example/a"],
    ["https://user:secret@in.example/a", PLAIN, "https://ours.example/a"],
    ["https://in.example/app/login", BOTH, "https://ours.example/payroll/login"],
    ["https://in.example/app", BASE, "https://ours.example/"],
    ["https://in.example/elsewhere", BOTH, "https://ours.example/elsewhere"],
    ["http://127.0.0.1:8080/a", { upstream: "http://127.0.0.1:8080" }, "https://ours.example/a"],
    ["/caf\xc3\xa9", STRIPPED, "/payroll/caf%C3%A9"],
    ["/caf\xe9", STRIPPED, "/payroll/caf%C3%A9"],
    // Elsewhere.
    ["https://other.example/a", BOTH, "https://other.example/a"],
    ["https://in.example:8443/a", PLAIN, "https://in.example:8443/a"],
    ["http://in.example/a", PLAIN, "http://in.example/a"],
    ["https://in.example.evil.example/", PLAIN, "https://in.example.evil.example/"],
    ["https://in.example@evil.example/", PLAIN, "https://in.example@evil.example/"],
    ["//other.example/app/a", BOTH, "//other.example/app/a"],
    ["/\\other.example/", BOTH, "/\\other.example/"],
    ["/\t/other.example/", BOTH, "/\t/other.example/"],
    ["https://ours.example/app/a", BOTH, "https://ours.example/app/a"],
    ["myapp://done", BOTH, "myapp://done"],
    ["mailto:a@in.example", BOTH, "mailto:a@in.example"],
    ["http://[broken", BOTH, "http://[broken"],
    // Would lead to another host without the upstream's path.
    ["/app//other.example/", BASE, "https://ours.example//other.example/"],
    ["/app/\\other.example/", BASE, "https://ours.example//other.example/"],
    ["/app/\t/other.example/", BASE, "https://ours.example//other.example/"],
    ["https://in.example/app//other.example/", BASE, "https://ours.example//other.example/"],
  ])("%j of %j is %j", (given, facts, expected) => expect(location(given, facts)).toBe(expected));

  test("60. of the upstream never leads to a third host", () => {
    const parts = fc.array(
      fc.constantFrom("/", "\\", "app", "..", ".", "evil.example", "\t", "%2f", "@", ":", "?", "a"),
    );
    fc.assert(
      fc.property(parts, fc.constantFrom(PLAIN, STRIPPED, BASE, BOTH), (given, facts) => {
        const text = `/${given.join("")}`;
        const meant = URL.parse(text, "https://in.example/app/here");
        if (meant?.origin !== "https://in.example") return;
        expect(URL.parse(location(text, facts) ?? "", "https://ours.example/payroll/here")?.origin).toBe(
          "https://ours.example",
        );
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("Set-Cookie", () => {
  const every =
    "sid=a=b; Path=/; Domain=in.example; Expires=Thu, 01 Jan 2026 00:00:00 GMT; Max-Age=5; Secure; HttpOnly; SameSite=None; Partitioned";

  test("passes with every attribute, each by itself and in order", () => {
    expect(cookies([every, "a=1", "b=; Max-Age=0"])).toEqual([every, "a=1", "b=; Max-Age=0"]);
  });

  test.each([
    "__Host-countersign=x; Path=/; Secure",
    "__Host-countersign-app-a1=x",
    "__Secure-countersign=x; Domain=example.com",
    "=__Host-countersign=x",
    "= __Host-countersign=x",
    "__Host-countersign",
    "  __Host-countersign  =x",
    "staff=x; Path=/",
    "staff=",
    "staff = x",
  ])("%j does not pass: its name is ours", (cookie) => {
    expect(cookies(["a=1", cookie, "b=2"], { ownCookies: ["staff"] })).toEqual(["a=1", "b=2"]);
  });

  test.each(["Staff=x", "staffroom=x", "a=staff", "a=__Host-countersign=x", "__Host-other=x; Path=/"])(
    "%j passes",
    (cookie) => expect(cookies([cookie], { ownCookies: ["staff"] })).toEqual([cookie]),
  );

  test.each<[string, Facts, string]>([
    ["a=1; Path=/", PLAIN, "a=1; Path=/"],
    ["a=1", BOTH, "a=1"],
    ["a=1; Path=/", STRIPPED, "a=1; Path=/payroll"],
    ["a=1; Path=/x/; Secure", STRIPPED, "a=1; Path=/payroll/x/; Secure"],
    ["a=1;path=/x", STRIPPED, "a=1;path=/payroll/x"],
    ["a=1;  PATH = /x ", STRIPPED, "a=1;  PATH = /payroll/x"],
    ["a=1; Path=/x; Path=/y", STRIPPED, "a=1; Path=/payroll/x; Path=/payroll/y"],
    ["a=1; Path=", STRIPPED, "a=1; Path="],
    ["a=1; Path=x", STRIPPED, "a=1; Path=x"],
    ['a=1; Path="/x"', STRIPPED, 'a=1; Path="/x"'],
    ["Path=/x; Secure", STRIPPED, "Path=/x; Secure"],
    ["a=1; Path=/app", BASE, "a=1; Path=/"],
    ["a=1; Path=/app/", BASE, "a=1; Path=/"],
    ["a=1; Path=/app/x", BASE, "a=1; Path=/x"],
    ["a=1; Path=/", BASE, "a=1; Path=/"],
    ["a=1; Path=/application", BASE, "a=1; Path=/application"],
    ["a=1; Path=/app", BOTH, "a=1; Path=/payroll"],
    ["a=1; Path=/", BOTH, "a=1; Path=/payroll"],
    ["a=1; Path=/app/x", BOTH, "a=1; Path=/payroll/x"],
    ["a=1; Path=/other", BOTH, "a=1; Path=/other"],
    ["a=1; Path=/x; Domain=in.example", STRIPPED, "a=1; Path=/payroll/x; Domain=in.example"],
    ["__Host-a=1; Path=/; Secure", STRIPPED, "__Host-a=1; Path=/; Secure"],
  ])("%j of %j is %j", (given, facts, expected) => expect(cookies([given], facts)).toEqual([expected]));
});
