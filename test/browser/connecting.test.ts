import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { base64url } from "../../lib/kernel/encoding.ts";
import { type ConnectStarted, hubAt, startConnecting, TICKETS } from "../connecting/started.ts";
import { startChromium } from "../support/chromium.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { PROVIDER } from "../support/in-process.ts";
import { AGENT } from "../support/oauth-apps.ts";

/** Two people in two browsers, two providers of accounts, and a link (checklist 66). */
describe("connecting an account in Chromium", () => {
  let started: Awaited<ReturnType<typeof start>>;
  let alice: BrowserContext;
  let bob: BrowserContext;
  beforeAll(async () => {
    started = await start();
  }, 120_000);
  afterAll(() => started.stop());
  beforeEach(async () => {
    const looks = { viewport: { width: 700, height: 900 } };
    alice = await started.browser.newContext(looks);
    bob = await started.browser.newContext(looks);
  });
  afterEach(() => Promise.all([alice.close(), bob.close()]));

  /** With `SCREENSHOTS`, a folder: how our pages look to people. */
  const shown = async (page: Page, name: string) => {
    const folder = process.env.SCREENSHOTS;
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  };
  const linkOf = (changes: Parameters<ConnectStarted["link"]>[0] = {}) =>
    started.connect.link({ scopes: ["openid", "profile"], ...changes });
  /** The link's page, after signing in. */
  const openLink = async (context: BrowserContext, link: string, login: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(link);
    await signInAt(page, login);
    return page;
  };
  const signInAt = async (page: Page, login: string) => {
    await page.getByLabel("Name").fill(login);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  const connected = (page: Page) => page.getByRole("heading", { name: "is connected to" }).waitFor();
  const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

  test("Alice connects her account; her link is over for everybody then", async () => {
    const link = await linkOf();
    const page = await openLink(alice, link, "alice");
    await page.getByText("alice@corp.example").waitFor();
    await shown(page, "connect");
    await press(page, "Go on");
    await signInAt(page, "octo-alice");
    await connected(page);
    await page.getByText("Octo-alice Example").waitFor();
    await shown(page, "connected");
    await page.goto(link);
    await page.getByRole("heading", { name: "This link is over" }).waitFor();
  });

  test("66. Bob opens the link that Alice sent him: it is not for him, and still hers", async () => {
    const link = await linkOf();
    const his = await openLink(bob, link, "bob");
    await his.getByRole("heading", { name: "This link is not for you" }).waitFor();
    await shown(his, "not-yours");
    expect(await his.content()).not.toContain("tickets");
    expect(await his.locator("form").count()).toBe(0);
    const hers = await openLink(alice, link, "alice");
    await press(hers, "Go on");
    await signInAt(hers, "octo-alice");
    await connected(hers);
  });

  test("66. what Alice brought back from the provider is nothing in Bob's browser", async () => {
    const hers = await openLink(alice, await linkOf(), "alice");
    let brought = "";
    started.detour((path) => {
      brought = path;
      return "/nowhere";
    });
    await press(hers, "Go on");
    await signInAt(hers, "octo-alice");
    await hers.waitForURL("**/nowhere");
    started.detour(undefined);
    const his = await openLink(bob, await linkOf({ person: started.connect.personOf("bob") }), "bob");
    await his.goto(new URL(brought, his.url()).href);
    await his.getByRole("heading", { name: "This page is out of date" }).waitFor();
  });

  test("66. going back after connecting, and pressing again, connects nothing more", async () => {
    const page = await openLink(alice, await linkOf(), "alice");
    await press(page, "Go on");
    await signInAt(page, "octo-alice");
    await connected(page);
    const callback = page.url();
    await page.reload();
    await page.getByRole("heading", { name: "This page is out of date" }).waitFor();
    await page.goto(callback.replace("/callback/hub", "/callback/lab"));
    await page.getByRole("heading", { name: "This page is out of date" }).waitFor();
  });

  test("66. an answer of one provider at the address of another (mix-up) is refused", async () => {
    const page = await openLink(alice, await linkOf(), "alice");
    started.detour((path) => path.replace("/callback/hub", "/callback/lab"));
    await press(page, "Go on");
    await signInAt(page, "octo-alice");
    await page.getByText("The answer is not that of the provider that you were sent to.").waitFor();
    started.detour(undefined);
    await shown(page, "mix-up");
  });

  test("a person who refuses, here or at the provider, can start again", async () => {
    const page = await openLink(alice, await linkOf(), "alice");
    await press(page, "Do not connect");
    await page.getByText("You did not allow it").waitFor();
    await page.getByRole("link", { name: "Start again" }).click();
    await press(page, "Go on");
    await press(page, "Cancel");
    await page.getByText("You did not allow it").waitFor();
    await shown(page, "not-allowed");
    await page.getByRole("link", { name: "Start again" }).click();
    await press(page, "Go on");
    await signInAt(page, "octo-alice");
    await connected(page);
  });

  test("another account than before is asked about", async () => {
    const page = await openLink(alice, await linkOf({ app: "another" }), "alice");
    await press(page, "Go on");
    await signInAt(page, "octo-alice");
    await connected(page);
    const next = await started.browser.newContext();
    const again = await openLink(next, await linkOf({ app: "another" }), "alice");
    await press(again, "Go on");
    await signInAt(again, "octo-other");
    await again.getByText("Octo-alice Example").waitFor();
    await shown(again, "another-account");
    await press(again, "Use the new one");
    await connected(again);
    await next.close();
  });
});

async function start() {
  let connect: ConnectStarted | undefined;
  let detour: ((path: string) => string) | undefined;
  const server = createServer(async (request, response) => {
    if (detour !== undefined && request.url?.startsWith("/connect/callback/hub")) {
      return response.writeHead(302, { Location: detour(request.url) }).end();
    }
    const answer = await connect?.product.send(`${origin}${request.url}`, await initOf(request));
    const cookies = answer?.headers.getSetCookie() ?? [];
    response.writeHead(answer?.status ?? 503, { ...Object.fromEntries(answer?.headers ?? []), "set-cookie": cookies });
    return response.end(await answer?.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [hub, browser]: [IdentityProvider, Browser] = await Promise.all([startIdentityProvider(), startChromium()]);
  await hub.register([`${origin}/connect/callback/hub`]);
  const endpoints = Object.entries(PROVIDER.endpoints).map(([name, url]) => [name, origin + new URL(url).pathname]);
  const oidcProvider = { ...PROVIDER, issuer: origin, endpoints: Object.fromEntries(endpoints) };
  const oauthConnectors = [hubAt(hub), { ...hubAt(hub), name: "lab" }];
  const vaultKeys = [base64url(new Uint8Array(32).fill(7))];
  connect = await startConnecting(
    { publicURL: origin, oidcProvider, oauthConnectors, apps: [AGENT, TICKETS], vaultKeys },
    { isReal: true, origin },
  );
  return {
    ...{ browser, connect },
    /** Answers at the provider's callback are led elsewhere; undefined: no more. */
    detour: (to: typeof detour) => {
      detour = to;
    },
    stop: async () => {
      await browser.close();
      server.close();
      server.closeAllConnections();
      await Promise.all([connect.stop(), hub.stop()]);
    },
  };
}

async function initOf(request: IncomingMessage): Promise<RequestInit> {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const body = request.method === "GET" ? {} : { body: new Uint8Array(await buffer(request)) };
  return { method: request.method ?? "GET", headers, ...body };
}
