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
    "a key is PEM text",
    corporate("clientAuthentication: private_key_jwt, privateKey: abc"),
    "connectors[0].privateKey",
    "found text; accepted: a private key as PEM text",
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
      },
    ]);
  });

  test("a client without a secret is a public one", async () => {
    const [connector] = (await configurationOf(corporate("disablePKCE: false"))).connectors;
    expect(connector).not.toHaveProperty("clientSecret");
  });

  test("the keys of sign-in are accepted, and one warning each says that nobody signs in yet", async () => {
    const keys = `oauthClientSecret: a, scopes: "openid email", disablePKCE: true, offlineAccess: {enabled: true},
      oauthLoginRedirect: {urls: ["https://a.example/in"]}, oauthLogoutRedirect: {urls: ["https://a.example/out"]}`;
    const second = `name: second, ${REQUIRED}, scopes: [openid]`;
    const text = connectors(`name: first, ${REQUIRED}, ${keys}`, second);
    const suffix = "accepted, not yet in effect: people do not sign in with connectors";
    expect(await warningsOf(text)).toEqual([
      `connectors[0].scopes: ${suffix} (2 places)`,
      ...["disablePKCE", "offlineAccess", "oauthLoginRedirect", "oauthLogoutRedirect"].map(
        (key) => `connectors[0].${key}: ${suffix}`,
      ),
    ]);
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
