import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NO_UPSTREAM } from "../behaviour/fixture.ts";
import { signInConfiguration } from "../behaviour/sign-in-configuration.ts";
import { node } from "../runtimes/node.ts";
import { startChromium } from "../support/chromium.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { echoSocket } from "../support/web-socket.ts";

/** On the instance's own host, and on a host of its own. People sign in for `staff` at a provider of ours, as they may for `lobby`. */
const APPS = `  - type: proxy
    name: desk
    members: any
    routePatterns: [/desk]
    upstream: "{{ env.SITE_URL }}"
    headers: [{ name: X-User, value: "{{ corp.email }}" }]
    policies:
      - location: /desk/board
        authentication: { idps: [corp] }
        authorization: { rules: [{ contains: ["{{ corp.department }}", management] }] }
      - location: /
        authentication: { idps: [corp] }
        authorization: { allowAll: true }
  - type: proxy
    name: partners
    members: any
    routePatterns: [/partners]
    upstream: "{{ env.SITE_URL }}"
    headers: [{ name: X-User, value: "{{ partner.email }}" }]
    policies:
      - location: /
        authentication: { idps: [partner] }
        authorization: { allowAll: true }
  - type: proxy
    name: staff
    members: any
    routePatterns: [/staff]
    upstream: "{{ env.SITE_URL }}"
    headers: [{ name: X-User, value: "{{ head-office.email }}" }]
    policies:
      - location: /
        authentication: { idps: [head-office] }
        authorization: { allowAll: true }
  - type: proxy
    name: lobby
    members: any
    routePatterns: [/lobby]
    upstream: "{{ env.SITE_URL }}"
    headers: [{ name: X-User, value: "{{ head-office.email }}" }]
    policies:
      - location: /
        authentication: { idps: [oidcProvider] }
        authorization: { allowAll: true }
  - type: proxy
    name: shop
    members: any
    routePatterns: [shop.localhost]
    upstream: "{{ env.SITE_URL }}"
    headers: [{ name: X-User, value: "{{ corp.email }}" }]
    policies:
      - location: /
        authentication: { idps: [corp] }
        authorization: { allowAll: true }
singleLogout:
  logoutURL: /single-logout
`;

/** A second identity provider, at which the person has another account. */
const PARTNER = `  - name: partner
    type: oidc
    oidcWellKnownURL: "{{ env.PARTNER_URL }}/.well-known/openid-configuration"
    oauthClientID: "{{ env.IDP_CLIENT }}"
    oauthClientSecret: "{{ env.IDP_SECRET }}"
    scopes: [openid, profile, email]
    oauthLogoutRedirect:
      urls: ["{{ env.PUBLIC_URL }}/oauth2/logout"]
`;

/** Another instance of ours, whose people come here. They sign in there at a connector of its own. */
const HEAD_OFFICE = `  - name: head-office
    type: oidc
    oidcWellKnownURL: "{{ env.PEER_URL }}/.well-known/openid-configuration"
    oauthClientID: branch
    oauthClientSecret: "the secret of the branch at the head office"
    scopes: [openid, email]
    oauthLogoutRedirect:
      urls: ["{{ env.PUBLIC_URL }}/oauth2/logout"]
`;

/** What this instance is at the other one. Cookies know no ports, so that one's session has a name of its own. */
const BRANCH = `  - type: oidc
    name: The branch
    clientID: branch
    credentials:
      secrets: ["the secret of the branch at the head office"]
    redirectURLs: ["{{ env.PEER_URL }}/oauth2/callback", "{{ env.PEER_URL }}/oauth2/logout"]
    authentication:
      idps: [corp]
    scopes: [openid, email]
    consent: never
session:
  cookie:
    name: head-office
`;

/** Where people sign in for a web app, and the app. */
const AT_PROVIDERS = [
  ["another's", "desk"],
  ["our own", "staff"],
] as const;

describe("a person in Chromium at a web app", () => {
  let started: Awaited<ReturnType<typeof start>>;
  let context: BrowserContext;
  let page: Page;
  const at = (app: string) => (path: string) => `${started.url}/${app}${path}`;
  const desk = at("desk");
  const shop = (path: string) => `http://shop.localhost:${new URL(started.url).port}${path}`;

  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.stop());
  beforeEach(async () => {
    started.bodies.splice(0);
    context = await started.browser.newContext({ viewport: { width: 360, height: 740 } });
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const signInAtCorp = async (tab: Page, login: string) => {
    await tab.getByLabel("Name").fill(login);
    await tab.getByRole("button", { name: "Sign in" }).click();
  };
  /** On the app's page, which says who is there and what was asked for. */
  const expectArrived = async (tab: Page, url: string, login = "alice") => {
    await tab.getByRole("heading", { name: `${login}@corp.example` }).waitFor();
    expect(tab.url()).toBe(url);
    const { pathname, search } = new URL(url);
    expect(await tab.locator("#target").textContent()).toBe(pathname + search);
  };
  /** Here, and at each provider on the way: those that share a host share their cookies, and may know nobody any more. */
  const signOut = async (tab: Page, path = "/oauth2/logout") => {
    await tab.goto(started.url + path);
    const asked = tab.getByRole("button", { name: /^(Yes, sign me|Sign) out$/ });
    const over = tab.getByRole("heading", { name: "You are signed out" });
    for (await asked.or(over).waitFor(); !(await over.isVisible()); await asked.or(over).waitFor()) {
      const before = tab.url();
      await asked.click();
      await tab.waitForURL((url) => url.href !== before);
    }
  };
  /** With `SCREENSHOTS`, a folder: how our pages look to people. */
  const shown = async (name: string) => {
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
  };

  test.each([
    ["on our host", () => desk("/books?q=a%20b&sort=%2Fup")],
    ["on a host of its own", () => shop("/books?q=a%20b&sort=%2Fup")],
    ["at our own provider", () => at("staff")("/books?q=a%20b&sort=%2Fup")],
  ])("%s: signs in on the way to a page deep inside, and is back there", async (_, urlOf) => {
    await page.goto(urlOf());
    await signInAtCorp(page, "alice");
    await expectArrived(page, urlOf());
    // The session holds: the next page is there at once.
    await page.goto(urlOf().replace("books", "more"));
    await expectArrived(page, urlOf().replace("books", "more"));
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  test("who signed in for one app is known at the other, without a page between", async () => {
    await page.goto(desk("/"));
    await signInAtCorp(page, "alice");
    await expectArrived(page, desk("/"));
    const before = started.provider.requests.length;
    await page.goto(shop("/deep?x=1"));
    await expectArrived(page, shop("/deep?x=1"));
    expect(started.provider.requests.length).toBe(before);
    // A used hand-over is not repeated: back is the page before it.
    await page.goBack();
    await expectArrived(page, desk("/"));
    await page.goForward();
    await expectArrived(page, shop("/deep?x=1"));
  });

  test("where people sign in at whichever provider, ours is one to choose", async () => {
    await page.goto(at("lobby")("/news?x=1"));
    await page.getByRole("heading", { name: "Where do you want to sign in?" }).waitFor();
    await shown("chooser");
    await page.getByRole("button", { name: "head-office" }).click();
    await signInAtCorp(page, "alice");
    await expectArrived(page, at("lobby")("/news?x=1"));
  });

  test("two tabs sign in at once, each to its own page", async () => {
    const other = await context.newPage();
    await Promise.all([page.goto(shop("/one")), other.goto(shop("/two"))]);
    await signInAtCorp(other, "alice");
    await expectArrived(other, shop("/two"));
    await signInAtCorp(page, "alice");
    await expectArrived(page, shop("/one"));
  });

  test("back after signing in is no trap", async () => {
    await page.goto(desk("/first"));
    await signInAtCorp(page, "alice");
    await expectArrived(page, desk("/first"));
    await page.goBack();
    await page.getByText("This sign-in at Corp is over.").waitFor();
    await page.goForward();
    await expectArrived(page, desk("/first"));
  });

  test.each([
    ["another's", () => shop],
    ["our own", () => at("staff")],
  ])("60. a script whose session at %s provider ended learns where to sign in", async (_, appOf) => {
    const urlOf = appOf();
    await page.goto(urlOf("/board"));
    await signInAtCorp(page, "alice");
    await expectArrived(page, urlOf("/board"));
    const other = await context.newPage();
    await signOut(other);
    const answer = await page.evaluate(`fetch("data", { method: "PUT", body: "x" }).then(async (response) => ({
      status: response.status, redirected: response.redirected, body: await response.json() }))`);
    expect(answer).toMatchObject({ status: 401, redirected: false, body: { error: "login_required" } });
    const { login } = (answer as { body: { login: string } }).body;
    expect(new URL(login).origin).toBe(new URL(urlOf("/")).origin);
    await page.goto(login);
    await signInAtCorp(page, "alice");
    await expectArrived(page, urlOf("/board"));
    expect(started.bodies).not.toContain("x");
  });

  test.each(AT_PROVIDERS)(
    "60. a form sent after the session at %s provider ended is not lost: the page says so, and back still has it",
    async (_, app) => {
      const urlOf = at(app);
      await page.goto(urlOf("/form"));
      await signInAtCorp(page, "alice");
      await expectArrived(page, urlOf("/form"));
      await page.getByLabel("Note").fill("three hours of work");
      const other = await context.newPage();
      await signOut(other);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "Nothing was sent" }).waitFor();
      await shown("form-not-sent");
      expect(started.bodies).toEqual([]);
      const [tab] = await Promise.all([
        context.waitForEvent("page"),
        page.getByRole("link", { name: "Sign in again" }).click(),
      ]);
      await signInAtCorp(tab, "alice");
      await expectArrived(tab, urlOf("/form"));
      await page.goBack();
      expect(await page.getByLabel("Note").inputValue()).toBe("three hours of work");
      await page.getByRole("button", { name: "Save" }).click();
      await expectArrived(page, urlOf("/save"));
      expect(started.bodies).toEqual(["note=three+hours+of+work"]);
    },
  );

  test.each(AT_PROVIDERS)(
    "65. a WebSocket of the page is closed when the person signs out of %s provider in another tab",
    async (_, app) => {
      const urlOf = at(app);
      await page.goto(urlOf("/live"));
      await signInAtCorp(page, "alice");
      await expectArrived(page, urlOf("/live"));
      const opened = await page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket(location.href.replace(/^http/, "ws"));
      globalThis.endedWith = new Promise((end) => socket.addEventListener("close", ({ code }) => end(code)));
      socket.addEventListener("message", ({ data }) => resolve(data));
      socket.addEventListener("open", () => socket.send("hello"));
      socket.addEventListener("error", () => resolve("refused"));
    })`);
      expect(opened).toBe("hello");
      await signOut(await context.newPage());
      expect(await page.evaluate("globalThis.endedWith")).toBe(4401);
    },
  );

  test("64. single logout signs a person out at both providers of their session", async () => {
    await page.goto(desk("/"));
    await signInAtCorp(page, "alice");
    await expectArrived(page, desk("/"));
    await page.goto(`${started.url}/partners/`);
    await signInAtCorp(page, "bob");
    await expectArrived(page, `${started.url}/partners/`, "bob");
    await page.goto(desk("/still"));
    await expectArrived(page, desk("/still"));
    await signOut(page, "/single-logout");
    for (const { requests } of [started.provider, started.partner]) expect(requests).toContain("/session/end");
    for (const url of [desk("/"), `${started.url}/partners/`]) {
      await page.goto(url);
      await page.getByRole("heading", { name: "Sign in at Corp" }).waitFor();
    }
  });

  test("sees what is not allowed, what is no address, and an app that does not answer", async () => {
    await page.goto(desk("/"));
    await signInAtCorp(page, "alice");
    await expectArrived(page, desk("/"));
    for (const [path, heading] of [
      ["/board", "Not allowed"],
      ["/a%2Fb", "Address not accepted"],
      ["/reset", "The application does not answer"],
    ] as const) {
      await page.goto(desk(path));
      await page.getByRole("heading", { name: heading }).waitFor();
      expect(await page.textContent("footer")).toMatch(/^Request [0-9A-Z]{26}$/);
      await shown(heading.replaceAll(" ", "-").toLowerCase());
    }
  });

  test("60. who comes back again and again without being signed in gets a page, and no loop", async () => {
    await context.close();
    context = await started.browser.newContext({ viewport: { width: 360, height: 740 } });
    page = await context.newPage();
    for (let time = 0; time < 5; time += 1) {
      await page.goto(shop("/again"));
      await page.getByRole("heading", { name: "Sign in at Corp" }).waitFor();
    }
    await page.goto(shop("/again"));
    await page.getByRole("heading", { name: "Signing in does not lead anywhere" }).waitFor();
    await shown("circle");
  });
});

async function start() {
  const bodies: string[] = [];
  const [site, provider, partner, browser] = await Promise.all([
    startSite(bodies),
    startIdentityProvider(),
    startIdentityProvider(),
    startChromium(),
  ]);
  const regions = await node.start({
    configuration: signInConfiguration.replace("apps:\n", `${PARTNER}${HEAD_OFFICE}apps:\n`) + APPS,
    ukConfiguration: signInConfiguration + BRANCH,
    variables: {
      UPSTREAM_URL: NO_UPSTREAM,
      SITE_URL: site.url,
      IDP_URL: provider.issuer,
      PARTNER_URL: partner.issuer,
      IDP_CLIENT: provider.client.id,
      IDP_SECRET: provider.client.secret,
    },
  });
  const { us, uk } = regions;
  const { url } = us;
  const addresses = (path: string) => [us.url, uk.url].map((one) => one + path);
  for (const one of [provider, partner]) await one.register(addresses("/oauth2/callback"), addresses("/oauth2/logout"));
  return {
    ...{ url, bodies, provider, partner, browser },
    stop: async () => {
      await browser.close();
      await regions.stop();
      await Promise.all([site.stop(), provider.stop(), partner.stop()]);
    },
  };
}

/** An application without sign-in of its own: it shows who asks, what for, and a form. */
async function startSite(bodies: string[]) {
  const answer = async (request: IncomingMessage): Promise<string> => {
    if (request.method !== "GET") bodies.push(await text(request));
    const target = (request.url ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    return `<!doctype html><html lang="en"><title>Site</title><h1>${request.headers["x-user"]}</h1><p id="target">${target}</p>
<form method="post" action="save"><label>Note <input name="note"></label><button>Save</button></form></html>`;
  };
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith("/reset")) return request.socket.destroy();
    const page = await answer(request);
    return response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
  });
  server.on("upgrade", echoSocket);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
