import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  authorizationURL,
  DYNAMIC_CLIENTS,
  redeem,
  registerDynamicClient,
  type SignInStarted,
  startSignIn,
  walk,
} from "../oauth/authorize/started.ts";
import { ISSUER } from "../support/in-process.ts";
import { AGENT, REDIRECT } from "../support/oauth-apps.ts";

const EVIL = "https://evil.example/landing";

describe("errors of an authorization request", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ apps: [AGENT], oidcProvider: { registration: DYNAMIC_CLIENTS } });
  });
  afterAll(() => started.stop());

  const wrong = [
    { scope: "nothing" },
    { response_type: "token" },
    { prompt: "none" },
    { resource: "https://other.example" },
  ];

  test("11. of a client that anybody can register redirect nobody who never allowed it anything", async () => {
    const client_id = await registerDynamicClient(started, EVIL);
    for (const changes of wrong) {
      const { response, way, html } = await started
        .newBrowser()
        .open(authorizationURL({ client_id, redirect_uri: EVIL, ...changes }));
      expect([response?.status, way.length]).toEqual([400, 1]);
      expect(html).toContain("Back to <bdi>evil.example</bdi>");
    }
  });

  test("11. of such a client reach it once the person has allowed it something", async () => {
    const client_id = await registerDynamicClient(started, EVIL);
    const browser = started.newBrowser();
    await walk(browser, authorizationURL({ client_id, redirect_uri: EVIL }));
    const { url } = await browser.open(authorizationURL({ client_id, redirect_uri: EVIL, scope: "nothing" }));
    expect([url.origin, url.searchParams.get("error")]).toEqual(["https://evil.example", "invalid_scope"]);
  });

  test("11. of such a client on this computer, and of apps, reach them", async () => {
    const redirect_uri = "http://127.0.0.1/callback";
    const client_id = await registerDynamicClient(started, redirect_uri);
    for (const changes of [{ client_id, redirect_uri }, {}]) {
      const { url } = await started.newBrowser().open(authorizationURL({ ...changes, scope: "nothing" }));
      expect(url.searchParams.get("error")).toBe("invalid_scope");
    }
  });
});

describe("signing out", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ apps: [AGENT], oidcProvider: { registration: DYNAMIC_CLIENTS } });
  });
  afterAll(() => started.stop());

  const logout = (parameters: Readonly<Record<string, string>>) =>
    `${ISSUER}/oauth2/logout?${new URLSearchParams(parameters)}`;
  const signedIn = async (client_id: string) => {
    const browser = started.newBrowser();
    const answer = await walk(browser, authorizationURL({ client_id, redirect_uri: EVIL }));
    const changes = { client_id, client_secret: undefined, redirect_uri: EVIL };
    const { id_token } = (await (await redeem(started.product, answer, changes)).json()) as { id_token: string };
    return { browser, id_token };
  };

  test("11. leads nobody by a mere link to a client that anybody can register, not even with an ID token of somebody", async () => {
    const client_id = await registerDynamicClient(started, EVIL);
    const { browser, id_token } = await signedIn(client_id);
    const link = { client_id, post_logout_redirect_uri: EVIL };
    for (const parameters of [link, { ...link, id_token_hint: id_token }]) {
      const { html, way } = await started.newBrowser().open(logout(parameters));
      expect([html.includes("You are signed out"), way.length]).toEqual([true, 1]);
    }
    const asked = await browser.open(logout(link));
    expect(asked.html).toContain("Sign out?");
    expect((await browser.press(asked, "Sign out")).way.join(" ")).not.toContain("evil.example");
  });

  test("11. leads to such a client that shows the ID token of who is signed in, and to apps", async () => {
    const client_id = await registerDynamicClient(started, EVIL);
    const { browser, id_token } = await signedIn(client_id);
    const hint = { id_token_hint: id_token, post_logout_redirect_uri: EVIL };
    expect((await browser.open(logout(hint))).way.at(-1)).toContain(`${started.provider.issuer}/session/end`);
    const app = { client_id: AGENT.clientID, post_logout_redirect_uri: REDIRECT };
    expect((await started.newBrowser().open(logout(app))).url.href).toBe(REDIRECT);
  });
});
