import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { claimsOf } from "../support/identity-provider.ts";
import { ISSUER } from "../support/in-process.ts";
import { EITHER, PARTNERS, PAY, PAYROLL, signIn, startWebApps, type WebAppsStarted, WIKI } from "./started.ts";

let started: WebAppsStarted;
beforeAll(async () => {
  started = await startWebApps();
});
afterAll(() => started.stop());

const SESSION = "__Host-countersign";
const attemptsOf = (jar: Map<string, string>) =>
  [...jar.keys()].filter((name) => name.startsWith("__Host-countersign-app-"));
const known = (html: string) => JSON.parse(html);

/** A browser whose person signed in for an app. */
async function signedIn(app = PAYROLL, login = "alice") {
  const browser = started.newBrowser();
  const visit = await signIn(browser, await browser.open(`${app}/reports`), login);
  return { browser, visit };
}

describe.each([
  ["our own host", PAY],
  ["a host of its own", PAYROLL],
])("an app on %s", (_, app) => {
  test("sends whoever is nobody to sign in and gets them back where they were, known with all their claims", async () => {
    const browser = started.newBrowser();
    const login = await browser.open(`${app}/reports?year=2026&of=%C3%A4`);
    expect(login.html).toContain("Sign in at Corp");
    const { url, html } = await signIn(browser, login);
    expect(url.href).toBe(`${app}/reports?year=2026&of=%C3%A4`);
    const { sub, ...claims } = claimsOf("alice");
    expect(known(html)).toMatchObject({
      signIn: { connector: "corp", subject: sub, issuer: started.provider.issuer },
    });
    // Nothing that is about the token is among them.
    expect(known(html).attributes).toEqual({ corp: { ...claims, sub } });
    expect(attemptsOf(browser.cookiesOf(url.host))).toEqual([]);
    expect((await browser.open(`${app}/next`)).url.href).toBe(`${app}/next`);
  });

  test("keeps attempts of several tabs apart, in whichever order they end", async () => {
    const browser = started.newBrowser();
    const one = await browser.open(`${app}/one`);
    const other = await browser.open(`${app}/other`);
    expect((await signIn(browser, other)).url.href).toBe(`${app}/other`);
    expect((await signIn(browser, one)).url.href).toBe(`${app}/one`);
  });

  test("brings both of two tabs to their pages that began before either had a cookie", async () => {
    const browser = started.newBrowser();
    const jar = browser.cookiesOf(new URL(ISSUER).host);
    const one = await browser.open(`${app}/one`);
    jar.delete("__Host-countersign-sign-in");
    const other = await browser.open(`${app}/other`);
    expect((await signIn(browser, other)).url.href).toBe(`${app}/other`);
    const late = await signIn(browser, one);
    expect(late.url.href).toBe(`${app}/one`);
    expect(known(late.html)).toMatchObject({ signIn: { subject: "alice" } });
  });

  test("a callback of somebody else's sign-in signs nobody in: it is no more than a link to the app", async () => {
    const attacker = started.newBrowser();
    const { way } = await signIn(attacker, await attacker.open(`${app}/reports`), "mallory");
    const callback = way.find((url) => url.includes("/oauth2/callback?")) ?? "";
    const { searchParams } = new URL(callback);
    expect(searchParams.has("code")).toBe(true);
    const victim = started.newBrowser();
    const begun = await victim.open(`${app}/mine`);
    const again = started.newBrowser();
    const theirs = await again.open(`${app}/reports`);
    const state = new URL(theirs.way.find((url) => url.includes("state=")) ?? "").searchParams.get("state") ?? "";
    searchParams.set("state", state);
    const lured = await victim.open(`${ISSUER}/oauth2/callback?${searchParams}`);
    expect(lured.html).toContain("Sign in at Corp");
    expect(victim.cookiesOf(new URL(app).host).has(SESSION)).toBe(false);
    expect((await signIn(victim, begun)).url.href).toBe(`${app}/mine`);
  });

  test("60. gives nobody a session whose browser did not ask", async () => {
    const attacker = started.newBrowser();
    const { way } = await attacker.open(`${app}/reports`);
    const address = way.find((url) => url.includes("/.countersign/sign-in")) ?? "";
    const victim = started.newBrowser();
    let visit = await victim.open(address);
    if (visit.html.includes("Sign in at Corp")) visit = await signIn(victim, visit);
    expect(visit.html).toContain("began in another browser");
    expect(victim.cookiesOf(new URL(app).host).has(SESSION)).toBe(false);
    // What the victim's address holds is of no use to the attacker either: the session is not in it.
    expect(JSON.stringify([...attacker.cookiesOf(new URL(app).host).keys()])).not.toContain(`"${SESSION}"`);
  });

  test("shows a browser that refuses the app's cookies a page, and never sends it round", async () => {
    const browser = started.newBrowser();
    const jar = browser.cookiesOf(new URL(app).host);
    const kept = jar.set.bind(jar);
    jar.set = (name, value) => (name.startsWith("__Host-countersign-app-") ? jar : kept(name, value));
    let visit = await browser.open(`${app}/reports`);
    if (visit.html.includes("Sign in at Corp")) visit = await signIn(browser, visit);
    expect(visit.html).toContain("refusing cookies");
    expect(jar.has(SESSION)).toBe(false);
  });
});

test("a page request of nobody stores nothing until the person goes on to the connector", async () => {
  const before = started.stored();
  const headers = { "Sec-Fetch-Mode": "navigate" };
  for (let count = 0; count < 20; count++) await (await started.ask(`${PAYROLL}/x`, { headers })).body?.cancel();
  expect(started.stored()).toBe(before);
  await started.newBrowser().open(`${PAYROLL}/x`);
  expect(started.stored()).toBe(before + 1);
});

test("60. one sign-in is enough for apps on several hosts, each with a cookie that only its host takes", async () => {
  const { browser } = await signedIn(PAYROLL);
  const { url, way } = await browser.open(`${WIKI}/page`);
  expect(url.href).toBe(`${WIKI}/page`);
  expect(way.some((address) => address.startsWith(started.provider.issuer))).toBe(false);
  const [payroll, wiki, ours] = ["payroll.example", "wiki.example", new URL(ISSUER).host].map(
    (host) => browser.cookiesOf(host).get(SESSION) ?? "",
  );
  const hash = sha256base64url(ours ?? "");
  expect(payroll).toMatch(new RegExp(`^h\\.${hash}\\.[\\w-]{43}$`));
  expect(wiki).toMatch(new RegExp(`^h\\.${hash}\\.[\\w-]{43}$`));
  const status = async (app: string, cookie: string) =>
    (await started.ask(`${app}/page`, { headers: { cookie: `${SESSION}=${cookie}` } })).status;
  expect(await status(WIKI, wiki as string)).toBe(200);
  const last = wiki?.endsWith("A") ? "B" : "A";
  const forged = [
    [WIKI, payroll],
    [WIKI, ours],
    [WIKI, `h.${hash}.${wiki?.split(".")[2]?.slice(0, -1)}${last}`],
    [WIKI, `h.${hash}.`],
    [WIKI, `h.${hash}`],
    [WIKI, hash],
    [WIKI, `${wiki}.more`],
    [PAY, wiki],
    [PAY, hash],
  ];
  for (const [app, cookie] of forged)
    expect([app, cookie, await status(app as string, cookie as string)]).toEqual([app, cookie, 401]);
});

test("the address that hands a session over works once, and in no other browser", async () => {
  const { browser, visit } = await signedIn(PAYROLL);
  const address = visit.way.find((url) => url.includes("/.countersign/signed-in")) ?? "";
  expect((await browser.open(address)).html).toContain("This sign-in is over");
  const again = await started.product.send(address);
  expect([again.status, again.headers.getSetCookie()]).toEqual([400, []]);
});

test("60. a hand-over that was not used is for the host and the browser that asked alone", async () => {
  const { browser } = await signedIn(PAYROLL);
  const headers = { "Sec-Fetch-Mode": "navigate" };
  const begun = await started.ask(`${WIKI}/page`, { headers });
  const attempt = begun.headers.getSetCookie().find((line) => line.startsWith("__Host-countersign-app-")) ?? "";
  const cookie = attempt.split(";")[0] ?? "";
  const ours = browser.cookiesOf(new URL(ISSUER).host);
  const handed = await started.product.send(begun.headers.get("location") ?? "", {
    headers: { cookie: [...ours].map(([name, value]) => `${name}=${value}`).join("; ") },
  });
  const address = new URL(handed.headers.get("location") ?? "");
  expect([handed.status, address.origin]).toEqual([303, WIKI]);
  const open = (url: string, given: string) => started.product.send(url, { headers: { cookie: given } });
  const elsewhere = new URL(address.pathname + address.search, PAYROLL).href;
  for (const [url, given] of [
    [address.href, ""],
    [address.href, cookie.replace(/=.*/, `=${"A".repeat(43)}`)],
    [elsewhere, cookie],
  ]) {
    const refused = await open(url as string, given as string);
    expect([url, refused.status, refused.headers.getSetCookie()]).toEqual([url, 400, []]);
  }
  const taken = await open(address.href, cookie);
  expect([taken.status, taken.headers.get("location")]).toEqual([303, `${WIKI}/page`]);
  expect((await open(address.href, cookie)).status).toBe(400);
});

describe("scripts and forms", () => {
  const ask = (headers: Record<string, string>, method = "GET") =>
    started.ask(`${PAYROLL}/api/entries`, { method, headers });

  test("a script gets 401 with an address that leads back to its page", async () => {
    const answer = await ask({ "Sec-Fetch-Mode": "cors", Accept: "text/html", Referer: `${PAYROLL}/app?tab=2` });
    expect([answer.status, answer.headers.get("www-authenticate"), answer.headers.get("cache-control")]).toEqual([
      ...[401, "Bearer", "no-store"],
    ]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const { error, login } = (await answer.json()) as { error: string; login: string };
    expect([error, new URL(login).origin, new URL(login).pathname]).toEqual([
      ...["login_required", PAYROLL, "/.countersign/login"],
    ]);
    const browser = started.newBrowser();
    expect((await signIn(browser, await browser.open(login))).url.href).toBe(`${PAYROLL}/app?tab=2`);
  });

  test.each([
    ["no page", undefined, `${PAYROLL}/`],
    ["another site", "https://evil.example/app", `${PAYROLL}/`],
    ["another scheme", "http://payroll.example/app", `${PAYROLL}/`],
    ["no address", "evil", `${PAYROLL}/`],
  ])("a script of %s is led to where the app begins", async (_, referrer, expected) => {
    const answer = await ask({ Accept: "*/*", ...(referrer !== undefined && { Referer: referrer }) });
    const { login } = (await answer.json()) as { login: string };
    const browser = started.newBrowser();
    expect((await signIn(browser, await browser.open(login))).url.href).toBe(expected);
  });

  test("60. a form is told that nothing was sent, and is sent nowhere", async () => {
    const answer = await ask({ "Sec-Fetch-Mode": "navigate", Referer: `${PAYROLL}/form` }, "POST");
    expect([answer.status, answer.headers.get("location")]).toEqual([401, null]);
    const html = await answer.text();
    expect(html).toContain("Nothing was sent");
    const login = /href="([^"]*)"/.exec(html)?.[1] ?? "";
    const browser = started.newBrowser();
    expect((await signIn(browser, await browser.open(login))).url.href).toBe(`${PAYROLL}/form`);
  });

  test("a sealed login is for its own host, and no attempt", async () => {
    const { login } = (await (await ask({})).json()) as { login: string };
    const sealed = new URL(login).searchParams.get("attempt") ?? "";
    const elsewhere = await started.product.send(`${WIKI}/.countersign/login?attempt=${sealed}`);
    expect([elsewhere.status, elsewhere.headers.getSetCookie()]).toEqual([400, []]);
    const attempt = await started.product.send(`/.countersign/sign-in?attempt=${sealed}`);
    expect(attempt.status).toBe(400);
  });

  test("where nobody can sign in, nobody is asked to", async () => {
    const page = await started.ask("https://programs.example/", { headers: { "Sec-Fetch-Mode": "navigate" } });
    expect([page.status, page.headers.get("location")]).toEqual([401, null]);
    expect(await (await started.ask("https://programs.example/")).json()).toEqual({ error: "login_required" });
  });
});

test("a browser that comes back a sixth time within a minute gets a page, and is asked again a minute later", async () => {
  const jar = new Map<string, string>();
  const open = async () => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await started.ask(`${PAYROLL}/x`, { headers: { cookie, "Sec-Fetch-Mode": "navigate" } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return answer.status;
  };
  const statuses = [];
  for (let count = 0; count < 6; count++) statuses.push(await open());
  expect(statuses).toEqual([302, 302, 302, 302, 302, 401]);
  const now = started.product.clock.now();
  started.product.clock.set(now + 60_000);
  expect(await open()).toBe(302);
  started.product.clock.set(now);
});

test("no more than eight attempts are kept by a browser: the oldest is forgotten", async () => {
  const cookie = Array.from({ length: 8 }, (_, at) => `__Host-countersign-app-0000000${at}=x`).join("; ");
  const answer = await started.ask(`${PAYROLL}/x`, { headers: { cookie, "Sec-Fetch-Mode": "navigate" } });
  const forgotten = answer.headers.getSetCookie().filter((line) => line.includes("Max-Age=0"));
  expect(forgotten.map((line) => line.split("=")[0])).toEqual(["__Host-countersign-app-00000000"]);
});

describe("several connectors", () => {
  test("the person chooses one of those that the policy names", async () => {
    const browser = started.newBrowser();
    const page = await browser.open(`${EITHER}/x`);
    expect(page.url.origin).toBe(ISSUER);
    expect(page.html).toContain("“<bdi>either</bdi>” wants to know who you are");
    const { html } = await signIn(browser, await browser.press(page, "other"));
    expect(known(html)).toMatchObject({ signIn: { connector: "other" } });
  });

  test("a choice that another site's page sends counts as little as one of another connector", async () => {
    const page = await started.newBrowser().open(`${EITHER}/x`);
    const attempt = page.url.searchParams.get("attempt") ?? "";
    const send = (fields: Record<string, string>, origin: string) =>
      started.product.send("/.countersign/sign-in", {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: origin },
        body: new URLSearchParams({ attempt, ...fields }).toString(),
      });
    expect((await send({ connector: "corp" }, "https://evil.example")).status).toBe(403);
    expect((await send({ connector: "another" }, ISSUER)).status).toBe(400);
    expect((await send({ connector: "corp" }, ISSUER)).status).toBe(303);
  });

  test("a session of a connector that the policy does not name does not count", async () => {
    const { browser } = await signedIn(PAYROLL);
    const { way, html } = await browser.open(`${PARTNERS}/x`);
    expect(way.some((address) => address.startsWith(started.provider.issuer))).toBe(true);
    // The provider knows the person, and nobody sees a page.
    expect(known(html)).toMatchObject({ signIn: { connector: "other" } });
  });
});

test("whoever is signed in can sign in as somebody else, and is then that person on every host", async () => {
  const { browser, visit } = await signedIn(PAYROLL);
  await browser.open(`${WIKI}/x`);
  const login = await browser.open(known(visit.html).another);
  expect(login.html).toContain("Sign in at Corp");
  // The provider signs the former person out there by a page that sends itself.
  const { url, html } = await browser.press(await signIn(browser, login, "bob"), "Continue");
  expect([url.href, known(html).signIn.subject]).toEqual([`${PAYROLL}/reports`, "bob"]);
  expect(known((await browser.open(`${WIKI}/x`)).html).signIn.subject).toBe("bob");
});

test("whoever cancels at the provider reads why nothing happened, and that is recorded with the app", async () => {
  const browser = started.newBrowser();
  const page = await browser.press(await browser.open(`${PAYROLL}/x`), "Cancel", {});
  expect([page.response?.status, page.html.includes("did not sign you in")]).toEqual([400, true]);
  await started.product.dependencies.refusals.flushDue();
  const refused = await events("sign_in.refused");
  expect(refused.at(0)).toMatchObject({ app: "payroll", details: { method: "connector", connector: "corp" } });
});

test("a sign-in is recorded with the app that it was for, in the organization", async () => {
  const { visit } = await signedIn(PAYROLL, "recorded");
  const { userId } = known(visit.html);
  const organization = await started.product.dependencies.stores.directory.firstOrganization();
  const recorded = await events("sign_in.succeeded", organization?.organizationId);
  const event = recorded.find(({ user }) => user === userId);
  expect(event).toMatchObject({ app: "payroll", actor: userId, details: { method: "connector", connector: "corp" } });
});

test("signing out on our host ends the sessions of all hosts", async () => {
  const { browser } = await signedIn(PAYROLL);
  await browser.open(`${WIKI}/x`);
  const { html } = await browser.press(await browser.open(`${ISSUER}/oauth2/logout`), "Sign out");
  expect(html).toBeDefined();
  for (const app of [PAYROLL, WIKI]) {
    const cookie = `${SESSION}=${browser.cookiesOf(new URL(app).host).get(SESSION)}`;
    expect((await started.ask(`${app}/x`, { headers: { cookie } })).status).toBe(401);
  }
});

async function events(type: string, organizationId?: string) {
  const { auditLog } = started.product.dependencies.stores;
  return (await auditLog.query({ organizationId, type }, { limit: 100 })).items;
}
