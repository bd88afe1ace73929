import { generateKeyPairSync } from "node:crypto";
import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes, warningsOf } from "./support.ts";

const REQUIRED = 'type: oidc, oauthClientID: countersign, oidcWellKnownURL: "https://id.example/x"';
const connectors = (...list: string[]) => `version: 1\nconnectors: [${list.map((keys) => `{${keys}}`).join(", ")}]`;
const corporate = (keys: string) => connectors(`name: corporate, ${REQUIRED}, ${keys}`);
const KEY = "privateKey: <a.key>";

const BROKEN: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  ["name is required", connectors(REQUIRED), "connectors[0].name", "required"],
  ["type is required", connectors("name: a"), "connectors[0].type", "required and missing; accepted: oidc"],
  [
    "another type lists the known ones and asks for nothing",
    connectors("name: a, type: saml, metadataURL: b"),
    "connectors[0].type",
    'found "saml"; accepted: oidc',
  ],
  [
    "oauthClientID is required",
    connectors('name: a, type: oidc, oidcWellKnownURL: "https://id.example/"'),
    "connectors[0].oauthClientID",
    "required",
  ],
  [
    "oidcWellKnownURL is required",
    connectors("name: a, type: oidc, oauthClientID: b"),
    "connectors[0].oidcWellKnownURL",
    "required",
  ],
  [
    "a name stands once",
    connectors(`name: a, ${REQUIRED}`, `name: a, ${REQUIRED}`),
    "connectors[1].name",
    "stands above already",
  ],
  ["tls names an entry of tls", corporate("tls: internal"), "connectors[0].tls", "not the name of an entry of tls"],
  [
    "private_key_jwt needs a key",
    corporate("clientAuthentication: private_key_jwt"),
    "connectors[0].privateKey",
    "required when clientAuthentication is private_key_jwt",
  ],
  [
    "client_secret_basic needs a secret",
    corporate("clientAuthentication: client_secret_basic"),
    "connectors[0].oauthClientSecret",
    "required when",
  ],
  [
    "client_secret_post needs a secret",
    corporate("clientAuthentication: client_secret_post"),
    "connectors[0].oauthClientSecret",
    "required when",
  ],
  [
    "a key is for private_key_jwt",
    corporate(KEY),
    "connectors[0].privateKey",
    "needs clientAuthentication: private_key_jwt",
  ],
  [
    "a key is PEM text or a JWK",
    corporate("clientAuthentication: private_key_jwt, privateKey: abc"),
    "connectors[0].privateKey",
    "accepted: a private key as PEM text (PKCS #8, PKCS #1 or SEC 1, without passphrase) or as a JWK",
  ],
  [
    "private_key_jwt has no secret beside its key",
    corporate(`clientAuthentication: private_key_jwt, ${KEY}, oauthClientSecret: a`),
    "connectors[0].oauthClientSecret",
    "stands beside clientAuthentication: private_key_jwt",
  ],
  [
    "clientAuthentication is one of three",
    corporate("clientAuthentication: tls_client_auth"),
    "connectors[0].clientAuthentication",
    "client_secret_basic, client_secret_post, private_key_jwt",
  ],
  ["scopes are a list or text", corporate("scopes: 5"), "connectors[0].scopes", "accepted: a list of scopes, or text"],
  [
    "a redirect is a URL",
    corporate("oauthLoginRedirect: {urls: [/back]}"),
    "connectors[0].oauthLoginRedirect.urls[0]",
    "an absolute http or https URL",
  ],
  [
    "an unknown key is told its nearest",
    corporate("oauthClientSecrets: a"),
    "connectors[0].oauthClientSecrets",
    'did you mean "oauthClientSecret"?',
  ],
  [
    "connectors are a list",
    "version: 1\nconnectors: {corporate: {type: oidc}}",
    "connectors",
    "found a mapping; accepted: a list",
  ],
];

describe("connectors", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toEqual([expect.stringContaining(` ${path}: `)]);
    expect(found[0]).toContain(message);
  });

  test("a connector is taken from the document", async () => {
    const text = `${corporate("oauthClientSecret: <a.secret>, tls: internal")}\ntls: {internal: {caFile: ca.crt}}`;
    expect((await configurationOf(text, { secrets: { S_A_SECRET: "hunter2" } })).connectors).toEqual([
      {
        name: "corporate",
        type: "oidc",
        wellKnownURL: "https://id.example/x",
        clientID: "countersign",
        clientSecret: "hunter2",
        tls: "internal",
        scopes: ["openid", "profile", "email"],
        disablePKCE: false,
        offlineAccess: false,
        clientAuthentication: "client_secret_basic",
      },
    ]);
  });

  test("a client without a secret is a public one", async () => {
    const [connector] = (await configurationOf(corporate("disablePKCE: false"))).connectors;
    expect(connector).not.toHaveProperty("clientSecret");
  });

  const SIGN_IN = `oauthClientSecret: a, scopes: "profile  groups", disablePKCE: true, offlineAccess: {enabled: true},
      oauthLoginRedirect: {urls: ["https://a.example/in"]}, oauthLogoutRedirect: {urls: ["https://a.example/out"]},
      clientAuthentication: client_secret_post`;

  test("what sign-in asks for is taken from the document, always with openid", async () => {
    expect((await configurationOf(corporate(SIGN_IN))).connectors).toMatchObject([
      {
        scopes: ["openid", "profile", "groups", "offline_access"],
        disablePKCE: true,
        ...{ offlineAccess: true, claimsRefresh: 900_000 },
        loginRedirectURL: "https://a.example/in",
        logoutRedirectURL: "https://a.example/out",
        clientAuthentication: "client_secret_post",
      },
    ]);
  });

  test("a refresh token renews claims as often as the document says", async () => {
    const offline = (value: string) => corporate(`oauthClientSecret: a, offlineAccess: {enabled: true, ${value}}`);
    const { connectors } = await configurationOf(offline("claimsRefresh: 5m"));
    expect(connectors).toMatchObject([{ claimsRefresh: 300_000 }]);
    await expect(configurationOf(offline("claimsRefresh: 0s"))).rejects.toThrow();
  });

  test("the keys of sign-in are in effect beside a provider or a web app that signs people in, and one warning each says so without", async () => {
    const text = connectors(`name: first, ${REQUIRED}, ${SIGN_IN}`, `name: second, ${REQUIRED}, scopes: [openid]`);
    const suffix = "accepted, without effect: people sign in at connectors for the clients of oidcProvider";
    const webApp = `apps: [{name: pay, type: proxy, upstream: "https://pay.example", routePatterns: [/pay], policies: [{location: /, authentication: {idps: [first]}, authorization: {allowAll: true}}]}]`;
    expect(await warningsOf(text)).toEqual([
      expect.stringContaining(
        `connectors[0].scopes: ${suffix}, for web apps or by console.connectors, and none of these is here (2 places)`,
      ),
      ...["disablePKCE", "offlineAccess", "oauthLoginRedirect", "oauthLogoutRedirect"].map((key) =>
        expect.stringContaining(`connectors[0].${key}: ${suffix}`),
      ),
    ]);
    expect(await warningsOf(`${text}\nhttp: {publicURL: "https://a.example"}\noidcProvider: {region: us}`)).toEqual([]);
    expect(await warningsOf(`${text}\n${webApp}`)).toEqual([]);
  });

  test("the callback is where connectors send people back to, unless it is written", async () => {
    const text = (login: string, provider = "") =>
      `${corporate(`oauthLoginRedirect: {urls: [${login}]}`)}\nhttp: {publicURL: "https://a.example"}\noidcProvider: {region: us${provider}}`;
    const callbackOf = async (yaml: string) => (await configurationOf(yaml)).oidcProvider?.endpoints.callback;
    const own = text('"https://a.example/in"');
    expect(await callbackOf(own)).toBe("https://a.example/in");
    expect(await warningsOf(own)).toEqual([]);
    const elsewhere = text('"https://b.example/in"');
    expect(await callbackOf(elsewhere)).toBe("https://a.example/oauth2/callback");
    expect(await warningsOf(elsewhere)).toEqual([
      expect.stringContaining("connectors[0].oauthLoginRedirect.urls: this is not the callback of oidcProvider"),
    ]);
    const written = text('"https://a.example/in"', ', discovery: {endpoints: {callback: "https://a.example/back"}}');
    expect(await callbackOf(written)).toBe("https://a.example/back");
    expect(await warningsOf(written)).toEqual([expect.stringContaining("this is not the callback of oidcProvider")]);
    expect(await warningsOf(text('"https://a.example/in", "https://a.example/too"'))).toEqual([
      expect.stringContaining("oauthLoginRedirect.urls: accepted: people come back to the first of them"),
    ]);
  });

  test("a private key is PEM or a JWK, also as the text of a secret", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(privateKey);
    const text = corporate("clientAuthentication: private_key_jwt, privateKey: <a.key>");
    const keyOf = async (secret: string) =>
      (await configurationOf(text, { secrets: { S_A_KEY: secret } })).connectors[0]?.privateKey;
    const pem = await exportPKCS8(privateKey);
    expect(await keyOf(`\n${pem}`)).toBe(pem.trim());
    expect(await keyOf(JSON.stringify(jwk))).toEqual(jwk);
    const inline = text.replace("<a.key>", JSON.stringify(jwk));
    expect((await configurationOf(inline)).connectors[0]?.privateKey).toEqual(jwk);
  });

  test("10. a private key that cannot sign is refused and not quoted", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const text = corporate("clientAuthentication: private_key_jwt, privateKey: <a.key>");
    const nonsense = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----";
    for (const key of [nonsense, String(privateKey.export({ type: "pkcs8", format: "pem" }))]) {
      const found = await startMistakes(text, { secrets: { S_A_KEY: key } });
      expect(found).toEqual([expect.stringContaining("connectors[0].privateKey: found no private key that can sign")]);
      expect(found.join()).not.toContain("hunter2");
    }
  });

  test("a connector that is only watched needs no word", async () => {
    expect(await warningsOf(corporate("oauthClientSecret: a"))).toEqual([]);
  });

  test("10. neither secret nor key is shown", async () => {
    const found = await mistakes(
      corporate("oauthClientSecret: [hunter2], privateKey: hunter2, clientAuthentication: private_key_jwt"),
    );
    expect(found).toHaveLength(2);
    expect(found.join()).not.toContain("hunter2");
  });

  test("Workers refuse connections with TLS settings of their own, Lambda has them", async () => {
    const text = `${corporate("tls: internal")}\ntls: {internal: {caFile: ca.crt}}\nhttp: {publicURL: "https://a.example"}`;
    expect(await startMistakes(text, { runtime: "workers" })).toEqual([
      expect.stringContaining("connectors[0].tls: connections on Workers have no TLS settings of their own"),
    ]);
    expect(await startMistakes(text, { runtime: "lambda" })).toEqual([]);
  });
});
