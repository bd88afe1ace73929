import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { run as validate } from "../../infra/node/commands/validate.ts";
import { configurationOf, mistakes, startMistakes, warningsOf } from "./support.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const OWN = 'http: {publicURL: "https://id.example"}\noidcProvider: {region: us}';
const connector = (name: string, host = name) =>
  `{name: ${name}, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://${host}.example/.well-known/openid-configuration"}`;
const CONNECTORS = `connectors: [${connector("corp")}, ${connector("partner")}, ${connector("self", "id")}]`;
const document = (app: string, connectors = CONNECTORS) =>
  `version: 1\n${OWN}\n${connectors}\napps: [{name: agent, type: oidc, clientID: agent, ${app}}]`;
const secret = (keys: string) => document(`credentials: {secrets: [s]}, ${keys}`);

async function appOf(text: string) {
  const [app] = (await configurationOf(text)).apps;
  if (app?.type !== "oidc") throw new Error("the app is not there");
  return app;
}

const JWKS = "[{kty: EC, crv: P-256, x: a, y: b}]";
const KEY = await exportJWK((await generateKeyPair("ES256", { extractable: true })).publicKey);
/** With coordinates in place of `a` and `b`. */
const withKey = (jwks: string) => jwks.replace("{kty: EC, crv: P-256, x: a, y: b}", JSON.stringify(KEY));

describe("an oidc app", () => {
  test("that says nothing more has defaults, and no grant", async () => {
    expect(await appOf(document("credentials: {secrets: [s]}"))).toEqual({
      type: "oidc",
      name: "agent",
      clientID: "agent",
      isPublic: false,
      secrets: ["s"],
      jwks: [],
      redirectURLs: [],
      idps: ["corp", "partner"],
      grantTypes: [],
      accessToken: { type: "jwt", lifetime: 3_600_000 },
      allowedAudiences: [],
      scopes: ["openid", "profile", "email", "offline_access"],
      defaultScopes: [],
      claimsMapping: {},
      tokenExchange: { impersonation: false, subjectConnectors: [] },
      consent: "once",
    });
    expect(await warningsOf(document("credentials: {secrets: [s]}"))).toEqual([]);
  });

  test("is taken from the document with all of its keys", async () => {
    const text = secret(`organization: o, redirectURLs: ["https://a.example/cb"], authentication: {idps: [partner]},
      grantTypes: [authorization_code, "${EXCHANGE}"], accessToken: {type: opaque, lifetime: 5m},
      allowedAudiences: ["https://api.example"], scopes: [openid], customScopes: {scopes: [{name: a}, {name: openid}]},
      defaultScopes: [a], claimsMapping: {role: corp.role}, consent: never, resources: ["https://gw.example/mcp"],
      tokenExchange: {impersonation: true, maxLifetime: 1m, subjectAudiences: [a], subjectConnectors: [corp]}`);
    expect(await appOf(text)).toMatchObject({
      organization: "o",
      redirectURLs: ["https://a.example/cb"],
      idps: ["partner"],
      grantTypes: ["authorization_code", EXCHANGE],
      accessToken: { type: "opaque", lifetime: 300_000 },
      allowedAudiences: ["https://api.example"],
      scopes: ["openid", "a"],
      defaultScopes: ["a"],
      claimsMapping: { role: "corp.role" },
      consent: "never",
      resources: ["https://gw.example/mcp"],
      tokenExchange: {
        impersonation: true,
        maxLifetime: 60_000,
        subjectAudiences: ["a"],
        subjectConnectors: ["corp"],
      },
    });
    expect(await warningsOf(text)).toEqual([]);
  });

  test("with redirect URLs signs people in and refreshes by default", async () => {
    const app = await appOf(document('public: true, redirectURLs: ["http://127.0.0.1/cb"]'));
    expect(app).toMatchObject({ isPublic: true, secrets: [], grantTypes: ["authorization_code", "refresh_token"] });
  });

  test.each([JWKS, `{keys: ${JWKS}}`])("authenticates with keys written as %s", async (jwks) => {
    const app = await appOf(document(`credentials: {jwks: ${withKey(jwks)}}`));
    expect(app).toMatchObject({ isPublic: false, secrets: [], jwks: [KEY] });
  });

  test("whose redirects carry codes over plain HTTP to another machine is pointed out", async () => {
    const redirects = ["https://a.example/cb", "http://127.0.0.1/cb", "http://a.example/cb", "com.example.app:/cb"];
    expect(await warningsOf(secret(`redirectURLs: ${JSON.stringify(redirects)}`))).toEqual([
      "apps[0].redirectURLs[2]: authorization codes travel unprotected: use https for what is on another machine",
    ]);
  });

  test("keeps grants that are not served out, with one word about all of them", async () => {
    const text = secret(
      'grantTypes: [implicit_id, password, authorization_code], redirectURLs: ["https://a.example/cb"]',
    );
    expect((await appOf(text)).grantTypes).toEqual(["authorization_code"]);
    expect(await warningsOf(text)).toEqual([
      "apps[0].grantTypes: accepted, without effect: implicit_id, password are not served to apps",
    ]);
  });

  test("gets tokens for itself only where it has an audience", async () => {
    const text = secret("grantTypes: [client_credentials]");
    expect((await appOf(text)).grantTypes).toEqual(["client_credentials"]);
    expect(await warningsOf(text)).toEqual([
      "apps[0].grantTypes: client_credentials gets no token: allowedAudiences names no audience",
    ]);
    expect(
      await warningsOf(secret('grantTypes: [client_credentials], allowedAudiences: ["https://a.example"]')),
    ).toEqual([]);
  });

  test("never signs people in at this very instance", async () => {
    const text = secret(
      'redirectURLs: ["https://a.example/cb"], authentication: {idps: [self, oidcProvider]}, organization: o',
    );
    expect((await appOf(text)).idps).toEqual([]);
    expect(await warningsOf(text)).toEqual([
      "apps[0]: nobody can sign in for it: its idps name no connector to sign in at",
    ]);
  });

  test("whose people cannot sign in or come back is pointed out", async () => {
    const app = "credentials: {secrets: [s]}, grantTypes: [authorization_code]";
    expect(await warningsOf(document(app, ""))).toEqual([
      "apps[0]: nobody can sign in for it: there is no connector to sign in at",
      "apps[0]: nobody can sign in for it: redirectURLs names nowhere to come back to",
    ]);
  });

  test("that may exchange anybody's tokens is pointed out", async () => {
    expect(await warningsOf(secret(`grantTypes: ["${EXCHANGE}"]`))).toEqual([
      "apps[0]: tokens for any audience of this issuer can be exchanged by it; tokenExchange.subjectAudiences names those that it may bring",
    ]);
    const named = secret(`grantTypes: ["${EXCHANGE}"], tokenExchange: {subjectAudiences: [a]}`);
    expect(await warningsOf(named)).toEqual([]);
  });
});

const RESERVED = [
  ...["iss", "aud", "exp", "iat", "nbf", "jti", "scope", "client_id", "act", "may_act", "chain", "shard"],
  ...["auth_time", "acr", "amr", "sid", "nonce", "azp", "at_hash"],
];

const REFUSED: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  [
    "has secrets or keys, not both",
    document(`credentials: {secrets: [s], jwks: ${JWKS}}`),
    "credentials",
    "found secrets and jwks; accepted: one of the two",
  ],
  ["has at least one key", document("credentials: {jwks: []}"), "credentials.jwks", "found an empty list"],
  [
    "keeps its private key to itself",
    document("credentials: {jwks: [{kty: EC, crv: P-256, x: a, y: b, d: hunter2}]}"),
    "credentials.jwks[0]",
    "found a private or symmetric key; accepted: a public key as JWK",
  ],
  [
    "authenticates in order to exchange tokens",
    document(`public: true, grantTypes: ["${EXCHANGE}"]`),
    "grantTypes[0]",
    "stands beside public: true",
  ],
  [
    "authenticates in order to get tokens for itself",
    document("public: true, grantTypes: [client_credentials]"),
    "grantTypes[0]",
    "stands beside public: true",
  ],
  [
    "names its redirect URLs one by one",
    secret('redirectURLs: ["https://*.a.example/cb"]'),
    "redirectURLs[0]",
    "found a URL with *",
  ],
  [
    "brings tokens of connectors that there are",
    secret("tokenExchange: {subjectConnectors: [crop]}"),
    "tokenExchange.subjectConnectors[0]",
    'did you mean "corp"?',
  ],
  [
    "brings tokens of this issuer without naming it",
    secret("tokenExchange: {subjectConnectors: [oidcProvider]}"),
    "tokenExchange.subjectConnectors[0]",
    "not the name of a connector",
  ],
  [
    "takes claims from connectors that there are",
    secret("claimsMapping: {role: crop.role}"),
    "claimsMapping.role",
    "accepted: the name of a connector, a dot and a claim",
  ],
  ["takes claims by name", secret("claimsMapping: {role: corp}"), "claimsMapping.role", "a dot and a claim"],
  [
    "takes claims that have a name",
    secret('claimsMapping: {role: "corp."}'),
    "claimsMapping.role",
    "a dot and a claim",
  ],
  [
    "has default scopes that it may request",
    secret("scopes: [openid], customScopes: {scopes: [{name: a}]}, defaultScopes: [a, openid, email]"),
    "defaultScopes[2]",
    "accepted: a scope that the client may request",
  ],
  ...RESERVED.map(
    (claim) =>
      [
        `does not say by a connector's claim what ${claim} is`,
        secret(`claimsMapping: {${claim}: corp.a}`),
        `claimsMapping.${claim}`,
        "found a claim that every token has its own of",
      ] as const,
  ),
];

describe("an oidc app that is right", () => {
  test.each(REFUSED)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toEqual([expect.stringContaining(` apps[0].${path}: `)]);
    expect(found[0]).toContain(message);
    expect(found[0]).not.toContain("hunter2");
  });

  test.each(["user_abc", "client_us_1", "https://agent.example/client", "HTTPS://agent.example"])(
    "is never taken for another kind of caller, as %s would be",
    async (id) => {
      const text = secret("consent: once").replace("clientID: agent", `clientID: "${id}"`);
      expect(await mistakes(text)).toEqual([expect.stringContaining("apps[0].clientID: found")]);
      const hidden = secret("consent: once").replace("clientID: agent", 'clientID: "{{ env.ID }}"');
      const found = await startMistakes(hidden, { environment: { ID: id } });
      expect(found).toEqual([expect.stringContaining("apps[0].clientID: found the value of {{ env.ID }}")]);
    },
  );

  const ONLY_CORP = "authentication: {idps: [corp]}, claimsMapping: {sub: corp.sub, role: corp.role}";
  const ITS_OWN = "accepted, without effect: sub stays this instance's own id of a person";

  test("may map sub from its only connector, which changes nothing and is worth a word", async () => {
    expect((await appOf(secret(ONLY_CORP))).claimsMapping).toEqual({ role: "corp.role" });
    expect(await warningsOf(secret(ONLY_CORP))).toEqual([
      expect.stringContaining(`apps[0].claimsMapping.sub: ${ITS_OWN}`),
    ]);
    const registration = "registration: {dynamic: true, idps: [corp], claimsMapping: {sub: corp.sub}}";
    const text = secret("consent: once").replace("{region: us}", `{region: us, ${registration}}`);
    expect((await configurationOf(text)).oidcProvider?.registration.claimsMapping).toEqual({});
    expect(await warningsOf(text)).toEqual([
      expect.stringContaining(`oidcProvider.registration.claimsMapping.sub: ${ITS_OWN}`),
    ]);
  });

  test.each([
    ["another connector", ONLY_CORP.replace("corp.sub", "partner.sub")],
    ["another claim", ONLY_CORP.replace("corp.sub", "corp.email")],
    ["one of several connectors", ONLY_CORP.replace("[corp]", "[corp, partner]")],
    ["a connector that idps does not name", ONLY_CORP.replace("authentication: {idps: [corp]}, ", "")],
  ])("does not map sub from %s", async (_, keys) => {
    expect(await mistakes(secret(keys))).toEqual([
      expect.stringContaining("apps[0].claimsMapping.sub: found a source of sub, which is this instance's own id"),
    ]);
  });

  test("has a client id of its own", async () => {
    const second = ", {name: other, type: oidc, clientID: agent, public: true}]";
    expect(await mistakes(secret("consent: once").replace(/\]$/, second))).toEqual([
      expect.stringContaining("apps[1].clientID: found a client ID that stands above already"),
    ]);
  });
});

test("validate calls an app that would get no tokens a mistake, unless it is told that this is known", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "countersign-unserved-")), "countersign.yaml");
  writeFileSync(file, document("public: true, redirectURLs: [https://a.example/b], authorization: {allowAll: false}"));
  const validated = async (...more: readonly string[]) => {
    let said = "";
    const io = { stdout: () => undefined, stderr: (line: string) => (said += line), environment: {} };
    return { code: await validate(["-config", file, ...more], io), said };
  };
  const reason = "apps[0]: it gets no tokens: this version does not decide who may sign in (authorization.allowAll)";
  const refused = await validated();
  expect([refused.code, refused.said]).toEqual([
    3,
    expect.stringContaining(`${reason}; remove the app or these keys, or`),
  ]);
  expect(refused.said).not.toContain(": valid");
  const accepted = await validated("-allowUnserved");
  expect([accepted.code, accepted.said]).toEqual([0, expect.stringContaining(`${reason} (warning)`)]);
  expect(accepted.said).toContain(": valid");
});
