import { describe, expect, test } from "vitest";
import { browserFetch } from "../../support/browser-fetch.ts";
import { eventually } from "../../support/eventually.ts";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import { expectJson, manage } from "../fixture.ts";
import type { AuditRecord } from "../gateway-fixture.ts";
import { PAGE, SCRIPT, type WebAppsUnderTest } from "./fixture.ts";

type Fields = Readonly<Record<string, string>>;

/** How people sign out of web apps, and what nobody can do to them. */
export function signingOutOfWebApps(_runtime: RuntimeUnderTest, it: () => WebAppsUnderTest): void {
  const ask = (path: string, headers: Fields, init: RequestInit = {}) =>
    browserFetch(it().us.url + path, { redirect: "manual", headers, ...init });
  /** A person's cookies, as a page that others have sends them along. */
  const signedIn = async () => {
    const { browser } = await it().signedIn("/desk/");
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const isSignedIn = async () => (await ask("/desk/me", { ...SCRIPT, cookie })).status === 200;
    return { browser, cookie, isSignedIn };
  };
  const forgets = (response: Response) =>
    response.headers.getSetCookie().filter((line) => line.startsWith("__Host-countersign=;"));

  describe("the logout path of a web app", () => {
    test.each<[string, Fields]>([
      ["a link of the app", { ...PAGE, "sec-fetch-site": "same-origin" }],
      ["what the person typed", { ...PAGE, "sec-fetch-site": "none" }],
      ["a browser that says nothing of where it comes from", PAGE],
      [
        "a script of an origin that the app names",
        { ...SCRIPT, "sec-fetch-site": "cross-site", origin: "https://elsewhere.example" },
      ],
    ])("ends the session for %s, and the app still learns who leaves", async (_, headers) => {
      const { cookie, isSignedIn } = await signedIn();
      expect(await isSignedIn()).toBe(true);
      const response = await ask("/desk/logout?why=done", { ...headers, cookie });
      expect([response.status, response.headers.get("x-upstream")]).toEqual([200, "yes"]);
      expect(it().upstream.last()).toMatchObject({
        target: "/desk/logout?why=done",
        headers: { "x-user": "alice@corp.example" },
      });
      expect(it().upstream.last().headers.cookie ?? "").not.toContain("countersign");
      expect(forgets(response)).toEqual([expect.stringContaining("Max-Age=0; Path=/; Secure; HttpOnly")]);
      expect(await isSignedIn()).toBe(false);
    });

    test("is recorded once, with the app", async () => {
      const ended = async () => {
        const response = await manage(it().owner, "GET", "/audit-events?type=web_session.ended");
        const { items } = await expectJson<{ items: readonly AuditRecord[] }>(response, 200);
        return items;
      };
      const before = (await ended()).length;
      const { cookie } = await signedIn();
      for (let count = 0; count < 2; count++) await ask("/desk/logout", { ...PAGE, cookie });
      const [record, ...more] = await eventually(ended, (found) => found.length > before);
      expect(more.length).toBe(before);
      expect(record).toMatchObject({ app: "desk", reason: "signed_out", outcome: "success" });
    });

    test.each(["cross-site", "same-site"])("64. a link of another site signs nobody out: %s", async (site) => {
      const { cookie, isSignedIn } = await signedIn();
      const before = it().upstream.requests.length;
      const page = await ask("/desk/logout?a=%22%3E", { ...PAGE, cookie, "sec-fetch-site": site });
      const html = await page.text();
      expect([page.status, forgets(page)]).toEqual([200, []]);
      expect(html).toContain("Sign out?");
      expect(html).toContain('href="/desk/logout?a=%22%3E"');
      expect(it().upstream.requests.length).toBe(before);
      expect(await isSignedIn()).toBe(true);
    });

    test.each<[string, Fields, RequestInit]>([
      ["a picture of a host of the same domain", { ...SCRIPT, "sec-fetch-site": "same-site" }, {}],
      ["a script of another site", { ...SCRIPT, "sec-fetch-site": "cross-site", origin: "https://evil.example" }, {}],
      ["a script where the browser names the origin alone", { ...SCRIPT, origin: "https://evil.example" }, {}],
      ["a form of nobody's origin", { ...PAGE, origin: "null" }, { method: "POST", body: "a=1" }],
      ["a browser that fetches ahead", { ...PAGE, "sec-fetch-site": "same-origin", "sec-purpose": "prefetch" }, {}],
    ])("64. nor does %s, which is told so", async (_, headers, init) => {
      const { cookie, isSignedIn } = await signedIn();
      const before = it().upstream.requests.length;
      const refused = await ask("/desk/logout", { ...headers, cookie }, init);
      expect([refused.status, forgets(refused)]).toEqual([403, []]);
      expect(it().upstream.requests.length).toBe(before);
      expect(await isSignedIn()).toBe(true);
    });

    test("asking about it, and other paths, end nothing", async () => {
      const { cookie, isSignedIn } = await signedIn();
      for (const [path, method] of [
        ["/desk/logout", "HEAD"],
        ["/desk/logout/", "GET"],
        ["/desk/logout/x", "GET"],
        ["/desk/Logout", "GET"],
      ]) {
        await ask(path as string, { ...PAGE, cookie, "sec-fetch-site": "same-origin" }, { method: method as string });
      }
      expect(await isSignedIn()).toBe(true);
    });

    test("sends nobody to sign in who is not signed in", async () => {
      const page = await ask("/desk/logout", PAGE);
      expect([page.status, page.headers.get("location")]).toEqual([200, null]);
      expect(await page.text()).toContain("You are signed out");
      expect((await ask("/desk/logout", SCRIPT)).status).toBe(401);
    });
  });

  describe("single logout", () => {
    test("asks, ends the session here and at the connector, and leads where the configuration says", async () => {
      const { browser, isSignedIn } = await signedIn();
      const asked = await browser.open(`${it().us.url}/single-logout?redirectURL=https://evil.example&state=x`);
      expect(asked.html).toContain("Sign out?");
      expect(await isSignedIn()).toBe(true);
      const atProvider = await browser.press(asked, "Sign out");
      expect(atProvider.url.href).toContain(`${it().provider.issuer}/session/end`);
      expect(await isSignedIn()).toBe(false);
      const { url } = await browser.press(atProvider, "Yes, sign me out");
      expect(url.href).toBe(`${it().us.url}/site/bye?from=us`);
      expect((await browser.open(`${it().us.url}/desk/`)).html).toContain("Sign in at Corp");
    });

    test("64. another site's form ends nothing, even with what the page holds", async () => {
      const { browser, cookie, isSignedIn } = await signedIn();
      const { html } = await browser.open(`${it().us.url}/single-logout`);
      const [, interaction = ""] = /name="interaction" value="([^"]+)"/.exec(html) ?? [];
      const all = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const send = (origin: string, cookies: string) =>
        ask(
          "/single-logout",
          { ...PAGE, cookie: cookies, origin, "content-type": "application/x-www-form-urlencoded" },
          { method: "POST", body: `interaction=${interaction}` },
        );
      expect((await send("https://evil.example", all)).status).toBe(403);
      // Of another browser.
      expect((await send(it().us.url, cookie.replace(/__Host-countersign-sign-in=[^;]*/, ""))).status).toBe(400);
      expect(await isSignedIn()).toBe(true);
    });

    test("leads whoever is not signed in there at once", async () => {
      const { url } = await it().newBrowser().open(`${it().us.url}/single-logout`);
      expect(url.href).toBe(`${it().us.url}/site/bye?from=us`);
    });

    test("refuses what is no ID token of ours", async () => {
      expect((await ask("/single-logout?id_token_hint=a.b.c", PAGE)).status).toBe(400);
    });
  });
}
