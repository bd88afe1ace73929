import { describe, expect, test } from "vitest";
import { offersCodeFlow } from "../../lib/config/oauth-features.ts";
import { configurationOf, mistakes, warningsOf } from "./support.ts";

const HEAD = 'version: 1\nhttp: {publicURL: "https://id.example"}\noidcProvider: {region: us}\n';
const connector = (keys: string) =>
  `${HEAD}connectors: [{name: corp, oauthClientID: a, oidcWellKnownURL: "https://corp.example/.well-known/openid-configuration", ${keys}}]\n`;
const app = (keys: string) =>
  `${connector("type: oidc")}apps: [{name: agent, type: oidc, clientID: agent, credentials: {secrets: [s]}, redirectURLs: ["https://a.example/cb"], allowedAudiences: ["https://api.example"], ${keys}}]`;

describe("what files of comparable products have", () => {
  test.each([
    ["http: {readTimeoutSeconds: 30}", "http.readTimeoutSeconds: accepted, without effect: the server has timeouts"],
    ["http: {endpointTimeoutSeconds: <a.b>}", "http.endpointTimeoutSeconds: accepted, without effect"],
    ["features: {anything: <a.b>}", "features: accepted, without effect"],
  ])("%s is accepted with one warning", async (keys, warning) => {
    expect(await warningsOf(`version: 1\n${keys}`)).toEqual([expect.stringContaining(warning)]);
  });

  test.each(["azure", "okta", "auth0", "pingfederate", "adfs", "cognito", "wso2", "hypr", "onekosmos"])(
    "a connector of type %s is read as oidc, and sends people back to its oauthRedirectURL",
    async (type) => {
      const text = connector(`type: ${type}, oauthRedirectURL: "https://id.example/back"`);
      expect(await warningsOf(text)).toEqual([`connectors[0].type: ${type} is read as oidc`]);
      const { connectors, oidcProvider } = await configurationOf(text);
      expect(connectors).toMatchObject([{ name: "corp", type: "oidc", loginRedirectURL: "https://id.example/back" }]);
      expect(oidcProvider?.endpoints.callback).toBe("https://id.example/back");
    },
  );

  test("an address elsewhere to come back to is told as with oauthLoginRedirect", async () => {
    const text = connector('type: oidc, oauthRedirectURL: "https://gateway.example/back"');
    expect(await warningsOf(text)).toEqual([
      expect.stringContaining("connectors[0].oauthRedirectURL: this is not the callback of oidcProvider"),
    ]);
  });

  const BROKER = "put a broker that speaks OpenID Connect, such as Keycloak, in front";
  test.each([
    [
      "a connector of another kind",
      connector("type: saml"),
      `connectors[0].type: found "saml"; accepted: oidc or oauth; to sign in at a provider of another kind ${BROKER}`,
    ],
    ["samlProvider", `${HEAD}samlProvider: {}`, `samlProvider: unknown key; SAML is not served: ${BROKER}`],
    ["ldapProvider", `${HEAD}ldapProvider: {}`, `ldapProvider: unknown key; LDAP is not served: ${BROKER}`],
    ["apis", `${HEAD}apis: []`, "apis: unknown key; no code of your own is served"],
    ["an app of type saml", `${HEAD}apps: [{name: a, type: saml}]`, "proxy; SAML is not served: put a broker"],
    [
      "an extension in Go",
      app("buildAccessTokenClaimsSE: {funcName: F, file: f.go}"),
      "apps[0].buildAccessTokenClaimsSE: unknown key; extensions in Go do not run here; use CEL or OPA policies, `headers`",
    ],
  ])("%s is an error that says what to do instead", async (_, text, message) => {
    expect(await mistakes(text)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ["authorization.tokenMinting", "authorization: {tokenMinting: {accessToken: {policies: [{name: p, rego: r}]}}}"],
    ["authorization.rules", "authorization: {rules: [{and: []}]}"],
    ["authorization.allowAll", "authorization: {allowAll: false}"],
  ])("an app with %s gets no tokens by any grant", async (key, keys) => {
    const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
    for (const grants of ["", `grantTypes: [authorization_code, refresh_token, client_credentials, "${exchange}"], `]) {
      const text = app(`${grants}${keys}`);
      const configuration = await configurationOf(text);
      expect(configuration.apps).toMatchObject([{ clientID: "agent", grantTypes: [] }]);
      expect(offersCodeFlow({ ...configuration, oidcProvider: withoutDynamic(configuration) })).toBe(false);
      expect(await warningsOf(text)).toEqual([
        expect.stringMatching(`^apps\\[0\\]: it gets no tokens: .*\\(${key}\\)$`),
      ]);
    }
  });

  test("an app that lets everybody in needs no word", async () => {
    const text = app("authorization: {allowAll: true}");
    expect(await warningsOf(text)).toEqual([]);
    expect((await configurationOf(text)).apps).toMatchObject([{ grantTypes: ["authorization_code", "refresh_token"] }]);
  });
});

function withoutDynamic({ oidcProvider }: Awaited<ReturnType<typeof configurationOf>>) {
  if (oidcProvider === undefined) throw new Error("there is a provider");
  return { ...oidcProvider, registration: { ...oidcProvider.registration, dynamic: false, clientIDMetadata: false } };
}
