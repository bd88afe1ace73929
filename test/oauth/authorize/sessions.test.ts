import { afterEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { ISSUER } from "../../support/in-process.ts";
import { AGENT, oidcApp, REDIRECT } from "../../support/oauth-apps.ts";
import { authorizationURL, redeem, SIGNED_OUT, type SignInStarted, startSignIn, walk } from "./started.ts";

const NEVER = { ...AGENT, consent: "never" as const };
const OTHER = oidcApp("other-agent", { ...NEVER, clientID: "other-agent", idps: ["other"] });
const SESSION = "__Host-countersign";
const LOGOUT = `${ISSUER}/oauth2/logout`;

let started: SignInStarted;
const start = async (options: Parameters<typeof startSignIn>[0] = {}) => {
  started = await startSignIn({ apps: [NEVER, OTHER], hasTwoConnectors: true, ...options });
  const browser = started.newBrowser();
  const answer = await walk(browser, authorizationURL());
  return { browser, answer };
};
afterEach(() => started.stop());

describe("the session of a person who signed in", () => {
  test("is used by the next request, as long as the request is content with it", async () => {
    const { browser } = await start();
    const { clock } = started.product;
    const opened = async (changes: Parameters<typeof authorizationURL>[0]) => browser.open(authorizationURL(changes));
    const seen = started.provider.requests.length;
    expect((await opened({})).url.searchParams.has("code")).toBe(true);
    expect((await opened({ max_age: "60" })).url.searchParams.has("code")).toBe(true);
    expect((await opened({ prompt: "none" })).url.searchParams.has("code")).toBe(true);
    expect(started.provider.requests.length).toBe(seen);
    expect((await opened({ prompt: "login" })).html).toContain("Sign in at Corp");
    clock.set(clock.now() + 62_000);
    expect((await opened({ max_age: "60" })).way[1]).toContain("max_age=60");
  });

  test("of another connector than the client allows is not used", async () => {
    const { browser } = await start();
    const { way } = await browser.open(authorizationURL({ client_id: "other-agent" }));
    expect(way[1]).toContain(`${started.provider.issuer}/auth`);
  });
});

describe("signing out", () => {
  const idToken = async (answer: URL) =>
    ((await (await redeem(started.product, answer)).json()) as { id_token: string }).id_token;
  const isSignedIn = async (session: string | undefined) => {
    const browser = started.newBrowser();
    browser.cookies.set(SESSION, session ?? "");
    return (await browser.open(authorizationURL({ prompt: "none" }))).url.searchParams.has("code");
  };
  const logout = (parameters: Readonly<Record<string, string>>) => `${LOGOUT}?${new URLSearchParams(parameters)}`;

  test("with the person's ID token happens at once, here and at the connector, and leads back", async () => {
    const { browser, answer } = await start({ connector: { logoutRedirectURL: SIGNED_OUT } });
    const session = browser.cookies.get(SESSION);
    const hint = { id_token_hint: await idToken(answer), post_logout_redirect_uri: REDIRECT, state: "bye" };
    const page = await browser.open(logout(hint));
    expect(page.url.href).toContain(`${started.provider.issuer}/session/end`);
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect(await isSignedIn(session)).toBe(false);
    const { url } = await browser.press(page, "Yes, sign me out");
    expect(url.href).toBe(`${REDIRECT}?state=bye`);
    expect((await browser.open(authorizationURL())).html).toContain("Sign in at Corp");
  });

  test("of everything is done at once with the person's ID token, and asked for with another's", async () => {
    const url = `${ISSUER}/single-logout`;
    const { browser, answer } = await start({ singleLogout: { url } });
    const session = browser.cookies.get(SESSION);
    const others = await idToken(await walk(started.newBrowser(), authorizationURL(), "bob"));
    const asked = await browser.open(`${url}?id_token_hint=${others}`);
    expect([asked.html.includes("Sign out?"), await isSignedIn(session)]).toEqual([true, true]);
    // A form of a client comes without cookies, and is sent round.
    const form = {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "id_token_hint=x",
    };
    expect((await started.product.send("/single-logout", form)).headers.get("location")).toBe(`${url}?id_token_hint=x`);
    const page = await browser.open(`${url}?id_token_hint=${await idToken(answer)}`);
    expect(page.url.href).toContain(`${started.provider.issuer}/session/end`);
    expect([browser.cookies.has(SESSION), await isSignedIn(session)]).toEqual([false, false]);
  });

  test("happens at once with an ID token for any account of the session", async () => {
    const { browser } = await start();
    const session = browser.cookies.get(SESSION) ?? "";
    const other = started.newBrowser();
    const hint = await idToken(await walk(other, authorizationURL(), "bob"));
    const { directory } = started.product.dependencies.stores;
    const hashOf = (value = "") => sha256base64url(value);
    const alices = await directory.getBrowserSession(hashOf(session));
    const bobs = await directory.getBrowserSession(hashOf(other.cookies.get(SESSION)));
    if (alices === undefined || bobs?.signIn === undefined) throw new Error("both are signed in");
    await directory.deleteBrowserSession(alices.sessionHash);
    await directory.createBrowserSession({ ...alices, further: [bobs.signIn] });
    await browser.open(logout({ id_token_hint: hint }));
    expect(await directory.getBrowserSession(alices.sessionHash)).toBeUndefined();
  });

  test("also holds for an ID token that has expired", async () => {
    const { browser, answer } = await start();
    const hint = await idToken(answer);
    started.product.clock.set(started.product.clock.now() + 86_300_000 / 2);
    const session = browser.cookies.get(SESSION);
    await browser.open(logout({ id_token_hint: hint }));
    expect(await isSignedIn(session)).toBe(false);
  });

  test("without an ID token, or with another person's, is asked for on a page", async () => {
    const { browser } = await start();
    const session = browser.cookies.get(SESSION);
    const other = started.newBrowser();
    const hint = await idToken(await walk(other, authorizationURL(), "bob"));
    for (const parameters of [{}, { id_token_hint: hint }]) {
      expect((await browser.open(logout(parameters as Record<string, string>))).html).toContain("Sign out?");
      expect(await isSignedIn(session)).toBe(true);
    }
    await browser.press(await browser.open(LOGOUT), "Sign out");
    expect(await isSignedIn(session)).toBe(false);
  });

  test("by a form of the client is sent round as GET, where the browser brings its cookies", async () => {
    await start();
    const answer = await started.product.send("/oauth2/logout", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: "https://agent.example" },
      body: "client_id=agent&state=x",
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`${LOGOUT}?client_id=agent&state=x`);
  });

  test("leads to no address that the client did not register, and ends nothing then", async () => {
    const { browser, answer } = await start();
    const session = browser.cookies.get(SESSION);
    const id_token_hint = await idToken(answer);
    for (const parameters of [
      { id_token_hint, post_logout_redirect_uri: "https://evil.example/" },
      { post_logout_redirect_uri: REDIRECT },
      { id_token_hint: `${id_token_hint}x`, post_logout_redirect_uri: REDIRECT },
      { id_token_hint, client_id: "other-agent" },
    ]) {
      const { response, way } = await browser.open(logout(parameters as unknown as Record<string, string>));
      expect([response?.status, way.length]).toEqual([400, 1]);
    }
    expect(await isSignedIn(session)).toBe(true);
  });

  test("with nobody signed in says so", async () => {
    await start();
    const { html } = await started.newBrowser().open(LOGOUT);
    expect(html).toContain("You are signed out");
  });
});
