import { createRemoteJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { browserFetch } from "../../support/browser-fetch.ts";
import { eventually } from "../../support/eventually.ts";
import { createSigner, expectJson, issueToken, manage } from "../fixture.ts";
import type { AuditRecord } from "../gateway-fixture.ts";
import { PAGE, SCRIPT, type WebAppsUnderTest } from "./fixture.ts";

/** An app that is not open: people in browsers, and programs. */
export function callersOfWebApps(it: () => WebAppsUnderTest): void {
  const ask = (path: string, headers: Readonly<Record<string, string>> = SCRIPT, init: RequestInit = {}) =>
    fetch(it().us.url + path, { redirect: "manual", headers, ...init });
  const records = async (path: string): Promise<readonly AuditRecord[]> => {
    const { items } = await expectJson<{ items: readonly AuditRecord[] }>(
      await manage(it().owner, "GET", "/audit-events?type=web.requested"),
      200,
    );
    return items.filter(({ details }) => (details as { path?: string }).path === path);
  };

  describe("people at a web app", () => {
    test("signs people in at the connectors of the policy, and brings them to the page that they asked for", async () => {
      const { page } = await it().signedIn("/desk/books?q=a%20b");
      expect(page.response?.status).toBe(200);
      expect(page.url.href).toBe(`${it().us.url}/desk/books?q=a%20b`);
      const { target, headers } = it().upstream.last();
      expect(target).toBe("/desk/books?q=a%20b");
      expect(headers).toMatchObject({ "x-user": "alice@corp.example", "x-department": "accounting" });
      expect(headers["x-subject"]).toMatch(/^user_/);
      expect(headers.cookie ?? "").not.toContain("countersign");
      expect(page.response?.headers.get("cache-control")).toBe("private");
    });

    test("picks the policy by its location: a rule on claims denies, with a page for people", async () => {
      const { browser } = await it().signedIn("/desk/");
      const before = it().upstream.requests.length;
      const denied = await browser.open(`${it().us.url}/desk/admin/x`);
      expect([denied.response?.status, denied.html]).toEqual([403, expect.stringContaining("Not allowed")]);
      expect(denied.html).toContain("You are signed in as <bdi>alice@corp.example (corp)</bdi>.");
      expect(denied.html).toContain("Sign in with another account");
      expect(it().upstream.requests.length).toBe(before);
      expect((await ask("/desk/public")).status).toBe(200);
      expect(it().upstream.last().headers["x-user"]).toBeUndefined();
    });

    test("the page of a denial names the account as text, to nobody but the person", async () => {
      const email = `<img src=x>\u202e@corp.example`;
      it().provider.tell("eve", { email });
      const { browser } = await it().signedIn("/desk/", "eve");
      const { html } = await browser.open(`${it().us.url}/desk/admin/x`);
      expect(html).toContain("<bdi>&#60;img src=x&#62; @corp.example (corp)</bdi>");
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const script = await ask("/desk/admin/x", { ...SCRIPT, cookie });
      expect([script.status, await script.text()]).toEqual([403, expect.not.stringContaining("corp.example")]);
      const headers = { ...PAGE, cookie, "accept-language": "de" };
      const german = await browserFetch(`${it().us.url}/desk/admin/x`, { headers });
      const page = await german.text();
      expect(page).toContain("Die Regeln dieser Anwendung lassen das nicht zu.");
      expect(page).toContain("Mit einem anderen Konto anmelden");
      expect(it().us.logs().join("")).not.toContain("@corp.example");
    });

    test("59. a client cannot say who it is", async () => {
      const { browser } = await it().signedIn("/desk/");
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      for (const name of ["X-User", "x_user", "X.User", "x-USER"]) {
        const response = await ask("/desk/me", { cookie, [name]: "admin@corp.example" });
        expect(response.status).toBe(200);
        expect(JSON.stringify(it().upstream.last().rawHeaders)).not.toContain("admin@corp.example");
      }
    });

    test("are known by claims that their provider renews, until it refuses to", async () => {
      const { browser, page } = await it().signedIn("/fresh/", "fay");
      expect(page.response?.status).toBe(200);
      const seen = async () => {
        const { response, way } = await browser.open(`${it().us.url}/fresh/x`);
        return response?.status === 200 && way.length === 1 ? it().upstream.last().headers["x-department"] : way;
      };
      for (const department of ["sales", "research"]) {
        it().provider.tell("fay", { department });
        expect(await seen()).toBe(department);
      }
      await it().provider.endGrants();
      expect(await seen()).toContainEqual(expect.stringContaining("/.countersign/sign-in"));
    });

    test("60. a script is told where to sign in, and a form that comes too late is not lost", async () => {
      const script = await ask("/desk/data", { ...SCRIPT, origin: "https://elsewhere.example" });
      expect(script.status).toBe(401);
      expect(script.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(script.headers.get("access-control-allow-origin")).toBe("https://elsewhere.example");
      const { error, login } = (await script.json()) as { error: string; login: string };
      expect(error).toBe("login_required");
      expect(new URL(login).origin).toBe(it().us.url);
      const form = await browserFetch(`${it().us.url}/desk/data`, { headers: PAGE, method: "POST", body: "a=1" });
      expect([form.status, form.headers.get("location")]).toEqual([401, null]);
      expect(form.headers.get("content-type")).toContain("text/html");
      const german = { ...PAGE, "accept-language": "de" };
      const told = await browserFetch(`${it().us.url}/desk/data`, { headers: german, method: "POST", body: "a=1" });
      expect([told.status, told.headers.get("content-language")]).toEqual([401, "de"]);
      expect(await told.text()).toContain("<h1>Es wurde nichts gesendet</h1>");
    });

    test("60. nothing of a client decides where a sign-in leads", async () => {
      const asked = `${it().us.url}/desk//evil.example/?returnTo=https://evil.example`;
      const begun = await browserFetch(asked, { headers: PAGE });
      const { origin } = new URL(begun.headers.get("location") ?? "", it().us.url);
      expect(origin).toBe(it().us.url);
      const { page } = await it().signedIn("/desk//evil.example/");
      expect(page.url.origin).toBe(it().us.url);
    });

    test("the assertion can be checked with our keys", async () => {
      await it().signedIn("/desk/asserted");
      const jwt = it().upstream.last().headers["x-countersign-assertion"] as string;
      const keys = createRemoteJWKSet(new URL(`${it().us.url}/oauth2/jwks`));
      const { payload } = await jwtVerify(jwt, keys, {
        issuer: it().us.url,
        audience: "https://desk.internal.example",
        typ: "countersign-assertion+jwt",
      });
      expect(payload).toMatchObject({ email: "alice@corp.example", sub: expect.stringMatching(/^user_/) });
      expect(payload.sub_id).toEqual({ format: "iss_sub", iss: it().us.url, sub: payload.sub });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
      // It opens nothing of ours.
      expect((await ask("/desk/api/x", { authorization: `Bearer ${jwt}` })).status).toBe(401);
    });
  });

  describe("programs at a web app", () => {
    let bearer: Readonly<Record<string, string>>;
    const tokenFor = async (scopes: readonly string[], resource = `${it().us.url}/desk`) => {
      const signer = await createSigner(it().owner, { scopes, resources: [resource] });
      return { authorization: `Bearer ${await issueToken(it().us, signer, { resource })}` };
    };
    beforeAll(async () => {
      bearer = await tokenFor(["desk:read"]);
    });

    test("reach it with a token of its audience and scopes, where its expression allows the request", async () => {
      expect((await ask("/desk/api/books", bearer)).status).toBe(200);
      expect(it().upstream.last().headers.authorization).toBeUndefined();
      expect((await ask("/desk/api/secret", bearer)).status).toBe(403);
      expect((await ask("/desk/api/books", bearer, { method: "DELETE" })).status).toBe(403);
    });

    test("61. are told what their token lacks", async () => {
      const none = await ask("/desk/api/books");
      expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
      const wrong = await ask("/desk/api/books", { authorization: "Bearer nonsense" });
      expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([401, 'Bearer error="invalid_token"']);
      const other = await ask("/desk/api/books", await tokenFor(["desk:read"], `${it().us.url}/mcp`));
      expect(other.status).toBe(401);
      const poor = await ask("/desk/api/books", await tokenFor(["other"]));
      expect([poor.status, poor.headers.get("www-authenticate")]).toEqual([
        403,
        'Bearer error="insufficient_scope", scope="desk:read"',
      ]);
      expect((await ask("/desk/books", bearer)).status).toBe(401);
    });

    test("leave a record of each request", async () => {
      await ask("/desk/api/recorded", bearer);
      const allowed = await eventually(
        () => records("/desk/api/recorded"),
        ([record]) => record?.outcome === "success",
      );
      expect(allowed[0]).toMatchObject({ app: "desk", details: { method: "GET", location: "~ ^/desk/api/" } });
      await ask("/desk/api/secret?key=hidden", bearer);
      const [denied] = await eventually(
        () => records("/desk/api/secret"),
        (found) => found.length > 0,
      );
      expect(denied).toMatchObject({ outcome: "denied", reason: "policy" });
      expect(JSON.stringify(denied)).not.toContain("hidden");
    });

    test("62. are refused while the app is stopped, as people are, to whom no other account is offered", async () => {
      const { browser } = await it().signedIn("/desk/");
      const asked = { kind: "app", id: "desk", state: "suspended", reason: "It does harm." };
      const placed = await manage(it().owner, "POST", "/stops", asked);
      const { stop } = await expectJson<{ stop: { stopId: string } }>(placed, 200);
      await eventually(
        async () => (await ask("/desk/api/books", bearer)).status,
        (status) => status === 403,
      );
      const { html } = await browser.open(`${it().us.url}/desk/x`);
      expect(html).toContain("An administrator has stopped this.");
      expect(html).not.toContain("Sign in with another account");
      const resumed = await manage(it().owner, "POST", `/stops/${stop.stopId}/resume`, { reason: "It is mended." });
      expect(resumed.status).toBe(200);
      await eventually(
        async () => (await ask("/desk/api/books", bearer)).status,
        (status) => status === 200,
      );
    });
  });
}
