import { describe, expect, test } from "vitest";
import { checkAhead } from "../../lib/config/resolve.ts";
import { compiled, mistakes, resolved, startMistakes } from "./support.ts";

const scheme = (definition: object, security: object = [{ one: [] }]) => ({
  openapi: "3.1.0",
  info: { title: "One", version: "1" },
  servers: [{ url: "https://one.example" }],
  paths: {
    "/a": { get: { operationId: "getA", responses: {} } },
    "/b": { get: { operationId: "getB", responses: {}, security } },
    "/c": { get: { operationId: "getC", responses: {}, security } },
  },
  components: { securitySchemes: { one: definition } },
});
const API_KEY = { type: "apiKey", in: "header", name: "X-Key" };
const BASIC = { type: "http", scheme: "basic" };
const BEARER = { type: "oauth2", flows: {} };

const app = (document: object, keys: string, more = "") =>
  `version: 1\napps: [{name: a, type: mcpBridge, openapi: {spec: {data: '${JSON.stringify(document)}'}}, upstream: {${keys}}${more}}]`;
const auth = (definition: object, credential: string) => app(scheme(definition), `auth: {one: ${credential}}`);

/** A mistake of `upstream.auth` each, with words that must come back. */
const BROKEN: readonly (readonly [what: string, yaml: string, message: string])[] = [
  [
    "a scheme that is not there",
    app(scheme(API_KEY), "auth: {ome: {value: a}}"),
    'auth.ome: is the name of no security scheme of the OpenAPI document; did you mean "one"?',
  ],
  [
    "a scheme that resembles none",
    app(scheme(API_KEY), "auth: {digest: {value: a}}"),
    "is the name of no security scheme of the OpenAPI document; accepted: one",
  ],
  [
    "a scheme where there is none",
    app({ ...scheme(API_KEY, []), components: {} }, "auth: {one: {value: a}}"),
    "which defines none; accepted: a header in upstream.headers",
  ],
  [
    "a user for an API key",
    auth(API_KEY, "{username: a, password: b}"),
    "auth.one: is an API key in the OpenAPI document; accepted: value",
  ],
  [
    "a user for a token",
    auth(BEARER, "{username: a, password: b}"),
    "is a bearer token in the OpenAPI document; accepted: value",
  ],
  [
    "a value for a user",
    auth(BASIC, "{value: a}"),
    "is HTTP Basic in the OpenAPI document; accepted: username and password",
  ],
  ["a value for a user, from a secret", auth(BASIC, "{value: <a.b>}"), "accepted: username and password"],
  ["a certificate", auth({ type: "mutualTLS" }, "{value: a}"), "accepted: a client certificate by upstream.tls"],
  [
    "another scheme of HTTP",
    auth({ type: "http", scheme: "digest" }, "{value: a}"),
    "auth.one: is http digest in the OpenAPI document",
  ],
  [
    "an API key that frames the request",
    auth({ ...API_KEY, name: "Content-Length" }, "{value: a}"),
    "is an API key in the header Content-Length",
  ],
  ["a scheme that is broken", auth({ type: "apiKey" }, "{value: a}"), "is not a valid Security Scheme Object"],
  ["a value and a user", auth(API_KEY, "{value: a, username: b, password: c}"), "found value and username"],
  ["neither", auth(API_KEY, "{}"), "found none of value and username"],
  ["no password", auth(BASIC, "{username: a}"), "one.password: required beside username; accepted: text, also empty"],
  ["a colon in a user", auth(BASIC, "{username: 'a:b', password: ''}"), "one.username: found a colon"],
  ["a key that no header holds", auth(API_KEY, "{value: ä}"), "one.value: found characters that are not ASCII"],
];

describe("upstream.auth refuses", () => {
  test.each(BROKEN)("%s", async (_, yaml, message) => {
    const found = await mistakes(yaml);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  test("10. what a secret holds, and never shows it", async () => {
    const text = auth(API_KEY, "{value: <a.b>}");
    expect(await startMistakes(text, { secrets: { S_A_B: "hünter2" } })).toEqual([
      expect.stringMatching(/auth\.one\.value: found characters that are not ASCII; accepted: [^ü]*$/),
    ]);
  });
});

test("credentials and headers are the app's, and no template but the document's own is read", async () => {
  const text = app(
    scheme(API_KEY),
    `auth: {one: {value: <a.b>}}, headers: {X-User: 'u-{{ user.sub }}', X-Env: '{{ env.A }}', X-Secret: <a.c>}`,
  );
  const secrets = { S_A_B: "hunter2", S_A_C: "{{ user.sub }}" };
  const { configuration } = await resolved(text, { environment: { A: "plain" }, secrets });
  expect(configuration.apps).toMatchObject([
    {
      auth: { one: { value: "hunter2" } },
      headers: [
        { name: "x-user", parts: [{ text: "u-" }, { user: "sub" }] },
        { name: "x-env", parts: [{ text: "plain" }], isSecret: true },
        { name: "x-secret", parts: [{ text: "{{ user.sub }}" }], isSecret: true },
      ],
      catalog: {
        securitySchemes: { one: { kind: "apiKey", in: "header", name: "X-Key" } },
        security: [
          { alternatives: [["one"], []], count: 1, example: "a_getA" },
          { alternatives: [["one"]], count: 2, example: "a_getB" },
        ],
      },
    },
  ]);
  expect(JSON.stringify(configuration.apps.map((one) => "catalog" in one && one.catalog))).not.toContain("hunter2");
});

describe("a credential that nothing gives", () => {
  const unmet = async (text: string, environment = {}) =>
    (await resolved(text, { environment })).warnings
      .filter(({ message }) => message.includes("need credentials"))
      .map(({ path, message }) => `${path}: ${message}`);
  const exchange = ", authorization: {outbound: {type: tokenExchange, tokenExchange: {idp: corp, audience: a}}}";
  const CONNECTOR =
    "\nconnectors: [{name: corp, type: oidc, oauthClientID: a, oidcWellKnownURL: 'https://corp.example/x'}]";

  test("is pointed out with the number of tools and one of them", async () => {
    expect(await unmet(app(scheme(API_KEY, [{ one: [], two: [] }, { three: [] }]), ""))).toEqual([
      "apps[0].upstream: 2 of 3 tools need credentials that nothing here gives, for example a_getB (one with two or three); accepted: upstream.auth",
    ]);
  });

  test.each([
    ["upstream.auth", app(scheme(API_KEY), "auth: {one: {value: a}}")],
    ["a header", app(scheme(API_KEY), "headers: {x-key: a}")],
    ["Authorization", app(scheme(BASIC), "headers: {Authorization: Basic YQ==}")],
    ["an exchanged token", app(scheme(BEARER), "", exchange) + CONNECTOR],
    ["a choice of none", app(scheme(API_KEY, [{ one: [] }, {}]), "")],
    ["a certificate", app(scheme({ type: "mutualTLS" }), "")],
  ])("is not told of with %s", async (_, text) => {
    expect(await unmet(text)).toEqual([]);
  });

  test("is told of before placeholders are filled, too, unless one decides on it", async () => {
    const ahead = async (text: string) =>
      (await checkAhead(await compiled(text), "node")).filter(({ message }) => message.includes("need credentials"));
    expect(await ahead(app(scheme(API_KEY), "headers: {X-Other: '{{ env.A }}'}"))).toHaveLength(1);
    expect(await ahead(app(scheme(API_KEY), "auth: {one: {value: <a.b>}}"))).toEqual([]);
    expect(
      await ahead(app(scheme(BEARER), "", exchange.replace("type: tokenExchange", "type: '{{ env.A }}'")) + CONNECTOR),
    ).toEqual([]);
  });

  test("is told of where an exchanged token is none", async () => {
    expect(await unmet(app(scheme(API_KEY), "", exchange) + CONNECTOR)).toHaveLength(1);
  });
});

describe("operations that the document has elsewhere", () => {
  const document = {
    ...scheme(API_KEY),
    paths: {
      "/a": { get: { operationId: "getA", responses: {} } },
      "/b": { servers: [{ url: "https://two.example/b" }], get: { operationId: "getB", responses: {} } },
      "/c": { servers: [{ url: "https://two.example/c" }], get: { operationId: "getC", responses: {} } },
      "/d": { servers: [{ url: "https://one.example/other" }], get: { operationId: "getD", responses: {} } },
    },
  };
  const told = async (text: string) =>
    (await resolved(text)).warnings.filter(({ message }) => message.includes("because the document says so"));

  test("are told of with where they take the credentials", async () => {
    expect(await told(app(document, "auth: {one: {value: a}}"))).toMatchObject([
      {
        path: "apps[0].openapi",
        message: expect.stringMatching(
          /^calls of 2 tools, for example a_getB, go to https:\/\/two\.example with the credentials/,
        ),
      },
    ]);
  });

  test("are not told of where nothing is carried, or all calls go to one place", async () => {
    expect(await told(app(document, ""))).toEqual([]);
    const one = app(document, "auth: {one: {value: a}}").replace("spec:", "baseURL: https://one.example, spec:");
    expect(await told(one)).toEqual([]);
  });
});
