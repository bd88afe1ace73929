import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldedName } from "../../lib/protocol/http/field-names.ts";
import { type ForwardedFacts, type HeaderRules, upstreamHeaders } from "../../lib/reverse-proxy/request-headers.ts";

const FACTS: ForwardedFacts = { remoteAddress: "192.0.2.7", scheme: "https", host: "payroll.example.com" };
const RULES: HeaderRules = {
  own: new Set(["x-user"]),
  ownCookies: [],
  forwardAuthorization: false,
  preserveHost: false,
};
const MADE = {
  forwarded: "for=192.0.2.7;host=payroll.example.com;proto=https",
  "x-forwarded-for": "192.0.2.7",
  "x-forwarded-host": "payroll.example.com",
  "x-forwarded-proto": "https",
};

interface Given {
  readonly client?: readonly (readonly [string, string])[];
  readonly set?: readonly (readonly [string, string])[];
  readonly facts?: Partial<ForwardedFacts>;
  readonly rules?: Partial<HeaderRules>;
}

function sent({ client = [], set = [], facts = {}, rules = {} }: Given): Record<string, string> | string {
  const result = upstreamHeaders(headersOf(client), set, { ...FACTS, ...facts }, { ...RULES, ...rules });
  return "fault" in result ? result.fault : Object.fromEntries(headersOf(result));
}

function fieldsOf(result: ReturnType<typeof upstreamHeaders>): readonly (readonly [string, string])[] {
  if ("fault" in result) throw new Error(result.fault);
  return result;
}

function headersOf(pairs: readonly (readonly [string, string])[]): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) headers.append(name, value);
  return headers;
}

describe("What an upstream gets of a client's headers", () => {
  test("is what is the client's own, as it came", () => {
    const client = [
      ["accept", "text/html;q=0.9, */*"],
      ["accept-encoding", "gzip, br"],
      ["content-type", "text/plain"],
      ["cookie", "theme=dark"],
      ["if-none-match", 'W/"1"'],
      ["origin", "https://payroll.example.com"],
      ["range", "bytes=0-9"],
      ["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
      ["user-agent", "a browser"],
      ["via", "1.1 balancer"],
      ["x-requested-with", "XMLHttpRequest"],
    ] as const;
    expect(sent({ client })).toEqual({ ...Object.fromEntries(client), ...MADE });
  });

  test.each([
    ...[
      "Connection",
      "Keep-Alive",
      "Proxy-Connection",
      "Proxy-Authorization",
      "Proxy-User",
      "TE",
      "Trailer",
      "Transfer-Encoding",
    ],
    ...["Upgrade", "HTTP2-Settings", "Expect", "Content-Length", "Host", "Authorization"],
    ...["Forwarded", "X-Forwarded", "X-Forwarded-For", "X-Forwarded-Uri", "X-Forwarded-User", "X-Forwarded-Prefix"],
    ...["X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "CF-Connecting-IP", "CF-Ray"],
    ...["CloudFront-Viewer-Address", "X-Envoy-External-Address", "X-Host", "X-Scheme", "Front-End-Https"],
    ...["X-Original-URL", "X-Original-URI", "X-Rewrite-URL"],
    ...["X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override"],
    ...["SCRIPT_NAME", "PATH_INFO", "REMOTE_USER", "Remote-User", "SM_USER", "SM-Groups", "Proxy", "X-User"],
  ])("is nothing of %s, however it is written", (name) => {
    const spellings = [name, name.toUpperCase(), name.replaceAll("-", "_"), name.replace(/[_-]/g, ".")];
    for (const spelling of spellings) expect(sent({ client: [[spelling, "mallory"]] }), spelling).toEqual(MADE);
  });

  test("59. is no spelling of a name that is set, whatever the client writes", () => {
    const name = fc.array(fc.constantFrom("x", "User", "id", "GROUP", "q"), { minLength: 2, maxLength: 4 });
    const separator = fc.constantFrom("-", "_", ".");
    const spelling = fc.tuple(name, fc.array(separator, { minLength: 4, maxLength: 4 }), fc.nat());
    fc.assert(
      fc.property(spelling, fc.boolean(), ([words, separators, seed], hasValue) => {
        const ours = words.join("-");
        const written = words.map((word, at) => (at === 0 ? word : `${separators[at]}${word}`)).join("");
        const cased = [...written]
          .map((letter, at) => ((seed >> (at % 31)) & 1 ? letter.toUpperCase() : letter))
          .join("");
        const set = hasValue ? ([[ours, "alice"]] as const) : [];
        const client = [[cased, "mallory"]] as const;
        const result = sent({ client, set, rules: { own: new Set([foldedName(ours)]) } });
        expect(result).toEqual({ ...MADE, ...(hasValue && { [ours.toLowerCase()]: "alice" }) });
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["X-Trace", { accept: "*/*" }],
    ["close, x-trace , Keep-Alive", { accept: "*/*" }],
    ["X_TRACE", { accept: "*/*" }],
    ["accept", { "x-trace": "1" }],
    ["", { accept: "*/*", "x-trace": "1" }],
  ])("is nothing that Connection names: %j", (connection, kept) => {
    const client = [
      ["Accept", "*/*"],
      ["X-Trace", "1"],
      ["Connection", connection],
    ] as const;
    expect(sent({ client })).toEqual({ ...kept, ...MADE });
  });

  test.each([
    "X-User",
    "close, x_user",
    "x.mail",
    "X-Forwarded-For",
    "Forwarded",
    "keep-alive,X-FORWARDED_HOST",
    "Host",
  ])("is nothing at all when Connection names a header of ours: %j", (connection) => {
    const set = [["X-Mail", "a@example.com"]] as const;
    expect(sent({ client: [["Connection", connection]], set })).toBe("connection_names_ours");
    const twice = [
      ["Connection", "close"],
      ["Connection", connection],
    ] as const;
    expect(sent({ client: twice, set })).toBe("connection_names_ours");
  });
});

describe("Authorization", () => {
  const client = [["Authorization", "Bearer theirs"]] as const;

  test.each<[string, Given, string | undefined]>([
    ["stays here", { client }, undefined],
    ["passes where it is forwarded", { client, rules: { forwardAuthorization: true } }, "Bearer theirs"],
    ["is ours where it is set", { client, set: [["authorization", "Basic ours"]] }, "Basic ours"],
    [
      "is ours alone where it is set and forwarded",
      { client, set: [["Authorization", "Basic ours"]], rules: { forwardAuthorization: true } },
      "Basic ours",
    ],
  ])("%s", (_what, given, expected) => {
    expect((sent(given) as Record<string, string>).authorization).toBe(expected);
  });
});

describe("Cookies", () => {
  test.each([
    ["a=1; b=2", "a=1; b=2"],
    ["a=1;b=2;  c = 3 ;", "a=1;b=2;  c = 3 ;"],
    ["__Host-countersign=s", undefined],
    ["a=1; __Host-countersign=s; b=2", "a=1; b=2"],
    ["__Host-countersign=s; a=1", "a=1"],
    ["a=1; __Host-countersign=s", "a=1"],
    ["__Host-countersign-app-k3=s;a=1;__Secure-countersign=t", "a=1"],
    ["__Host-countersign-tries=1; __Host-countersign=s", undefined],
    ["__Host-countersign = s; a=1", "a=1"],
    ["=__Host-countersign=s; a=1", "a=1"],
    ["__Host-countersign; a=1", "a=1"],
    ["a=1, __Host-countersign=s; b=2", "b=2"],
    ["staff=s; staffroom=1; Staff=2; astaff=3", "staffroom=1; Staff=2; astaff=3"],
    ["a=__Host-countersign; b=staff", "a=__Host-countersign; b=staff"],
    ['a="x; staff=s; y"', 'a="x; y"'],
    ["a=1,2; b=%3B; c==; =d; e", "a=1,2; b=%3B; c==; =d; e"],
    ["staff=s", undefined],
    ["staff = s; a=1", "a=1"],
  ])("%j are sent as %j", (cookie, expected) => {
    const result = sent({ client: [["Cookie", cookie]], rules: { ownCookies: ["staff"] } });
    expect(result).toEqual({ ...MADE, ...(expected !== undefined && { cookie: expected }) });
  });

  test("that came in several fields lose ours, too", () => {
    const client = [
      ["Cookie", "a=1"],
      ["Cookie", "__Host-countersign=s"],
      ["Cookie", "b=2"],
    ] as const;
    expect(JSON.stringify(sent({ client }))).not.toContain("countersign=");
  });

  test("59. of others stay byte for byte and in order, and ours never pass", () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab="\\ %/,.\xe9'), maxLength: 8 });
    const other = fc.tuple(fc.constantFrom("a", "b", "sid", "__Host-other", "countersign"), text);
    const ours = fc.tuple(
      fc.constantFrom("__Host-countersign", "__Secure-countersign-x", "staff"),
      fc.constant("secret"),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(other, ours), { maxLength: 8 }), (pairs) => {
        const join = (some: readonly (readonly [string, string])[]) => some.map(([n, v]) => `${n}=${v}`).join("; ");
        const others = pairs.filter(([, value]) => value !== "secret");
        const client = new Headers({ Cookie: join(pairs) });
        const result = headersOf(fieldsOf(upstreamHeaders(client, [], FACTS, { ...RULES, ownCookies: ["staff"] })));
        // `Headers` take the space at the end.
        expect((result.get("Cookie") ?? "").trim()).toBe(join(others).trim());
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("Where a request came from", () => {
  test.each<[Partial<ForwardedFacts>, string | undefined, string]>([
    [{ remoteAddress: "192.0.2.7" }, "192.0.2.7", "for=192.0.2.7;host=payroll.example.com;proto=https"],
    [{ remoteAddress: "2001:DB8::1" }, "2001:db8::1", 'for="[2001:db8::1]";host=payroll.example.com;proto=https'],
    [{ remoteAddress: "::ffff:192.0.2.7" }, "192.0.2.7", "for=192.0.2.7;host=payroll.example.com;proto=https"],
    [{ remoteAddress: "fe80::1%eth0" }, "fe80::1", 'for="[fe80::1]";host=payroll.example.com;proto=https'],
    [{ remoteAddress: "a, 192.0.2.1" }, undefined, "for=unknown;host=payroll.example.com;proto=https"],
    [{ host: "localhost:8443" }, "192.0.2.7", 'for=192.0.2.7;host="localhost:8443";proto=https'],
    [{ host: "[::1]:80", scheme: "http" }, "192.0.2.7", 'for=192.0.2.7;host="[::1]:80";proto=http'],
  ])("%j is told", (facts, forwardedFor, forwarded) => {
    const client = [
      ["X-Forwarded-For", "198.51.100.1"],
      ["Forwarded", "for=198.51.100.1"],
    ] as const;
    const result = sent({ client, facts }) as Record<string, string>;
    expect(result["x-forwarded-for"]).toBe(forwardedFor);
    expect(result.forwarded).toBe(forwarded);
    expect(result["x-forwarded-host"]).toBe(facts.host ?? FACTS.host);
    expect(result["x-forwarded-proto"]).toBe(facts.scheme ?? "https");
  });

  test("is unknown when the client is gone", () => {
    const { remoteAddress: _, ...facts } = FACTS;
    const client = new Headers({ "X-Forwarded-For": "198.51.100.1" });
    const result = headersOf(fieldsOf(upstreamHeaders(client, [], facts, RULES)));
    expect(result.get("X-Forwarded-For")).toBeNull();
    expect(result.get("Forwarded")).toBe("for=unknown;host=payroll.example.com;proto=https");
  });

  test("is what the app sets, where it sets it", () => {
    const set = [
      ["X_Forwarded_Host", "inside"],
      ["Forwarded", "for=_hidden"],
    ] as const;
    const { "x-forwarded-host": _, ...made } = MADE;
    expect(sent({ set })).toEqual({ ...made, forwarded: "for=_hidden", x_forwarded_host: "inside" });
  });

  test("Host is the client's where it is preserved, and else the upstream's", () => {
    const client = [["Host", "elsewhere"]] as const;
    expect(sent({ client })).toEqual(MADE);
    expect(sent({ client, rules: { preserveHost: true } })).toEqual({ ...MADE, host: FACTS.host });
  });
});

describe("Headers that are set", () => {
  test.each<[string, string, string | undefined]>([
    ["X-User", "alice", "alice"],
    ["X-User", "caf\xe9 %C3", "caf\xe9 %C3"],
    ["SM_USER", "alice", "alice"],
    ["X-User", "alice\r\nX-Admin: 1", undefined],
    ["X-User", "alice\n", undefined],
    ["X-User", "a\0", undefined],
    ["X-User", "a\x01b", undefined],
    ["X-User", "a\x7f", undefined],
    ["X-User", "snow \u2603", undefined],
    ["X User", "alice", undefined],
    ["", "alice", undefined],
  ])("%s: %j", (name, value, expected) => {
    const result = sent({ set: [[name, value]] });
    if (expected === undefined) expect(result).toBe("header");
    else expect(result).toEqual({ ...MADE, [name.toLowerCase()]: expected });
  });

  test("that a client spells otherwise are ours alone", () => {
    const client = [
      ["x_user", "m"],
      ["X.User", "m"],
      ["X-USER", "m"],
      ["x-user", "m"],
    ] as const;
    expect(sent({ client, set: [["X-User", "alice"]] })).toEqual({ ...MADE, "x-user": "alice" });
  });
});
