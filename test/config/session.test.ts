import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes, warningsOf } from "./support.ts";

const AT = 'http: {publicURL: "https://id.example.com"}\n';
const cookie = (keys: string) => `version: 1\n${AT}session: {cookie: {${keys}}}\n`;
const logout = (keys: string) => `version: 1\n${AT}singleLogout: {${keys}}\n`;

describe("session.cookie.domain", () => {
  test.each([
    ["", { cookieName: "__Host-countersign" }],
    ["domain: example.com", { cookieName: "__Secure-countersign", cookieDomain: "example.com" }],
    ["domain: .Example.COM", { cookieName: "__Secure-countersign", cookieDomain: "example.com" }],
    ["domain: id.example.com, name: session", { cookieName: "session", cookieDomain: "id.example.com" }],
  ])("%s", async (keys, expected) => {
    const { session } = await configurationOf(cookie(keys));
    expect(session).toEqual({ ...expected, maxTimeout: 43_200_000, idleTimeout: 3_600_000 });
  });

  test.each([
    ["com", "a single label"],
    ["localhost", "a single label"],
    ['"127.0.0.1"', "an IP address"],
    ["co.uk", "a domain under which everybody can have a host"],
    ["com.au", "a domain under which everybody can have a host"],
    [".workers.dev", "a domain under which everybody can have a host"],
    ["GitHub.io", "a domain under which everybody can have a host"],
    ["execute-api.eu-west-1.amazonaws.com", "a domain under which everybody can have a host"],
    ['"[::1]"', "a domain such as example.com"],
    ["https://example.com", "a domain such as example.com"],
    ["example.com:8080", "a domain such as example.com"],
    ['"*.example.com"', "a domain such as example.com"],
    ['"example.com; Path=/x"', "a domain such as example.com"],
    ["example..com", "a domain such as example.com"],
  ])("64. is no domain whose hosts may be of strangers: %s is %s", async (domain, why) => {
    expect(await mistakes(cookie(`domain: ${domain}`))).toEqual([expect.stringContaining(why)]);
  });

  test.each(["acme.workers.dev", "id.co.uk", "me.com", "example.de", "ac.example.com"])("may be %s", async (domain) => {
    expect(await mistakes(cookie(`domain: ${domain}`))).toEqual([]);
  });

  test("is one that the host where people sign in is in", async () => {
    for (const domain of ["wiki.example.com", "ample.com", "x.id.example.com", "example.org"]) {
      expect(await startMistakes(cookie(`domain: ${domain}`))).toEqual([
        expect.stringContaining("people sign in at id.example.com, which is no host of it"),
      ]);
    }
  });

  test("and a name of browsers that forbids one are not both taken", async () => {
    expect(await mistakes(cookie("domain: example.com, name: __Host-mine"))).toEqual([
      expect.stringContaining("session.cookie.name: found"),
    ]);
  });

  test("leaves the Console's cookie that of its own host, which needs no warning", async () => {
    const text = `${cookie("domain: example.com, name: mine")}console: {enabled: true}\n`;
    expect(await warningsOf(text)).toEqual([]);
  });
});

describe("singleLogout", () => {
  test.each([
    ["logoutURL: /out", { url: "https://id.example.com/out" }],
    ["logoutURL: 'https://id.example.com/out'", { url: "https://id.example.com/out" }],
    [
      "logoutURL: /out, postLogout: {redirectURL: 'https://www.example.com/bye?from=us'}",
      { url: "https://id.example.com/out", redirectURL: "https://www.example.com/bye?from=us" },
    ],
  ])("%s", async (keys, expected) => {
    expect((await configurationOf(logout(keys))).singleLogout).toEqual(expected);
  });

  test.each([
    ["postLogout: {}", "singleLogout.logoutURL: required"],
    ["logoutURL: out", "a path such as /single-logout"],
    ["logoutURL: '/out?x'", "a path such as /single-logout"],
    ["logoutURL: 'https://id.example.com/:name'", "a path such as /single-logout"],
    ["logoutURL: 'https://id.example.com/*'", "a path such as /single-logout"],
    ["logoutURL: /out, postLogout: {redirectURL: /bye}", "an absolute http or https URL"],
    ["logoutURL: /out, postLogout: {redirectURL: 'javascript:alert(1)'}", "an absolute http or https URL"],
    ["logoutURL: /out, postLogoutSE: {}", "postLogoutSE: unknown key; extensions in Go do not run here"],
    ["logoutURL: /out, postLogout: {postLogoutSE: {}}", "postLogoutSE: unknown key; extensions in Go do not run here"],
  ])("is refused with %s", async (keys, message) => {
    expect(await mistakes(logout(keys))).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ["https://wiki.example.com/out", "is at another host than people sign in at"],
    ["/status", "/status belongs to health"],
  ])("is at a path of its own where people sign in: not %s", async (url, message) => {
    expect(await startMistakes(logout(`logoutURL: '${url}'`))).toEqual([expect.stringContaining(message)]);
  });
});
