import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import { authorizationURL, redeem } from "../../lib/connections/provider.ts";
import { ProviderError } from "../../lib/connections/provider-request.ts";
import type { ResolvedProvider } from "../../lib/connections/resolved-provider.ts";
import { json, startTokenServer, type TokenServer } from "./support/token-server.ts";

let server: TokenServer;
beforeEach(async () => {
  server = await startTokenServer();
});
afterEach(() => server.close());

const NOW = Date.UTC(2027, 0, 1);
const REDEMPTION = { code: "c0de", redirectURL: "https://us.example/connect/callback/saas", scopes: ["asked"] };

function connectorOf(more: Partial<OAuthConnectorConfiguration> = {}): OAuthConnectorConfiguration {
  return {
    ...{ name: "saas", type: "oauth", clientAuthentication: "none", clientMetadata: false, disablePKCE: false },
    endpoints: { kind: "static", authorizationURL: `${server.url}/authorize`, tokenURL: `${server.url}/token` },
    refresh: { grace: 0, timeout: 10_000 },
    ...more,
  };
}

function providerOf(): ResolvedProvider {
  const urls = { authorizationURL: `${server.url}/authorize?tenant=1`, tokenURL: `${server.url}/token` };
  return { ...urls, sendsIssuer: false, clientID: "countersign", clientAuthentication: "none" };
}

function redeemed(connector = connectorOf()) {
  const fetches = { outbound: () => globalThis.fetch, publicFetch: globalThis.fetch };
  return redeem(connector, providerOf(), REDEMPTION, { ...fetches, clock: { now: () => NOW } });
}

const form = (body: string) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/x-www-form-urlencoded" }).end(body);
};
const LONG = "x".repeat(16_385);
const BEARER = { access_token: "at", token_type: "bearer" };
const idToken = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

describe("a provider of accounts", () => {
  it.each<[string, (response: ServerResponse) => void, object]>([
    ["as asked for, where it does not name scopes", (r) => json(r, 200, BEARER), { scopes: ["asked"] }],
    ["with commas between scopes (GitHub)", (r) => json(r, 200, { ...BEARER, scope: "a,b" }), { scopes: ["a", "b"] }],
    ["with no scope at all", (r) => json(r, 200, { ...BEARER, scope: "" }), { scopes: [] }],
    ["as a form", form("access_token=at&token_type=bearer&scope=a"), { accessToken: "at", scopes: ["a"] }],
    ["that end", (r) => json(r, 200, { ...BEARER, expires_in: 60 }), { expiresAt: NOW + 60_000 }],
    ["with seconds as a text", (r) => json(r, 200, { ...BEARER, expires_in: "60" }), { expiresAt: NOW + 60_000 }],
    ["of a person (Slack)", (r) => json(r, 200, { access_token: "at", token_type: "user" }), { accessToken: "at" }],
    [
      "with an ID token that tells whose they are",
      (r) => json(r, 200, { ...BEARER, id_token: idToken({ sub: "7", email: "a@b.example" }) }),
      { account: { id: "7", label: "a@b.example" } },
    ],
  ])("gives tokens %s", async (_, answer, expected) => {
    server.behaviours.push(answer);
    const giver = { clientID: "countersign", tokenURL: `${server.url}/token` };
    expect(await redeemed()).toMatchObject({ ...giver, ...expected });
  });

  it.each<[string, (response: ServerResponse) => void, object]>([
    ["an error", (r) => json(r, 400, { error: "invalid_grant" }), { failure: "invalid_grant", code: "invalid_grant" }],
    ["an error in a 200", (r) => json(r, 200, { error: "bad_verification_code" }), { failure: "invalid_grant" }],
    ["an error as a form", form("error=incorrect_client_credentials"), { failure: "refused" }],
    ["no JSON", (r) => r.writeHead(403).end("<html>"), { failure: "refused", isVague: true }],
    ["that it knows no such client", (r) => json(r, 401, { error: "invalid_client" }), { isVague: false }],
    ["a token that is too long", (r) => json(r, 200, { ...BEARER, access_token: LONG }), { failure: "too_long" }],
    [
      "a refresh token that is too long",
      (r) => json(r, 200, { ...BEARER, refresh_token: LONG }),
      { failure: "too_long", message: "gave a refresh token of 16385 bytes; at most 16384 are kept" },
    ],
    ["too many scopes", (r) => json(r, 200, { ...BEARER, scope: "a ".repeat(9_000) }), { failure: "too_long" }],
    [
      "a redirect, which is not followed",
      (r) => r.writeHead(302, { location: `${server.url}/x` }).end(),
      { failure: "refused" },
    ],
    ["too many requests", (r) => json(r, 429, {}, { "retry-after": "7" }), { failure: "throttled", retryAfter: 7_000 }],
    ["that it is down", (r) => r.writeHead(502).end(), { failure: "throttled", retryAfter: undefined }],
    [
      "a token of another type",
      (r) => json(r, 200, { access_token: "at", token_type: "dpop" }),
      { failure: "unclear" },
    ],
    [
      "half an answer",
      (r) => r.writeHead(200, { "content-length": "90" }).end('{"access_token":"a'),
      { failure: "unclear" },
    ],
  ])("fails in one of few ways: it answers %s", async (_, answer, expected) => {
    server.behaviours.push(answer);
    const error = await redeemed().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject(expected);
    expect(String(error)).not.toContain("c0de");
  });

  it.each([
    ["a member of a member", "data.id", 200, { data: { id: 42 }, login: "alice" }, { id: "42", label: "alice" }],
    ["nothing of the kind", "id", 200, { login: "alice" }, undefined],
    ["an error", "id", 500, { id: 1 }, undefined],
  ])("says whose account it is: %s", async (_, id, status, body, account) => {
    server.behaviours.push(
      (response) => json(response, 200, BEARER),
      (response) => json(response, status, body),
    );
    const connector = connectorOf({ account: { url: `${server.url}/token`, id, label: "login" } });
    expect((await redeemed(connector)).account).toEqual(account);
  });

  it("is sent what the protocol says, whatever the operator adds", async () => {
    const connector = { authorizationParameters: { access_type: "offline", state: "mine", redirect_uri: "https://x" } };
    const provider = { ...providerOf(), resource: "https://api.example" };
    const sent = { state: "s", codeVerifier: "v".repeat(43), redirectURL: "https://us.example/cb", scopes: ["a", "b"] };
    const { searchParams } = new URL(await authorizationURL(connector, provider, sent));
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ tenant: "1", access_type: "offline", response_type: "code", client_id: "countersign", scope: "a b" },
      ...{ state: "s", redirect_uri: "https://us.example/cb", resource: "https://api.example" },
      ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: "S256" },
    });
  });
});
