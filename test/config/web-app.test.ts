import { describe, expect, test } from "vitest";
import { assembleWebApp } from "../../lib/config/assemble/web-app.ts";
import { fillPlaceholders } from "../../lib/config/fill.ts";
import { validate } from "../../lib/config/validate.ts";
import type { WebAppConfiguration } from "../../lib/config/web-app-configuration.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { compiled, mistakes, startMistakes, warningsOf } from "./support.ts";

const HEAD = `version: 1
http: {publicURL: "https://gw.example"}
connectors:
  - {name: corp, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://corp.example/x"}
  - {name: partner, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://partner.example/x"}
tls: {internal: {caFile: /ca.pem}}
`;
const PROVIDER = "oidcProvider: {region: us}\n";
const POLICY = "{location: /, authentication: {idps: [corp]}, authorization: {allowAll: true}}";

/** One app; later keys replace those that every app needs. */
function app(keys: Readonly<Record<string, string>> = {}, name = "payroll"): string {
  const all = {
    name,
    type: "proxy",
    routePatterns: "[payroll.example.com]",
    upstream: "https://payroll.internal.example",
    policies: `[${POLICY}]`,
    ...keys,
  };
  return `  - {${Object.entries(all).map(([key, value]) => `${key}: ${value}`)}}\n`;
}

const web = (keys: Readonly<Record<string, string>> = {}, head = "") => `${HEAD}${head}apps:\n${app(keys)}`;
const policy = (keys: string, location = "/") => web({ policies: `[{location: '${location}', ${keys}}]` });
const authorized = (keys: string) => policy(`authentication: {idps: [corp]}, authorization: {${keys}}`);
const open = (location: string) => policy("authentication: {allowUnauthenticated: true}", location);
const headers = (...list: string[]) => web({ headers: `[${list}]` });
const header = (name: string, value = "a") => `{name: ${name}, value: '${value}'}`;

/** The first app as requests will meet it, though not all of it may be served yet. */
async function assembled(text: string, secrets: Readonly<Record<string, string>> = {}): Promise<WebAppConfiguration> {
  const { document, placeholders } = await compiled(text);
  const sources = { environment: { GROUP: "payroll" }, secrets: environmentSecrets(secrets)("env://S_") };
  const { withSecrets } = await fillPlaceholders(document, placeholders, sources);
  const found = validate(document, { unresolved: new Set(), written: new Map() });
  expect(found.problems).toEqual([]);
  const first = found.document?.apps[0];
  if (first?.type !== "proxy") throw new Error("not a web app");
  return assembleWebApp(first, 0, { written: new Map(), withSecrets, policies: {}, signIn: ["corp", "partner"] });
}

describe("a web app", () => {
  test("has the defaults of the design", async () => {
    expect(await assembled(web())).toEqual({
      type: "proxy",
      name: "payroll",
      routes: [{ host: "payroll.example.com", path: "/" }],
      upstream: "https://payroll.internal.example",
      stripPrefix: "",
      preserveHost: false,
      timeout: 30_000,
      maxBody: 100_000_000,
      headers: [],
      forwardAuthorization: false,
      policies: [
        { location: { kind: "prefix", path: "/" }, allowUnauthenticated: false, idps: ["corp"], policies: [] },
      ],
      allowedOrigins: [],
    });
  });

  test("is all that is written", async () => {
    const text = web(
      {
        organization: "acme",
        shared: "true",
        members: "any",
        routePatterns: "[/payroll/, WWW.example.com/payroll]",
        upstream: "https://a.example/base/",
        stripPrefix: "/payroll/",
        preserveHost: "true",
        tls: "internal",
        timeout: "5s",
        maxBody: "512KiB",
        headers: `[${header("SM_USER", "{{ corp.email }}")}, ${header("X-Key", "Bearer <a.key>")}, ${header("X-Id", "{{ user.sub }}/{{ request.id }}")}]`,
        forwardAuthorization: "true",
        assertion: "{claims: [groups]}",
        unauthorizedPage: "https://www.example.com/denied",
        errorPage: "https://www.example.com/error",
        cors: '{allowedOrigins: ["https://www.example.com"]}',
        logoutURL: "/payroll/%6Cogout",
        policies: `[{location: '= /payroll/x', methods: [GET], authentication: {bearer: {audiences: [a], scopes: [b]}}, authorization: {cel: 'request.http.host == "a"'}},
          {location: '~ \\.css$', authentication: {allowUnauthenticated: true}}]`,
      },
      PROVIDER,
    );
    expect(await assembled(text, { S_A_KEY: "{{ corp.email }}" })).toMatchObject({
      organization: "acme",
      isShared: true,
      members: "any",
      routes: [{ path: "/payroll" }, { host: "www.example.com", path: "/payroll" }],
      upstream: "https://a.example/base",
      stripPrefix: "/payroll",
      preserveHost: true,
      tls: "internal",
      timeout: 5_000,
      maxBody: 524_288,
      headers: [
        { name: "sm_user", parts: [{ connector: "corp", claim: "email" }] },
        // What a secret holds is no template.
        { name: "x-key", parts: [{ text: "Bearer " }, { text: "{{ corp.email }}", isSecret: true }] },
        { name: "x-id", parts: [{ user: "sub" }, { text: "/" }, { request: "id" }] },
      ],
      forwardAuthorization: true,
      assertion: {
        header: "x-countersign-assertion",
        audience: "https://a.example",
        claims: ["groups"],
        lifetime: 60_000,
      },
      unauthorizedPage: "https://www.example.com/denied",
      errorPage: "https://www.example.com/error",
      allowedOrigins: ["https://www.example.com"],
      logoutPath: "/payroll/logout",
      policies: [
        {
          location: { kind: "exact", path: "/payroll/x" },
          methods: ["GET"],
          bearer: { audiences: ["a"], scopes: ["b"] },
          idps: [],
          policies: [{ engine: "cel", name: "policies[0].cel", expression: 'request.http.host == "a"' }],
        },
        { location: { kind: "pattern", source: "\\.css$" }, allowUnauthenticated: true, idps: [], policies: [] },
      ],
    });
  });

  test("takes oidcProvider for every connector, each once", async () => {
    const policies = "[{location: /, authentication: {idps: [partner, oidcProvider]}}]";
    const { policies: found } = await assembled(web({ policies }, PROVIDER));
    expect(found[0]?.idps).toEqual(["partner", "corp"]);
  });

  test("has its comparisons in one policy, before the others", async () => {
    const text = authorized(
      "cel: 'user.a == 1', rules: [{contains: ['{{ corp.groups }}', '{{ env.GROUP }}']}, {notEquals: ['{{corp.kind}}', b]}], rulesAggregationMethod: or",
    );
    const { policies } = await assembled(text);
    expect(policies[0]?.policies).toEqual([
      {
        engine: "rules",
        name: "policies[0].rules",
        aggregation: "or",
        rules: [
          { operator: "contains", operands: [{ connector: "corp", claim: "groups" }, { text: "payroll" }] },
          { operator: "notEquals", operands: [{ connector: "corp", claim: "kind" }, { text: "b" }] },
        ],
      },
      { engine: "cel", name: "policies[0].cel", expression: "user.a == 1" },
    ]);
  });
});

/** Documents with one mistake: where it is, and the words that must come back. */
const BROKEN: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  ["an upstream is needed", web({ upstream: "~" }), "apps[0].upstream", "required and missing"],
  ["routes are needed", web({ routePatterns: "[]" }), "apps[0].routePatterns", "at least one route"],
  ["policies are needed", web({ policies: "[]" }), "apps[0].policies", "at least one policy"],
  [
    "a route is a host and a path",
    web({ routePatterns: '["https://a.example"]' }),
    "routePatterns[0]",
    "a host, a path or both",
  ],
  [
    "a route has a path that requests may have",
    web({ routePatterns: "[/a%2Fb]" }),
    "routePatterns[0]",
    "a host, a path or both",
  ],
  [
    "a location is one",
    policy("authentication: {idps: [corp]}", "payroll"),
    "policies[0].location",
    "a path that begins with /, = and a path",
  ],
  [
    "a location has an expression that takes little time",
    policy("authentication: {idps: [corp]}", "~ (?=a)"),
    "policies[0].location",
    "the expression has a group of another kind",
  ],
  [
    "an upstream has no query",
    web({ upstream: '"https://a.example/?a"' }),
    "apps[0].upstream",
    "without user name, password, query or fragment",
  ],
  ["an upstream has no fragment", web({ upstream: '"https://a.example/#a"' }), "apps[0].upstream", "query or fragment"],
  [
    "an upstream has no credentials",
    web({ upstream: '"https://a:b@a.example"' }),
    "apps[0].upstream",
    "user name, password",
  ],
  ["a size has a unit", web({ maxBody: '"100"' }), "apps[0].maxBody", "a positive size such as 512KB"],
  ["a size is above zero", web({ maxBody: "0MB" }), "apps[0].maxBody", "a positive size"],
  ["a timeout is one that a timer can wait for", web({ timeout: "600h" }), "apps[0].timeout", "at most 24 days"],
  [
    "a method is in upper case",
    policy("methods: [get], authentication: {idps: [corp]}"),
    "methods[0]",
    "in upper case",
  ],
  [
    "methods are some",
    policy("methods: [], authentication: {idps: [corp]}"),
    "policies[0].methods",
    "at least one method",
  ],
  ["tls is an entry of tls", web({ tls: "intrenal" }), "apps[0].tls", 'did you mean "internal"?'],
  ["idps are connectors", policy("authentication: {idps: [crop]}"), "idps[0]", 'did you mean "corp"?'],
  [
    "idps may be this instance only where it is a provider",
    policy("authentication: {idps: [oidcProvider]}"),
    "idps[0]",
    "accepted: corp, partner",
  ],
  [
    "a policy lets somebody in",
    policy("authorization: {allowAll: true}"),
    "policies[0].authentication",
    "lets nobody in",
  ],
  [
    "idps that are none let nobody in",
    policy("authentication: {idps: []}"),
    "policies[0].authentication",
    "lets nobody in",
  ],
  [
    "who is not signed in is let in alone",
    policy("authentication: {idps: [corp], allowUnauthenticated: true}"),
    "allowUnauthenticated",
    "stands beside idps",
  ],
  [
    "a program stands beside nobody either",
    web(
      { policies: "[{location: /, authentication: {bearer: {audiences: [a]}, allowUnauthenticated: true}}]" },
      PROVIDER,
    ),
    "allowUnauthenticated",
    "stands beside bearer",
  ],
  [
    "a bearer token is of an audience",
    web({ policies: "[{location: /, authentication: {bearer: {audiences: []}}}]" }, PROVIDER),
    "bearer.audiences",
    "at least one audience",
  ],
  [
    "a bearer token is of a server that is known",
    policy("authentication: {bearer: {audiences: [a]}}"),
    "authentication.bearer",
    "needs a server whose tokens count",
  ],
  ["an open pattern ends", open("~ \\.css"), "policies[0].location", "without $ at its end"],
  [
    "an open pattern ends in each alternative",
    open("~ /public|\\.css$"),
    "policies[0].location",
    "without $ at its end",
  ],
  [
    "an open pattern ends with no dollar of its own",
    open("~ \\.css\\$"),
    "policies[0].location",
    "without $ at its end",
  ],
  [
    "authorization says something",
    authorized(""),
    "policies[0].authorization",
    "found no check; accepted: allowAll: true, or any of rules, cel, opa and authzen",
  ],
  ["authorization says more than no", authorized("allowAll: false"), "policies[0].authorization", "found no check"],
  ["rules that are none say nothing", authorized("rules: []"), "policies[0].authorization", "found no check"],
  ["allowAll stands alone", authorized("allowAll: true, cel: 'true'"), "authorization.allowAll", "stands beside cel"],
  [
    "an expression is about requests",
    authorized("cel: 'request.mcp.app == \"a\"'"),
    "authorization.cel",
    'request has no member "mcp"',
  ],
  [
    "a policy in Rego comes from one place",
    authorized("opa: {}"),
    "authorization.opa",
    "found none of url, rego, file and plan",
  ],
  [
    "a policy of a web app lists no tools",
    authorized("opa: {url: 'https://a.example', list: true}"),
    "opa.list",
    "unknown key",
  ],
  [
    "a rule has one operator",
    authorized("rules: [{}]"),
    "rules[0]",
    "found none of equals, notEquals, contains and notContains",
  ],
  [
    "a rule has one operator only",
    authorized("rules: [{equals: ['{{ corp.a }}', b], contains: ['{{ corp.a }}', b]}]"),
    "rules[0]",
    "found equals and contains",
  ],
  [
    "a rule has two operands",
    authorized("rules: [{equals: ['{{ corp.a }}']}]"),
    "rules[0].equals",
    "a list of two texts",
  ],
  [
    "an operand is a claim as a whole",
    authorized("rules: [{equals: ['a {{ corp.a }}', b]}]"),
    "rules[0].equals[0]",
    "without anything beside it",
  ],
  [
    "an operand is of a connector",
    authorized("rules: [{equals: ['{{ crop.a }}', b]}]"),
    "rules[0].equals[0]",
    "found a claim of what is not the name of a connector; accepted: corp, partner",
  ],
  [
    "an operand is of a connector, not of the request",
    authorized("rules: [{equals: ['{{ user.sub }}', b]}]"),
    "rules[0].equals[0]",
    "accepted: {{ env.NAME }}, {{ connector.CLAIM }}",
  ],
  [
    "a rule compares what changes",
    authorized("rules: [{equals: [a, b]}]"),
    "rules[0].equals",
    "compares two texts that never change",
  ],
  [
    "a rule has an operator that there is",
    authorized("rules: [{equals: ['{{ corp.a }}', b], containsAll: [a, b]}]"),
    "rules[0].containsAll",
    "unknown key",
  ],
  ["a header has a name", headers(header("'a b'")), "headers[0].name", "a header name"],
  [
    "a header is of a connector",
    headers(header("a", "{{ crop.email }}")),
    "headers[0].value",
    "found a claim of what is not the name of a connector",
  ],
  [
    "a header's placeholder is one",
    headers(header("a", "{{ email }}")),
    "headers[0].value",
    "{{ connector.CLAIM }}, {{ user.CLAIM }}",
  ],
  [
    "a header stands once",
    headers(header("SM_USER"), header("sm.user")),
    "headers[1].name",
    "is the header of apps[0].headers[0].name to an upstream that takes _ and . for -",
  ],
  [
    "a header frames no request",
    headers(header("Content_Length")),
    "headers[0].name",
    "makes Content_Length by itself",
  ],
  ["a header is not of the connection", headers(header("Keep-Alive")), "headers[0].name", "makes Keep-Alive by itself"],
  [
    "a header is none that tells of the client",
    headers(header("X_Forwarded.For")),
    "headers[0].name",
    "makes X_Forwarded.For by itself",
  ],
  ["cookies are the client's", headers(header("Cookie")), "headers[0].name", "makes Cookie by itself"],
  [
    "Authorization is the client's or ours",
    web({ headers: `[${header("Authorization")}]`, forwardAuthorization: "true" }),
    "headers[0].name",
    "stands beside forwardAuthorization: true",
  ],
  [
    "an assertion's header is no other",
    web({ headers: `[${header("x_countersign_assertion")}]`, assertion: "{}" }, PROVIDER),
    "assertion.header",
    "is the header of apps[0].headers[0].name",
  ],
  [
    "an assertion's header frames no request",
    web({ assertion: "{header: Host}" }, PROVIDER),
    "assertion.header",
    "makes Host by itself",
  ],
  ["an assertion needs keys", web({ assertion: "{}" }), "apps[0].assertion", "needs keys that sign it"],
  [
    "an assertion says by itself for whom it is",
    web({ assertion: "{claims: [aud]}" }, PROVIDER),
    "assertion.claims[0]",
    "aud says what the assertion is",
  ],
  ["an assertion ends", web({ assertion: "{lifetime: 2h}" }, PROVIDER), "assertion.lifetime", "at most 1h"],
  [
    "a route stands once in all apps",
    `${web()}${app({}, "wiki")}`,
    "apps[1].routePatterns[0]",
    "found a route that stands above already, at apps[0].routePatterns[0]",
  ],
  [
    "a route of our host stands once, written or not",
    web({ routePatterns: "[/payroll/, gw.example/payroll]" }),
    "routePatterns[1]",
    "found a route that stands above already",
  ],
  [
    "a location stands once",
    web({ policies: `[${POLICY}, {location: //, authentication: {allowUnauthenticated: true}}]` }),
    "policies[1].location",
    "found a location that stands above already, at apps[0].policies[0].location",
  ],
  [
    "a page is a URL",
    web({ unauthorizedPage: "/denied" }),
    "apps[0].unauthorizedPage",
    "an absolute http or https URL",
  ],
  [
    "an error page is a URL",
    web({ errorPage: "'javascript:a'" }),
    "apps[0].errorPage",
    "an absolute http or https URL",
  ],
  [
    "an origin has no path",
    web({ cors: '{allowedOrigins: ["https://a.example/"]}' }),
    "allowedOrigins[0]",
    "an origin such as",
  ],
  ["no origin is all of them", web({ cors: '{allowedOrigins: ["*"]}' }), "allowedOrigins[0]", "an origin such as"],
  [
    "no origin is that of nobody",
    web({ cors: '{allowedOrigins: ["null"]}' }),
    "allowedOrigins[0]",
    "an origin such as",
  ],
  [
    "people sign out at a path",
    web({ logoutURL: '"https://a.example/logout"' }),
    "apps[0].logoutURL",
    "a path that begins with /",
  ],
  [
    "people sign out at a path without query",
    web({ logoutURL: '"/logout?a"' }),
    "apps[0].logoutURL",
    "without query and fragment",
  ],
  [
    "people sign out at a path that requests may have",
    web({ logoutURL: "/a%2Fb" }),
    "apps[0].logoutURL",
    "is a path that this version refuses in requests",
  ],
  [
    "people sign out at a path of the app",
    web({ routePatterns: "[/payroll]", logoutURL: "/logout" }),
    "apps[0].logoutURL",
    "is at no route of the app",
  ],
  [
    "what is taken from the path is in front of it",
    web({ routePatterns: "[/payroll, /wiki]", stripPrefix: "/payroll" }),
    "apps[0].stripPrefix",
    "is not in front of every route",
  ],
  [
    "what is taken from the path ends at a segment",
    web({ routePatterns: "[/payroll]", stripPrefix: "/pay" }),
    "apps[0].stripPrefix",
    "is not in front of every route",
  ],
  [
    "an extension in Go does not run",
    web({ isAuthorizedSE: "{funcName: F}" }),
    "apps[0].isAuthorizedSE",
    "extensions in Go do not run here; use CEL or OPA policies",
  ],
  [
    "nobody is logged in by a form",
    web({ upstreamLogin: "{}" }),
    "apps[0].upstreamLogin",
    "send what it needs as `headers`",
  ],
  [
    "attributes come from connectors",
    web({ attrProviders: "[]" }),
    "apps[0].attrProviders",
    "name it as `{{ connector.CLAIM }}`",
  ],
];

describe("a document that breaks a rule is refused", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toEqual([expect.stringContaining(message)]);
    expect(found[0]).toContain(`${path}: `);
  });
});

describe("a document that keeps the rules is accepted", () => {
  test.each([
    ["an open path", open("/assets")],
    ["an open pattern that ends in each alternative", open("~ \\.(css|js)$|^/favicon\\.ico$")],
    ["a pattern without an end where people sign in", policy("authentication: {idps: [corp]}", "~ /admin")],
    [
      "two policies of one location, by methods",
      web({
        policies: `[{location: /, methods: [GET], authentication: {idps: [corp]}}, {location: /, methods: [POST], authentication: {idps: [partner]}}]`,
      }),
    ],
    ["one path on two hosts", `${web()}${app({ routePatterns: "[wiki.example.com]" }, "wiki")}`],
    ["a header for the upstream's own account", headers(header("Authorization", "Basic abc"))],
    [
      "a rule with a placeholder of the environment",
      authorized("rules: [{contains: ['{{ corp.groups }}', '{{ env.GROUP }}']}]"),
    ],
    ["braces and brackets in an expression", authorized('cel: \'user.a == "{{ x" || "<a.b>" == user.b\'')],
  ])("%s", async (_, yaml) => {
    expect(await mistakes(yaml)).toEqual([]);
  });
});

describe("at start, where the public URL is known", () => {
  const mcp = "mcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp}}}\n";
  test.each([
    [
      "a route that is an endpoint",
      web({ routePatterns: "[/mcp]" }, mcp),
      "routePatterns[0]: /mcp belongs to stream, which always wins",
    ],
    [
      "a route that is one of the provider",
      web({ routePatterns: "[gw.example/oauth2/token/]" }, PROVIDER),
      "/oauth2/token belongs to token, which always wins",
    ],
    [
      "a route in the Console",
      web({ routePatterns: "[/console/x]" }, "console: {enabled: true}\n"),
      "/console/x belongs to the Console",
    ],
    [
      "a route in the management API",
      web({ routePatterns: "[/api/v1]" }, "console: {enabled: true}\n"),
      "/api/v1 belongs to the management API",
    ],
    [
      "a route at the sign-in of every host",
      web({ routePatterns: "[a.example/.countersign]" }),
      "/.countersign belongs to sign-in for web apps",
    ],
    [
      "an upstream that is the app",
      web({ upstream: "https://payroll.example.com/x" }),
      "upstream: is the app's own route",
    ],
    [
      "an upstream that is the app on our host",
      web({ routePatterns: "[/payroll]", upstream: "https://gw.example" }),
      "upstream: is the app's own route",
    ],
    [
      "an error page behind the app",
      web({ errorPage: "https://payroll.example.com/error" }),
      "errorPage: is a page of the app itself",
    ],
    [
      "a page for the denied behind the app",
      web({ unauthorizedPage: "https://payroll.example.com/" }),
      "unauthorizedPage: is a page of the app itself",
    ],
  ])("%s is a mistake", async (_, text, message) => {
    expect(await startMistakes(text)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ["a route that has our paths below it", web({ routePatterns: "[/]" }, mcp)],
    ["the path of an endpoint on another host", web({ routePatterns: "[app.example.com/mcp]" }, mcp)],
    [
      "an upstream on our host at another path",
      web({ routePatterns: "[/payroll]", upstream: "https://gw.example", stripPrefix: "/payroll" }),
    ],
    [
      "a page on our host outside of the app",
      web({ routePatterns: "[/payroll]", errorPage: "https://gw.example/sorry" }),
    ],
  ])("%s is none", async (_, text) => {
    expect(await startMistakes(text)).toEqual([]);
  });

  test.each([
    ["workers", { tls: "internal" }, "apps[0].tls: connections on Workers have no TLS settings of their own"],
    ["workers", { preserveHost: "true" }, "apps[0].preserveHost: found true; accepted: false on Workers"],
    ["lambda", { timeout: "51s" }, 'apps[0].timeout: found "51s"; accepted: at most 50s on Lambda'],
  ] as const)("%s refuses %j", async (runtime, keys, message) => {
    const text = web(keys, `mcpProvider: {enabled: false, stateSecret: ${"A".repeat(43)}}\n`);
    expect(await startMistakes(text, { runtime })).toEqual([expect.stringContaining(message)]);
  });
});

describe("warnings", () => {
  const about = async (text: string, words: string) => (await warningsOf(text)).filter((one) => one.includes(words));

  test("of a policy in Rego stand where it does", async () => {
    const policies =
      "[{location: /, authentication: {idps: [corp]}, authorization: {opa: {rego: 'x := input.request.http.headers.Authorization'}}}]";
    expect(await about(web({ policies }), "reads the Authorization header")).toEqual([
      expect.stringMatching(/^apps\[0\]\.policies\[0\]\.authorization\.opa: /),
    ]);
  });

  test("say who may use an app without authorization", async () => {
    const policies = (keys: string) => web({ policies: `[{location: /, authentication: {${keys}}}]` }, PROVIDER);
    const words = "may use it: say so with authorization.allowAll: true, or add checks";
    expect(await about(policies("idps: [corp]"), words)).toEqual([
      `apps[0].policies[0]: everybody who can sign in at corp ${words}`,
    ]);
    expect(await about(policies("idps: [oidcProvider], bearer: {audiences: [a]}"), words)).toEqual([
      `apps[0].policies[0]: everybody who can sign in at corp, partner and every program with a token for it ${words}`,
    ]);
    expect(await about(policies("allowUnauthenticated: true"), words)).toEqual([]);
    expect(await about(web(), words)).toEqual([]);
  });

  test("are loud about an app on the Console's own origin", async () => {
    const on = (route: string, baseURL = "") =>
      about(web({ routePatterns: `[${route}]` }, `console: {enabled: true${baseURL}}\n`), "DANGEROUS");
    expect(await on("/payroll")).toEqual([
      expect.stringContaining("apps[0].routePatterns[0]: DANGEROUS: the app shares"),
    ]);
    expect(await on("gw.example/payroll")).toHaveLength(1);
    expect(await on("console.example", ", baseURL: 'https://console.example'")).toHaveLength(1);
    expect(await on("payroll.example.com")).toEqual([]);
  });

  test("say that people must belong to the organization, where clients come that nobody set up", async () => {
    const head = `${PROVIDER}mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization: {oauth: {enabled: true, metadataPath: /m, servers: [{wellKnownEndpoint: "https://gw.example/.well-known/oauth-authorization-server", tokenValidation: {expectedAudiences: ["https://gw.example/mcp"]}}]}}
`;
    const words = "people must belong to the app's organization";
    expect(await about(web({}, head), words)).toEqual([expect.stringContaining("apps[0]: as clients come")]);
    expect(await about(web({ members: "any" }, head), words)).toEqual([]);
  });

  test("say when nobody can sign in, as the only connector is this very instance", async () => {
    const text = web({ policies: "[{location: /, authentication: {idps: [self]}}]" }, PROVIDER).replace(
      "tls:",
      '  - {name: self, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://gw.example/.well-known/openid-configuration"}\ntls:',
    );
    expect(await about(text, "nobody can sign in for it")).toEqual([
      expect.stringContaining("apps[0].policies[0].authentication.idps: nobody"),
    ]);
  });
});
