import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isLoopbackRedirect,
  isPrivateUseRedirect,
  isRegisteredRedirect,
  redirectFault,
} from "../../lib/protocol/oauth/redirect-url.ts";

const REGISTERED = [
  "https://agent.example/callback",
  "https://agent.example/callback?tenant=1",
  "http://127.0.0.1/callback",
  "http://localhost:3118/callback",
  "http://[::1]:8080/cb?x=1",
  "com.example.app:/callback",
];

describe("the redirects of a client", () => {
  test.each([
    ...REGISTERED,
    "http://127.0.0.1:1/callback",
    "http://127.0.0.1:65535/callback",
    "http://localhost/callback",
    "http://localhost:49152/callback",
    "http://[::1]/cb?x=1",
    "http://[::1]:9/cb?x=1",
  ])("11. %s is one of them", (redirect) => expect(isRegisteredRedirect(redirect, REGISTERED)).toBe(true));

  test.each([
    ...["https://agent.example/callback/", "https://agent.example/callback?", "https://agent.example/callback#"],
    ...["https://agent.example/Callback", "https://AGENT.example/callback", "https://agent.example:443/callback"],
    ...[
      "https://agent.example:8443/callback",
      "http://agent.example/callback",
      "https://agent.example/callback?tenant=2",
    ],
    ...[
      "https://agent.example/callback/../callback",
      "https://agent.example/%63allback",
      "https://agent.example/callback ",
    ],
    ...["https://agent.example.evil.example/callback", "https://evil.example/callback", "//agent.example/callback"],
    ...["https://agent.example@evil.example/callback", "https://agent.example\\@evil.example/callback", ""],
    ...["http://127.0.0.1:99999/callback", "http://127.0.0.1:/callback", "http://127.0.0.1:80@evil.example/callback"],
    ...["http://127.0.0.1:1/other", "http://127.0.0.1:1/callback?x", "http://127.0.0.1:1/callback#x"],
    ...["http://127.0.0.1.evil.example/callback", "http://127.0.0.1evil.example/callback", "http://127.0.0.2/callback"],
    ...[
      "http://127.1/callback",
      "http://2130706433/callback",
      "http://user@127.0.0.1/callback",
      "https://127.0.0.1/callback",
    ],
    ...["http://localhost./callback", "http://localhost.evil.example/callback", "http://LOCALHOST/callback"],
    ...["http://[::1]:9/cb?x=2", "http://[0:0:0:0:0:0:0:1]/cb?x=1", "http://localhost:+80/callback"],
    ...["com.example.app:/callback2", "com.example.app://callback", "COM.example.app:/callback", "javascript:alert(1)"],
  ])("11. %j is none of them", (redirect) => expect(isRegisteredRedirect(redirect, REGISTERED)).toBe(false));

  test("11. nothing but a port on loopback may differ, whatever is put where", () => {
    const parts = fc.constantFrom(
      ":",
      "/",
      "?",
      "#",
      "@",
      "\\",
      "%2f",
      "..",
      "evil.example",
      "127.0.0.1",
      "callback",
      "80",
      " ",
    );
    fc.assert(
      fc.property(fc.array(parts), (inserted) => {
        const redirect = `http://127.0.0.1${inserted.join("")}/callback`;
        if (!isRegisteredRedirect(redirect, REGISTERED)) return;
        const { hostname, pathname, search, hash, username } = new URL(redirect);
        expect({ hostname, pathname, search, hash, username }).toEqual({
          ...{ hostname: "127.0.0.1", pathname: "/callback", search: "", hash: "", username: "" },
        });
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void isRegisteredRedirect(text, REGISTERED)));
  });
});

describe("redirects that a client names by itself", () => {
  const ACCEPTED = [
    ...["https://agent.example/callback", "https://agent.example:8443/cb?x=1", "https://127.0.0.1/cb"],
    ...["http://127.0.0.1/cb", "http://127.0.0.1:33418", "http://localhost:3118/callback", "http://[::1]:1/"],
  ];
  const PRIVATE_USE = [
    ...["com.example.app:/callback", "com.example.app://callback", "org.agent:/x?y=z"],
    "agent://example.agent-mcp/oauth/callback",
  ];
  const REFUSED = [
    ...["javascript:alert(1)", "JavaScript:alert(1)", "javascript://agent.example/%0aalert(1)", "data:text/html,x"],
    ...["data:text/html;base64,PHNjcmlwdD4=", "vbscript:x", "file:///etc/passwd", "blob:https://agent.example/x"],
    ...[
      "about:blank",
      "view-source:https://agent.example/",
      "filesystem:https://agent.example/x",
      "intent://a.example/x",
    ],
    ...["ws://agent.example/", "ftp://agent.example/", "mailto:a@agent.example", "chrome-extension://abc.def/x"],
    ...["http://agent.example/callback", "http://10.0.0.1/cb", "http://127.0.0.2/cb", "http://0.0.0.0/cb"],
    ...["http://localhost.evil.example/", "http://127.0.0.1@evil.example/", "http://evil.example/?http://127.0.0.1"],
    ...[
      "https://agent.example/#",
      "https://agent.example/#x",
      "https://user@agent.example/",
      "https://u:p@agent.example/",
    ],
    ...["https:agent.example/callback", "https:/agent.example/callback", "https:///agent.example/callback"],
    ...["https://", "https:", "agent:/callback", "agent://callback", "agent:callback", "/callback", "callback", ""],
    ...[" https://agent.example/", "https://agent.example/\n", "https://agent.example/a b", "https://agent.example\\x"],
    ...[
      "https://agent.example/\u202e",
      "java\tscript:alert(1)",
      "https://agent.example/<script>",
      `https://a.example/${"x".repeat(2048)}`,
    ],
  ];

  test.each(ACCEPTED)("11. %s is accepted of every client", (redirect) => {
    expect(redirectFault(redirect, { isPublic: true })).toBeUndefined();
    expect(redirectFault(redirect, { isPublic: false })).toBeUndefined();
  });

  test.each(PRIVATE_USE)("11. %s is accepted of public clients alone", (redirect) => {
    expect(redirectFault(redirect, { isPublic: true })).toBeUndefined();
    expect(redirectFault(redirect, { isPublic: false })).toContain("public clients");
  });

  test.each(REFUSED)("11. %j is refused", (redirect) => {
    expect(redirectFault(redirect, { isPublic: true })).toBeTypeOf("string");
    expect(redirectFault(redirect, { isPublic: false })).toBeTypeOf("string");
  });

  test("11. no text makes the check throw, and nothing that runs in a page passes", () => {
    const schemes = fc.constantFrom("javascript", "JAVASCRIPT", "data", "vbscript", "blob", "file");
    fc.assert(
      fc.property(schemes, fc.string(), (scheme, rest) => {
        expect(redirectFault(`${scheme}:${rest}`, { isPublic: true })).toBeTypeOf("string");
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void redirectFault(text, { isPublic: true })));
  });

  test("loopback and private use are told apart from the rest", () => {
    expect(["http://localhost:1/x", "https://localhost/x", "com.example:/x"].map(isLoopbackRedirect)).toEqual([
      ...[true, false, false],
    ]);
    expect(["http://localhost:1/x", "https://a.example/x", "com.example:/x"].map(isPrivateUseRedirect)).toEqual([
      ...[false, false, true],
    ]);
  });
});
