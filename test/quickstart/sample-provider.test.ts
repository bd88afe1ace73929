import { networkInterfaces } from "node:os";
import * as openid from "openid-client";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type RunningProvider, startProvider } from "../../examples/quickstart/sample-provider.ts";
import { openBrowser } from "../support/person.ts";
import { rawRequest } from "../support/raw-request.ts";

const CALLBACK = "http://localhost:8080/oauth2/callback";
const SIGNED_OUT = "http://localhost:8080/oauth2/logout";
/** Of the verifier `v`, forty-three times. */
const [VERIFIER, CHALLENGE] = ["v".repeat(43), await openid.calculatePKCECodeChallenge("v".repeat(43))];
const REQUEST = {
  response_type: "code",
  client_id: "countersign",
  redirect_uri: CALLBACK,
  scope: "openid profile",
  state: "of the client",
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
};

let provider: RunningProvider;
beforeAll(async () => {
  const client = { clientID: "countersign", redirectURLs: [CALLBACK], logoutRedirectURLs: [SIGNED_OUT] };
  provider = await startProvider(0, client);
});
afterAll(() => provider.stop());

type Parameters = Readonly<Record<string, string>>;

const at = (path: string, parameters: Parameters | string = {}) =>
  `${provider.issuer}${path}?${new URLSearchParams(parameters)}`;

/** Chooses on the page; the address that the browser is sent to. */
async function choose(authorization: string | URL, button: string): Promise<URL> {
  const browser = openBrowser(({ origin }) => origin === provider.issuer);
  return (await browser.press(await browser.open(authorization), button)).url;
}

async function newCode(): Promise<string> {
  return (await choose(at("/authorize", REQUEST), "Ada Byron")).searchParams.get("code") ?? "";
}

const askTokens = (parameters: Parameters) =>
  fetch(`${provider.issuer}/token`, { method: "POST", body: new URLSearchParams(parameters) });
const redeem = (code: string, other: Parameters = {}) =>
  askTokens({
    grant_type: "authorization_code",
    client_id: "countersign",
    redirect_uri: CALLBACK,
    code,
    code_verifier: VERIFIER,
    ...other,
  });

test.each([
  ["Ada Byron", { sub: "ada", email: "ada@library.example", groups: ["librarians"] }],
  ["Ben Turner", { sub: "ben", email: "ben@library.example", groups: ["readers"] }],
])("a client of others signs in whoever chooses to be %s, asks userinfo, and refreshes", async (name, person) => {
  const configuration = await openid.discovery(new URL(provider.issuer), "countersign", undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  });
  openid.enableNonRepudiationChecks(configuration);
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
  const authorization = openid.buildAuthorizationUrl(configuration, {
    ...REQUEST,
    scope: "openid profile email groups offline_access",
    state: expectedState,
    nonce: expectedNonce,
    max_age: "60",
  });
  const back = await choose(authorization, name);
  expect(back.href.startsWith(`${CALLBACK}?`)).toBe(true);
  const checks = { pkceCodeVerifier: VERIFIER, expectedState, expectedNonce, maxAge: 60, idTokenExpected: true };
  const tokens = await openid.authorizationCodeGrant(configuration, back, checks);
  expect(tokens.claims()).toMatchObject({ ...person, name });
  const told = await openid.fetchUserInfo(configuration, tokens.access_token, person.sub);
  expect(told).toEqual({ ...person, name, email_verified: true });
  const renewed = await openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "");
  expect(renewed.claims()).toMatchObject({ ...person, name });
  await expect(openid.refreshTokenGrant(configuration, tokens.refresh_token ?? "")).rejects.toMatchObject({
    error: "invalid_grant",
  });
  expect(openid.buildEndSessionUrl(configuration).href).toContain(`${provider.issuer}/sign-out`);
});

test("only what was asked for is told, and a refresh token is for whoever asks for offline access", async () => {
  const tokens = (await (await redeem(await newCode())).json()) as Record<string, string>;
  expect(tokens.refresh_token).toBeUndefined();
  const headers = { Authorization: `Bearer ${tokens.access_token}` };
  expect(await (await fetch(`${provider.issuer}/userinfo`, { headers })).json()).toEqual({
    sub: "ada",
    name: "Ada Byron",
  });
  // A token of another kind is none.
  expect(
    (await fetch(`${provider.issuer}/userinfo`, { headers: { Authorization: `Bearer ${await newCode()}` } })).status,
  ).toBe(401);
});

test.each([
  ["of another host", { redirect_uri: "https://evil.example/oauth2/callback" }],
  ["that only begins alike", { redirect_uri: `${CALLBACK}.evil.example` }],
  ["with a query", { redirect_uri: `${CALLBACK}?next=evil` }],
  ["on another port", { redirect_uri: "http://localhost:8081/oauth2/callback" }],
  ["with a user name", { redirect_uri: "http://localhost:8080@evil.example/oauth2/callback" }],
  ["of another client", { client_id: "other" }],
])("a redirect %s is refused with a page, also when the form is sent", async (_, other) => {
  const url = at("/authorize", { ...REQUEST, ...other });
  const form = { method: "POST", headers: { Origin: provider.issuer }, body: new URLSearchParams({ person: "ada" }) };
  for (const init of [{}, form]) {
    const response = await fetch(url, { ...init, redirect: "manual" });
    expect({ status: response.status, location: response.headers.get("location") }).toEqual({
      status: 400,
      location: null,
    });
  }
});

test("a redirect that stands twice is refused, whichever comes first", async () => {
  for (const name of ["redirect_uri", "client_id"]) {
    const other = `${name}=${encodeURIComponent("https://evil.example/")}`;
    const request = new URLSearchParams(REQUEST);
    for (const query of [`${request}&${other}`, `${other}&${request}`]) {
      expect((await fetch(at("/authorize", query), { redirect: "manual" })).status).toBe(400);
    }
  }
});

test.each([
  ["unsupported_response_type", { response_type: "token" }],
  ["invalid_scope", { scope: "profile" }],
  ["invalid_request", { code_challenge: "" }],
  ["invalid_request", { code_challenge_method: "plain" }],
  ["login_required", { prompt: "none" }],
])("the client is told %s for %j", async (error, other) => {
  const response = await fetch(at("/authorize", { ...REQUEST, ...other }), { redirect: "manual" });
  const location = new URL(response.headers.get("location") ?? "");
  expect(location.origin + location.pathname).toBe(CALLBACK);
  expect(Object.fromEntries(location.searchParams)).toEqual({ error, state: REQUEST.state, iss: provider.issuer });
});

test("whoever cancels goes back without a code", async () => {
  const back = await choose(at("/authorize", REQUEST), "Cancel");
  expect(Object.fromEntries(back.searchParams)).toEqual({
    error: "access_denied",
    state: REQUEST.state,
    iss: provider.issuer,
  });
});

test.each([
  ["with another verifier", { code_verifier: "w".repeat(43) }, "invalid_grant"],
  ["without a verifier", { code_verifier: "" }, "invalid_grant"],
  ["for another redirect", { redirect_uri: SIGNED_OUT }, "invalid_grant"],
  ["as a refresh token", { grant_type: "refresh_token" }, "invalid_grant"],
  ["by another client", { client_id: "other" }, "invalid_client"],
  ["by another grant", { grant_type: "password" }, "unsupported_grant_type"],
])("a code %s brings no token", async (_, other, error) => {
  expect(await (await redeem(await newCode(), other)).json()).toEqual({ error });
});

test("a code counts once, and a minute long", async () => {
  const code = await newCode();
  expect((await redeem(code)).status).toBe(200);
  expect((await redeem(code)).status).toBe(400);
  const later = await newCode();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await redeem(later)).status).toBe(400);
});

test("who signs out goes back to the quickstart, and nowhere else", async () => {
  const signOut = (parameters: Parameters) => fetch(at("/sign-out", parameters), { redirect: "manual" });
  const known = { client_id: "countersign", post_logout_redirect_uri: SIGNED_OUT, state: "s" };
  expect((await signOut(known)).headers.get("location")).toBe(`${SIGNED_OUT}?state=s`);
  for (const other of [{ post_logout_redirect_uri: "https://evil.example/" }, { client_id: "other" }]) {
    expect((await signOut({ ...known, ...other })).status).toBe(400);
  }
  expect(await (await signOut({})).text()).toContain("You are signed out");
});

test("another site chooses nobody, also under a name that leads to this machine", async () => {
  const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
  const body = new URLSearchParams({ person: "ada" });
  expect((await fetch(at("/authorize", REQUEST), { method: "POST", headers: foreign, body })).status).toBe(403);
  const headers = { Host: `evil.example:${new URL(provider.issuer).port}` };
  expect((await rawRequest(provider.issuer, { path: "/jwks", headers })).status).toBe(421);
});

test("nobody reaches it from the network", async () => {
  const outside = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, family }) => !internal && family === "IPv4"),
  );
  for (const { address } of outside) {
    await expect(fetch(`http://${address}:${new URL(provider.issuer).port}/jwks`)).rejects.toThrow();
  }
});
