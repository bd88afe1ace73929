import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NATIVE_APP } from "../behaviour/sign-in-configuration.ts";
import { CHALLENGE } from "../oauth/authorize/started.ts";
import { expectAccessibleInBothSchemes } from "./console/support/axe.ts";
import { type BrowserStarted, startForBrowser } from "./started.ts";

describe("a person in Chromium, without script", () => {
  let started: BrowserStarted;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    started = await startForBrowser();
  });
  afterAll(() => started.stop());
  beforeEach(async () => {
    context = await started.browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const authorizationURL = (changes: Readonly<Record<string, string>> = {}) => {
    const parameters = {
      response_type: "code",
      client_id: NATIVE_APP.clientId,
      redirect_uri: started.application.redirect,
      scope: "openid",
      state: "the-state",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      ...changes,
    };
    return `${started.region.url}/oauth2/authorize?${new URLSearchParams(parameters)}`;
  };

  const register = async (name: string): Promise<string> => {
    const answer = await fetch(`${started.region.url}/oauth2/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        client_name: name,
        redirect_uris: [started.application.redirect],
        token_endpoint_auth_method: "none",
      }),
    });
    return ((await answer.json()) as { client_id: string }).client_id;
  };

  const signInAtCorp = async (login: string) => {
    await page.getByLabel("Name").fill(login);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  /** Nothing is wider than the window, and what can be pressed is large enough for a thumb. */
  const expectToFit = async () => {
    const main = await page.locator("main").boundingBox();
    expect((main?.x ?? 0) + (main?.width ?? 0)).toBeLessThanOrEqual(360);
    for (const button of await page.getByRole("button").all()) {
      const box = await button.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    }
  };

  test("signs in, allows, and is back in the application with a code", async () => {
    await page.goto(authorizationURL());
    await signInAtCorp("alice");
    await page.getByRole("heading", { name: "Allow “The native application” to act for you?" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await expectToFit();
    await page.getByRole("button", { name: "Allow" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Back in the application" }).waitFor();
    const { searchParams } = started.application.answers.at(-1) as URL;
    expect(searchParams.get("code")).toMatch(/^csc_us_/);
    expect(searchParams.get("state")).toBe("the-state");
    expect(searchParams.get("iss")).toBe(started.region.url);
  });

  test("reads all pages in German, in both colour schemes, where the client asks for German", async () => {
    // axe is a script.
    await context.close();
    context = await started.browser.newContext({ viewport: { width: 360, height: 740 } });
    page = await context.newPage();
    const client_id = await register("Ein Agent");
    const request = { client_id, scope: "openid profile email books:read", ui_locales: "de" };
    await page.goto(authorizationURL(request));
    await page.getByRole("heading", { name: "Darf „Ein Agent“ für Sie handeln?" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    await page.getByText("Stimmen Sie nur zu, wenn Sie gerade selbst begonnen haben").waitFor();
    await expectAccessibleInBothSchemes(page, "consent in German");
    await expectToFit();
    await page.getByRole("button", { name: "Zustimmen" }).click();
    await signInAtCorp("gerda");
    await page.getByRole("heading", { name: "Back in the application" }).waitFor();
    await page.goto(`${started.region.url}/oauth2/logout?ui_locales=de`);
    await page.getByRole("heading", { name: "Abmelden?" }).waitFor();
    await expectAccessibleInBothSchemes(page, "signing out in German");
    await page.getByRole("button", { name: "Abmelden" }).click();
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.getByRole("heading", { name: "Sie sind abgemeldet" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
  });

  test("allows a client that registered itself, and only then gets to the company's page", async () => {
    const client_id = await register("An agent 🤖 <b>with a name</b>");
    await page.goto(authorizationURL({ client_id, scope: "openid profile books:read" }));
    await page.getByText("registered itself").waitFor();
    expect(await page.textContent("h1")).toBe("Allow “An agent 🤖 <b>with a name</b>” to act for you?");
    expect(new URL(page.url()).origin).toBe(started.region.url);
    await expectToFit();
    await page.getByRole("button", { name: "Allow" }).click();
    await signInAtCorp("bob");
    await page.getByRole("heading", { name: "Back in the application" }).waitFor();
    expect(started.application.answers.at(-1)?.searchParams.get("code")).toMatch(/^csc_us_/);
  });

  test("denies, and the application is told", async () => {
    await page.goto(authorizationURL());
    await signInAtCorp("carol");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Back in the application" }).waitFor();
    expect(started.application.answers.at(-1)?.searchParams.get("error")).toBe("access_denied");
  });

  test("breaks off at the company, and the application is told", async () => {
    await page.goto(authorizationURL());
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Back in the application" }).waitFor();
    expect(started.application.answers.at(-1)?.searchParams.get("error")).toBe("access_denied");
  });

  test("sees what is wrong with a request, with its number", async () => {
    await page.goto(authorizationURL({ client_id: "nobody" }));
    await page.getByRole("heading", { name: "This sign-in cannot begin" }).waitFor();
    expect(await page.textContent("footer")).toMatch(/^Request [0-9A-Z]{26}$/);
    await expectToFit();
  });

  test("cannot be shown the pages in a frame", async () => {
    await page.setContent(`<iframe src="${authorizationURL({ client_id: "nobody" })}" width="300"></iframe>`);
    const frame = page.frames().at(-1);
    await expect.poll(async () => frame?.url()).toMatch(/^chrome-error:/);
  });

  test("signs out by a page that asks", async () => {
    await page.goto(authorizationURL());
    await signInAtCorp("dora");
    await page.getByRole("heading", { name: /^Allow/ }).waitFor();
    await page.goto(`${started.region.url}/oauth2/logout`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  });
});
