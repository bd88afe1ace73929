import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AUTHORIZE,
  authorizationURL,
  type SignInStarted,
  signIn,
  startSignIn,
  walk,
} from "../oauth/authorize/started.ts";
import { ISSUER } from "../support/in-process.ts";
import type { PersonsBrowser, Visit } from "../support/person.ts";

describe("a sign-in", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn();
  });
  afterAll(() => started.stop());

  const atConsent = async (login = "alice") => {
    const browser = started.newBrowser();
    const page = await signIn(browser, await browser.open(authorizationURL({ prompt: "consent" })), login);
    return { browser, page };
  };
  const secretOf = ({ url }: Visit) => url.searchParams.get("interaction") as string;
  const decide = (browser: PersonsBrowser, secret: string, headers: Readonly<Record<string, string>> = {}) =>
    started.product.send("/oauth2/authorize/consent", {
      method: "POST",
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...headers,
      },
      body: new URLSearchParams({ interaction: secret, decision: "allow" }).toString(),
    });

  test("14. names its issuer in answers with a code and with an error", async () => {
    const answer = await walk(started.newBrowser(), authorizationURL());
    expect(answer.searchParams.get("iss")).toBe(ISSUER);
    const { url } = await started.newBrowser().open(authorizationURL({ scope: "nothing" }));
    expect(url.searchParams.get("iss")).toBe(ISSUER);
  });

  test("14. shows pages that nothing can frame, script or load from elsewhere", async () => {
    const { page } = await atConsent();
    const error = await started.newBrowser().open(AUTHORIZE);
    for (const { response, html } of [page, error]) {
      const policy = response?.headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(response?.headers.get("x-frame-options")).toBe("DENY");
      expect(response?.headers.get("cache-control")).toBe("no-store");
      expect(response?.headers.get("referrer-policy")).toBe("same-origin");
      expect(html).not.toMatch(/<script|<img|<link|<iframe/);
    }
  });

  test("14. takes consent from its own page only", async () => {
    const { browser, page } = await atConsent();
    const secret = secretOf(page);
    expect((await decide(browser, secret, { Origin: "https://evil.example" })).status).toBe(403);
    expect((await decide(browser, secret, { Origin: "null" })).status).toBe(403);
    expect((await decide(browser, secret, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await decide(browser, secret, { "Sec-Fetch-Site": "same-site" })).status).toBe(403);
    expect((await decide(browser, "A".repeat(43))).status).toBe(400);
    expect((await decide(browser, secret, { Cookie: "" })).status).toBe(400);
    expect((await decide(browser, secret, { Origin: ISSUER, "Sec-Fetch-Site": "same-origin" })).status).toBe(303);
  });

  test("14. cannot be finished in another browser, and is not ended by the attempt", async () => {
    const { browser, page } = await atConsent();
    const stranger = started.newBrowser();
    const foreign = await stranger.open(page.url);
    expect([foreign.response?.status, foreign.html.includes("another browser")]).toEqual([400, true]);
    await walk(stranger, authorizationURL());
    expect((await decide(stranger, secretOf(page))).status).toBe(400);
    expect((await browser.press(page, "Allow")).url.searchParams.has("code")).toBe(true);
  });

  test("14. takes a decision once", async () => {
    const { browser, page } = await atConsent();
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(browser, secretOf(page))));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
    expect((await browser.open(page.url)).html).toContain("This sign-in is over");
  });

  test("14. comes back from the connector once, in the browser that it began in", async () => {
    const browser = started.newBrowser();
    const login = await browser.open(authorizationURL());
    const stranger = started.newBrowser();
    const state = new URL(login.way[1] as string).searchParams.get("state") as string;
    const forged = await stranger.open(`${ISSUER}/oauth2/callback?code=x&state=${state}`);
    expect([forged.response?.status, forged.html.includes("another browser")]).toEqual([400, true]);

    const page = await signIn(browser, login, "dora");
    const callback = page.way.find((url) => url.includes("/oauth2/callback")) as string;
    const replayed = await browser.open(callback);
    expect([replayed.response?.status, replayed.html.includes("This sign-in is over")]).toEqual([400, true]);
    expect(replayed.url.href).toBe(callback);
    expect((await browser.press(page, "Allow")).url.searchParams.has("code")).toBe(true);
  });

  test("14. is over after ten minutes", async () => {
    const { clock } = started.product;
    const { browser, page } = await atConsent();
    clock.set(clock.now() + 600_000);
    const { response, html } = await browser.press(page, "Allow");
    clock.set(Date.now());
    expect([response?.status, html.includes("This sign-in is over")]).toEqual([400, true]);
  });

  test("14. under way in two tabs ends in both", async () => {
    const browser = started.newBrowser();
    const [one, other] = [await browser.open(authorizationURL()), await browser.open(authorizationURL({ state: "2" }))];
    const first = await browser.press(await signIn(browser, other, "erin"), "Allow");
    expect(first.url.searchParams.get("state")).toBe("2");
    const second = await browser.open(one.way[1] as string);
    expect(second.url.searchParams.get("state")).toBe("the-state");
  });

  test("14. writes no secret of it into the log", async () => {
    const { browser, page } = await atConsent();
    await browser.press(page, "Allow");
    const log = started.product.logs.join("\n");
    for (const secret of [secretOf(page), ...browser.cookies.values()].filter((value) => value.length > 20)) {
      expect(log).not.toContain(secret);
    }
    expect(log).not.toContain("alice@corp.example");
  });
});
