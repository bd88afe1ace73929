import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { personId } from "../../lib/stores/identities.ts";
import { consoleBrowser } from "../support/console-browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { openBrowser, type PersonsBrowser, type Visit } from "../support/person.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { answerOf, expectJson, NO_UPSTREAM, setUpOwner } from "./fixture.ts";
import { bearer, mcpURL, post, rpc } from "./gateway-fixture.ts";
import { signInConfiguration, WEB_APP } from "./sign-in-configuration.ts";

/** People sign in at their company's identity provider for an application; the client is one that nobody here wrote. */
export function signIn(runtime: RuntimeUnderTest): void {
  describe("signing in", () => {
    let regions: RunningRegions;
    let provider: IdentityProvider;
    let client: openid.Configuration;

    beforeAll(async () => {
      provider = await startIdentityProvider();
      const variables = {
        UPSTREAM_URL: NO_UPSTREAM,
        IDP_URL: provider.issuer,
        IDP_CLIENT: provider.client.id,
        IDP_SECRET: provider.client.secret,
      };
      regions = await runtime.start({ configuration: signInConfiguration, variables });
      const own = [regions.us.url, regions.uk.url];
      await provider.register(
        own.flatMap((url) => [`${url}/oauth2/callback`, `${url}/api/v1/sign-in/oidc/callback`]),
        own.map((url) => `${url}/oauth2/logout`),
      );
      client = await openid.discovery(
        new URL(regions.us.url),
        WEB_APP.clientId,
        undefined,
        openid.ClientSecretBasic(WEB_APP.secret),
        { execute: [openid.allowInsecureRequests] },
      );
    });
    afterAll(async () => {
      await regions.stop();
      await provider.stop();
    });

    const newBrowser = (language?: string) =>
      openBrowser(({ hostname }) => hostname === "127.0.0.1" || hostname === "localhost", fetch, language);

    /** The address of a request with every check on, and what its answer is held against. */
    const request = async (parameters: Readonly<Record<string, string>> = {}) => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(client, {
        redirect_uri: WEB_APP.redirect,
        scope: "openid profile email offline_access books:read",
        resource: `${regions.us.url}/mcp`,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
        state: expectedState,
        nonce: expectedNonce,
        ...parameters,
      });
      return { url, checks: { pkceCodeVerifier, expectedState, expectedNonce } };
    };

    const logIn = async (browser: PersonsBrowser, page: Visit, login: string) =>
      browser.press(page, "Sign in", { login });

    test("pages are German where the client asks for it or the browser prefers it, and say so", async () => {
      const { url } = await request({ ui_locales: "fr de-CH" });
      const asked = newBrowser("en");
      const consent = await logIn(asked, await asked.open(url), "gerda");
      expect(consent.html).toContain("Darf „<bdi>The web application</bdi>“ für Sie handeln?");
      expect(consent.response?.headers.get("content-language")).toBe("de");
      const error = await newBrowser("de;q=0.5, en;q=0.2").open(`${regions.us.url}/oauth2/authorize?client_id=nobody`);
      expect(error.html).toContain("<h1>Diese Anmeldung kann nicht beginnen</h1>");
      const answer = await asked.press(consent, "Ablehnen");
      expect(answer.url.searchParams.get("error_description")).toBe("the person refused");
    });

    test("openid-client signs a person in by consent and a company's identity provider, and gets every token", async () => {
      const browser = newBrowser();
      const { url, checks } = await request();
      const login = await browser.open(url);
      expect(login.url.origin).toBe(provider.issuer);
      const consent = await logIn(browser, login, "alice");
      expect(consent.html).toContain("The web application");
      const answer = await browser.press(consent, "Allow");
      const tokens = await openid.authorizationCodeGrant(client, answer.url, checks);
      const claims = tokens.claims();
      expect(claims).toMatchObject({ iss: regions.us.url, aud: WEB_APP.clientId, department: "accounting" });
      expect(claims?.sub).toMatch(/^user_[\w-]{43}$/);
      expect(tokens.scope?.split(" ").sort()).toEqual(["books:read", "email", "offline_access", "openid", "profile"]);
      const userinfo = await openid.fetchUserInfo(client, tokens.access_token, claims?.sub as string);
      expect(userinfo).toMatchObject({ name: "Alice Example", email: "alice@corp.example", email_verified: true });
      const refreshed = await openid.refreshTokenGrant(client, tokens.refresh_token as string);
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);

      const again = await request();
      const { url: answered } = await browser.open(again.url);
      await openid.authorizationCodeGrant(client, answered, again.checks);
    });

    test("an owner links an account, signs in to the Console with it, which others do not, and tries tools as themselves", async () => {
      const pages = openBrowser(
        ({ hostname, pathname }) => hostname === "127.0.0.1" && !pathname.startsWith("/console"),
      );
      const browser = consoleBrowser((path, init) => fetch(regions.us.url + path, init), pages.cookies);
      const go = async (asked: object, login: string) => {
        const { body } = await browser.call("POST", "/sign-in/oidc/corp", asked);
        const page = await pages.open(body.location as string);
        return page.html.includes("Sign in at Corp") ? logIn(pages, page, login) : page;
      };
      expect((await go({}, "alice")).url.href).toBe(`${regions.us.url}/console/sign-in?problem=unknown_account`);
      const [name = "", value = ""] = (await setUpOwner(regions.us)).cookie.split("=");
      pages.cookies.set(name, value);
      expect((await go({ link: true }, "alice")).url.href).toBe(`${regions.us.url}/console/`);
      expect((await browser.call("POST", "/sign-out")).status).toBe(204);
      expect((await go({ returnTo: "/console/audit" }, "alice")).url.href).toBe(`${regions.us.url}/console/audit`);
      expect((await browser.call("GET", "/me")).body).toMatchObject({ email: "owner@example.com" });

      // With the scopes of an agent whose tokens tell nothing of the sign-in at the connector.
      const trial = await browser.call("POST", "/trials", {});
      const sub = personId({ issuer: provider.issuer, subject: "alice" });
      const claims = { sub, client_id: "countersign-console", aud: mcpURL(regions.us), scope: "books:read" };
      expect([trial.status, trial.body]).toEqual([
        201,
        expect.objectContaining({ claims: expect.objectContaining(claims) }),
      ]);
      const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      const listed = await post(regions.us, list, bearer(trial.body.accessToken as string));
      expect((await rpc(listed)).result).toHaveProperty("tools");
    });

    test("a person is the same in both regions, and a stranger to the management API", async () => {
      const browser = newBrowser();
      const { url } = await request();
      await browser.press(await logIn(browser, await browser.open(url), "bob"), "Allow");
      const value = browser.cookies.get("__Host-countersign");
      for (const cookie of [`__Host-countersign=${value}`, `__Host-countersign-console=${value}`]) {
        expect((await answerOf(fetch(`${regions.us.url}/api/v1/me`, { headers: { cookie } }))).status).toBe(401);
      }
    });

    test("whoever registers asks for consent before the identity provider is asked for anything", async () => {
      const redirect = "https://stranger.example/callback";
      const registered = await fetch(`${regions.us.url}/oauth2/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          client_name: "A stranger",
          redirect_uris: [redirect],
          token_endpoint_auth_method: "none",
        }),
      });
      const { client_id } = await expectJson<{ client_id: string }>(registered, 201);
      const browser = newBrowser();
      const asked = { client_id, redirect_uri: redirect, scope: "openid books:read" };
      const page = await browser.open((await request(asked)).url);
      expect(page.html).toContain("registered itself");
      expect(page.url.origin).toBe(regions.us.url);
      const login = await browser.press(page, "Allow");
      expect(login.url.origin).toBe(provider.issuer);
      const answer = await logIn(browser, login, "carol");
      expect(answer.url.searchParams.has("code")).toBe(true);

      const refused = await newBrowser().open((await request({ ...asked, scope: "nothing" })).url);
      expect([refused.response?.status, refused.way.length]).toEqual([400, 1]);
      expect(refused.html).toContain("Back to");
    });

    test("a sign-in that is over stays over", async () => {
      const browser = newBrowser();
      const { url } = await request();
      const consent = await logIn(browser, await browser.open(url), "dora");
      const callback = consent.way.find((address) => address.includes("/oauth2/callback")) as string;
      expect((await browser.open(callback)).html).toContain("This sign-in is over");
      await browser.press(consent, "Deny");
      const { response, html } = await browser.press(consent, "Allow");
      expect(response?.status).toBe(400);
      expect(html).toContain("This sign-in is over");
    });

    test("signing out ends it here and at the identity provider, and leads back", async () => {
      const browser = newBrowser();
      const { url, checks } = await request({ prompt: "consent" });
      const answer = await browser.press(await logIn(browser, await browser.open(url), "erin"), "Allow");
      const tokens = await openid.authorizationCodeGrant(client, answer.url, checks);
      const signOut = openid.buildEndSessionUrl(client, {
        id_token_hint: tokens.id_token as string,
        post_logout_redirect_uri: WEB_APP.redirect,
        state: "bye",
      });
      const atProvider = await browser.open(signOut);
      expect(atProvider.url.origin).toBe(provider.issuer);
      const { url: end } = await browser.press(atProvider, "Yes, sign me out");
      expect(end.href).toBe(`${WEB_APP.redirect}?state=bye`);
      expect((await browser.open(url)).html).toContain("Sign in at Corp");
    });
  });
}
