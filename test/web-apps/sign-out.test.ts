import { afterEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { ISSUER, startInProcess } from "../support/in-process.ts";
import { APPS, PAY, PAYROLL, signIn, startWebApps, type WebAppsStarted, WIKI, webApp } from "./started.ts";

const SHARED = "__Secure-countersign";
const HOME = "https://www.example/bye?from=us";
const TIMES = { maxTimeout: 86_400_000, idleTimeout: 3_600_000 };

let started: WebAppsStarted;
let stop: () => Promise<void>;
afterEach(() => stop());

async function begin(change?: Parameters<typeof startWebApps>[0]): Promise<void> {
  started = await startWebApps(change);
  stop = started.stop;
}

async function signedIn(app: string) {
  const browser = started.newBrowser();
  const visit = await signIn(browser, await browser.open(`${app}/reports`));
  return { browser, visit };
}

async function reasonsOfEnds(): Promise<readonly string[]> {
  const { auditLog, directory } = started.product.dependencies.stores;
  const organizationId = (await directory.firstOrganization())?.organizationId;
  const { items } = await auditLog.query({ organizationId, type: "web_session.ended" }, { limit: 100 });
  return items.map(({ reason = "" }) => reason);
}

describe("a session whose cookie is of a domain", () => {
  const start = () => begin({ session: { cookieName: SHARED, cookieDomain: "example", ...TIMES } });

  test("is one for all of its hosts, and is handed over to none", async () => {
    await start();
    const { browser, visit } = await signedIn(PAYROLL);
    expect([visit.url.href, visit.response?.status]).toEqual([`${PAYROLL}/reports`, 200]);
    const wiki = await browser.open(`${WIKI}/x`);
    expect([wiki.url.href, wiki.way.length]).toEqual([`${WIKI}/x`, 1]);
    expect([...visit.way, ...wiki.way].filter((url) => url.includes("/.countersign/signed-in"))).toEqual([]);
  });

  test("ends on every host at once, with its cookie", async () => {
    await start();
    const { browser } = await signedIn(PAYROLL);
    await browser.press(await browser.open(`${ISSUER}/oauth2/logout`), "Sign out");
    for (const app of [PAYROLL, WIKI]) {
      // No cookie of the domain is left, so that each begins a sign-in.
      const { way } = await browser.open(`${app}/x`);
      expect(way.some((url) => url.startsWith(started.provider.issuer))).toBe(true);
      await browser.press(await browser.open(`${ISSUER}/oauth2/logout`), "Sign out");
    }
    expect(await reasonsOfEnds()).toEqual(["signed_out", "signed_out", "signed_out"]);
  });

  test("is no session on a host outside of the domain, which takes it over with a cookie of its own", async () => {
    await begin({
      apps: APPS.map((app) =>
        app.name === "wiki" ? { ...app, routes: [{ host: "wiki.elsewhere", path: "/" }] } : app,
      ),
      session: { cookieName: SHARED, cookieDomain: "example", ...TIMES },
    });
    const { browser } = await signedIn(PAY);
    const headers = { "Sec-Fetch-Mode": "navigate" };
    const begun = await started.ask("https://wiki.elsewhere/x", { headers });
    const attempt =
      begun.headers
        .getSetCookie()
        .find((line) => line.includes("-app-"))
        ?.split(";")[0] ?? "";
    const here = await browser.open(begun.headers.get("location") ?? "");
    const taken = await started.product.send(here.url.href, { headers: { cookie: attempt } });
    const [line = ""] = taken.headers.getSetCookie().filter((one) => one.startsWith(SHARED));
    expect(line).toMatch(new RegExp(`^${SHARED}=h\\.`));
    expect(line).not.toContain("Domain");
    const [cookie = ""] = line.split(";");
    const status = async (url: string) => (await started.ask(url, { headers: { cookie } })).status;
    expect(await status("https://wiki.elsewhere/x")).toBe(200);
    expect(await status(`${PAYROLL}/x`)).toBe(401);
  });

  test("64. takes no cookie that was made for a host alone, nor the hash that the store has", async () => {
    await start();
    const { visit } = await signedIn(PAYROLL);
    const { sessionHash } = JSON.parse(visit.html) as { sessionHash: string };
    for (const value of [sessionHash, `h.${sessionHash}.${sha256base64url("x")}`]) {
      const answer = await started.ask(`${PAYROLL}/x`, { headers: { cookie: `${SHARED}=${value}` } });
      expect(answer.status).toBe(401);
    }
  });

  test("leaves the Console's cookie to its own host", async () => {
    await begin({
      session: { cookieName: SHARED, cookieDomain: "example", ...TIMES },
      console: { enabled: true, baseURL: ISSUER, passkeys: true, connectors: [], regions: [], playground: true },
    });
    const { components } = (await (await started.product.send("/api/v1/openapi.json")).json()) as {
      components: { securitySchemes: { session: { name: string } } };
    };
    expect(components.securitySchemes.session.name).toBe("__Host-countersign-console");
  });
});

describe("whoever waits for the end of a session is told", () => {
  const watched = async (browser: Awaited<ReturnType<typeof signedIn>>) => {
    const { sessionHash } = JSON.parse(browser.visit.html) as { sessionHash: string };
    const ends: string[] = [];
    started.product.dependencies.knownSessions.onEnd(sessionHash, () => ends.push("ended"));
    return ends;
  };

  test("when its person signs out of everything", async () => {
    await begin({ singleLogout: { url: `${ISSUER}/single-logout`, redirectURL: HOME } });
    const signed = await signedIn(PAYROLL);
    const ends = await watched(signed);
    const asked = await signed.browser.open(`${ISSUER}/single-logout`);
    expect([asked.html.includes("Sign out?"), ends]).toEqual([true, []]);
    await signed.browser.press(asked, "Sign out");
    expect(ends).toEqual(["ended"]);
    expect((await signed.browser.open(`${ISSUER}/single-logout`)).url.href).toBe(HOME);
  });

  test("when somebody else signs in there", async () => {
    await begin();
    const signed = await signedIn(PAYROLL);
    const ends = await watched(signed);
    const { another } = JSON.parse(signed.visit.html) as { another: string };
    const login = await signed.browser.open(another);
    await signed.browser.press(await signIn(signed.browser, login, "bob"), "Continue");
    expect(ends).toEqual(["ended"]);
  });

  test("when its person asks for the logout path of an app on a host of its own", async () => {
    const apps = APPS.map((app) => (app.name === "payroll" ? { ...app, logoutPath: "/logout" } : app));
    await begin({ apps });
    const signed = await signedIn(PAYROLL);
    const ends = await watched(signed);
    const jar = signed.browser.cookiesOf(new URL(PAYROLL).host);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    // Its upstream is not there, and the session ends all the same.
    const answer = await started.product.send(`${PAYROLL}/logout`, {
      headers: { cookie, "Sec-Fetch-Mode": "navigate" },
    });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-countersign=; Max-Age=0; Path=\//)]);
    expect([answer.status, ends]).toEqual([502, ["ended"]]);
    const { way } = await signed.browser.open(`${WIKI}/x`);
    expect(way.some((url) => url.startsWith(started.provider.issuer))).toBe(true);
    expect(await reasonsOfEnds()).toEqual(["signed_out"]);
  });
});

test.each([
  ["of its own", { cookieName: "sid", ...TIMES }, ["sid", "sid-console"]],
  ["of a domain", { cookieName: "sid", cookieDomain: "example", ...TIMES }, ["sid", "__Host-countersign-console"]],
])("64. no app gets or sets a cookie of ours, whose name is %s", async (_, session, names) => {
  let received: string | null = null;
  const open = { location: { kind: "prefix", path: "/" }, allowUnauthenticated: true, idps: [], policies: [] } as const;
  const product = await startInProcess({
    configuration: { session, apps: [webApp("open", undefined, { policies: [open] })] },
    adapt: (dependencies) => ({
      ...dependencies,
      forward: () => async (request) => {
        received = new Map([...request.headers].map(([name, value]) => [name, value])).get("cookie") ?? null;
        const headers = new Headers(names.map((name): [string, string] => ["set-cookie", `${name}=planted; Path=/`]));
        headers.append("set-cookie", "own=1; Path=/");
        return { status: 200, headers, body: null };
      },
    }),
  });
  stop = product.close;
  const cookie = [...names, "own"].map((name) => `${name}=value`).join("; ");
  const answer = await product.send("/open/x", { headers: { cookie } });
  expect([answer.status, received]).toEqual([200, "own=value"]);
  expect(answer.headers.getSetCookie()).toEqual(["own=1; Path=/"]);
});
