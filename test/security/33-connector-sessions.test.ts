import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizationURL, type SignInStarted, signIn, startSignIn, walk } from "../oauth/authorize/started.ts";
import { AGENT } from "../support/oauth-apps.ts";

const SESSION = "__Host-countersign";

describe("the session of a sign-in through a connector", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn({ apps: [{ ...AGENT, consent: "never" }] });
  });
  afterAll(() => started.stop());

  const isSignedIn = async (session: string) => {
    const browser = started.newBrowser();
    browser.cookies.set(SESSION, session);
    return (await browser.open(authorizationURL({ prompt: "none" }))).url.searchParams.has("code");
  };

  test("33. has a new id with each sign-in, and the former one ends", async () => {
    const browser = started.newBrowser();
    const planted = "p".repeat(43);
    browser.cookies.set(SESSION, planted);
    await walk(browser, authorizationURL());
    const first = browser.cookies.get(SESSION) as string;
    expect(first).not.toBe(planted);
    await signIn(browser, await browser.open(authorizationURL({ prompt: "login" })));
    const second = browser.cookies.get(SESSION) as string;
    expect(second).not.toBe(first);
    expect(await isSignedIn(first)).toBe(false);
    expect(await isSignedIn(second)).toBe(true);
  });

  test("33. is kept in a cookie that scripts, other sites' requests and plain connections do not get", async () => {
    const browser = started.newBrowser();
    const login = await browser.open(authorizationURL());
    const way = (await signIn(browser, login)).way;
    const begun = await started.product.send(new URL(authorizationURL()).pathname + new URL(authorizationURL()).search);
    const [binding] = begun.headers.getSetCookie();
    expect(binding).toMatch(
      /^__Host-countersign-sign-in=[\w-]{43}; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect(way.join()).not.toContain(browser.cookies.get(SESSION));
  });

  test("33. ends when it idles, and at its absolute end", async () => {
    const { clock } = started.product;
    const browser = started.newBrowser();
    await walk(browser, authorizationURL());
    const session = browser.cookies.get(SESSION) as string;
    clock.set(clock.now() + 3_600_000 + 61_000);
    expect(await isSignedIn(session)).toBe(false);
    clock.set(Date.now());
  });
});
