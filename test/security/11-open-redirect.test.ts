import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  authorizationURL,
  registerStranger,
  type SignInStarted,
  STRANGERS,
  startSignIn,
  walk,
} from "../oauth/authorize/started.ts";
import { AGENT } from "../support/oauth-apps.ts";

const EVIL = "https://evil.example/landing";

describe("errors of an authorization request", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ apps: [AGENT], oidcProvider: { registration: STRANGERS } });
  });
  afterAll(() => started.stop());

  const wrong = [
    { scope: "nothing" },
    { response_type: "token" },
    { prompt: "none" },
    { resource: "https://other.example" },
  ];

  test("11. of a client that anybody can register redirect nobody who never allowed it anything", async () => {
    const client_id = await registerStranger(started, EVIL);
    for (const changes of wrong) {
      const { response, way, html } = await started
        .newBrowser()
        .open(authorizationURL({ client_id, redirect_uri: EVIL, ...changes }));
      expect([response?.status, way.length]).toEqual([400, 1]);
      expect(html).toContain("Back to <bdi>evil.example</bdi>");
    }
  });

  test("11. of such a client reach it once the person has allowed it something", async () => {
    const client_id = await registerStranger(started, EVIL);
    const browser = started.newBrowser();
    await walk(browser, authorizationURL({ client_id, redirect_uri: EVIL }));
    const { url } = await browser.open(authorizationURL({ client_id, redirect_uri: EVIL, scope: "nothing" }));
    expect([url.origin, url.searchParams.get("error")]).toEqual(["https://evil.example", "invalid_scope"]);
  });

  test("11. of such a client on this computer, and of apps, reach them", async () => {
    const redirect_uri = "http://127.0.0.1/callback";
    const client_id = await registerStranger(started, redirect_uri);
    for (const changes of [{ client_id, redirect_uri }, {}]) {
      const { url } = await started.newBrowser().open(authorizationURL({ ...changes, scope: "nothing" }));
      expect(url.searchParams.get("error")).toBe("invalid_scope");
    }
  });
});
