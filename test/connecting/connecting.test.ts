import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { AccountProviderError } from "../../lib/connecting/connect-context.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import { ISSUER } from "../support/in-process.ts";
import { oidcApp } from "../support/oauth-apps.ts";
import type { PersonsBrowser, Visit } from "../support/person.ts";
import { backFrom, type ConnectStarted, opened, startConnecting, TOKENS } from "./started.ts";

let started: ConnectStarted;
beforeEach(async () => {
  started = await startConnecting();
});
afterEach(() => started.stop());

/** Alice, at the provider. */
async function atProvider(browser: PersonsBrowser, link?: string): Promise<Visit> {
  return browser.press(await opened(browser, link ?? (await started.link())), "Go on");
}

const nothingConnected = () => {
  expect(started.provider.completed).toEqual([]);
};

test("the one whose agent asked signs in, sees what it is about, goes to the provider and is connected", async () => {
  const browser = started.newBrowser();
  const link = await started.link({ scopes: ["repo:read", "repo:write"] });
  const page = await opened(browser, link);
  expect(page.url.href.startsWith(`${link}?interaction=`)).toBe(true);
  for (const text of ["tickets", "hub", "repo:read", "repo:write", "the app agent", "hub.example", "alice@corp"]) {
    expect(page.html).toContain(text);
  }
  const provider = await browser.press(page, "Go on");
  expect(Object.fromEntries(provider.url.searchParams)).toMatchObject({
    redirect_uri: `${ISSUER}/connect/callback/hub`,
    scope: "repo:read repo:write",
  });
  started.provider.answer = () => ({ ...TOKENS, scopes: ["repo:read", "repo:write"] });
  const done = await browser.open(backFrom(provider));
  expect(done.html).toContain("is connected to");
  expect(done.html).toContain("octo-alice");
  expect(done.html).toContain("Go back to your agent");
  const { completed, redeemed } = started.provider;
  expect(completed).toMatchObject([{ request: { app: "tickets", person: started.personOf("alice") } }]);
  expect(redeemed).toEqual([
    {
      code: "the-code",
      redirectURL: `${ISSUER}/connect/callback/hub`,
      codeVerifier: provider.url.searchParams.get("verifier"),
    },
  ]);
  expect((await browser.open(link)).html).toContain("This link is over");
});

test("who is signed in already sees the page at once, and a reloaded page is the same one", async () => {
  const browser = started.newBrowser();
  await opened(browser, await started.link());
  const before = started.corp.requests.length;
  const page = await browser.open(await started.link());
  expect(page.html).toContain("Connect <bdi>hub</bdi>");
  expect((await browser.open(page.url)).html).toContain(page.url.searchParams.get("interaction"));
  expect(started.corp.requests.length).toBe(before);
});

describe("66. one who opens the link is the one who asked", () => {
  test("Alice's link in Bob's browser, signed in before or on the way: a page that says so, a record, nothing else", async () => {
    const link = await started.link();
    const bob = started.newBrowser();
    const onTheWay = await opened(bob, link, "bob");
    const before = await bob.open(link);
    for (const { html, response } of [onTheWay, before]) {
      expect(response?.status).toBe(403);
      expect(html).toContain("This link is not for you");
      for (const secret of ["alice", "tickets", "hub", "the app agent", "repo:read"])
        expect(html).not.toContain(secret);
      expect(html).not.toContain("<form");
    }
    nothingConnected();
    const [record] = await started.records("connection.refused");
    expect(record).toMatchObject({
      ...{ outcome: "refused", reason: "another person opened the link", app: "tickets", agent: "agent" },
      ...{ actor: started.personOf("bob"), user: started.personOf("alice"), details: { connector: "hub" } },
    });
    // The link is hers as before.
    const alice = started.newBrowser();
    expect((await opened(alice, link)).html).toContain("Go on");
  });

  test("Bob signs in after Alice's page was made, in the same browser: her page connects nothing", async () => {
    const browser = started.newBrowser();
    const page = await opened(browser, await started.link());
    const bobs = started.newBrowser();
    await opened(bobs, await started.link(), "bob");
    browser.cookies.set("__Host-countersign", bobs.cookies.get("__Host-countersign") ?? "");
    const answer = await browser.press(page, "Go on");
    expect([answer.response?.status, answer.html.includes("out of date")]).toEqual([400, true]);
    nothingConnected();
  });

  test("a session that was put into Bob's browser does not finish what that browser did not begin", async () => {
    const alice = started.newBrowser();
    const provider = await atProvider(alice);
    const bob = started.newBrowser();
    bob.cookies.set("__Host-countersign", alice.cookies.get("__Host-countersign") ?? "");
    const answer = await bob.open(backFrom(provider));
    expect([answer.response?.status, answer.html.includes("out of date")]).toEqual([400, true]);
    expect(started.provider.redeemed).toEqual([]);
  });

  test("a session cookie that other hosts may set is not enough: the person signs in for the link", async () => {
    await started.stop();
    const session = { cookieName: "session", maxTimeout: 86_400_000, idleTimeout: 3_600_000, cookieDomain: "example" };
    started = await startConnecting({ session });
    const alice = started.newBrowser();
    await opened(alice, await started.link());
    const bob = started.newBrowser();
    bob.cookies.set("session", alice.cookies.get("session") ?? "");
    const page = await bob.open(await started.link());
    expect(page.url.origin).toBe(started.corp.issuer);
    expect((await bob.press(page, "Sign in", { login: "bob" })).html).toContain("This link is not for you");
    nothingConnected();
  });

  const without = (cookie: string, browser: PersonsBrowser, at: Visit) => {
    browser.cookies.delete(cookie);
    return backFrom(at);
  };
  test.each<readonly [string, (browser: PersonsBrowser, at: Visit) => Promise<string>, string]>([
    ["without a session", async (browser, at) => without("__Host-countersign", browser, at), "out of date"],
    [
      "without the cookie of its browser",
      async (browser, at) => without("__Host-countersign-sign-in", browser, at),
      "out of date",
    ],
    [
      "with a state that is nobody's",
      async (_, at) => backFrom(at, { state: "a".repeat(43), code: "x" }),
      "out of date",
    ],
    ["without a state", async () => `${ISSUER}/connect/callback/hub?code=x`, "out of date"],
    [
      "with the secret of a page for a state",
      async (browser) => {
        const page = await browser.open(await started.link());
        return `${ISSUER}/connect/callback/hub?code=x&state=${page.url.searchParams.get("interaction")}`;
      },
      "out of date",
    ],
    [
      "at another connector's address",
      async (_, at) => backFrom(at).replace("/callback/hub", "/callback/lab"),
      "not that of the provider",
    ],
    [
      "after the session ended",
      async (browser, at) => {
        await started.product.dependencies.stores.directory.deleteBrowserSession(hashOf(browser));
        return backFrom(at);
      },
      "You signed out meanwhile",
    ],
    [
      "eleven minutes later",
      async (_, at) => {
        started.product.clock.set(started.product.clock.now() + 660_000);
        return backFrom(at);
      },
      "out of date",
    ],
  ])("an answer %s is refused, and no code is redeemed", async (_, bring, said) => {
    const browser = started.newBrowser();
    const provider = await atProvider(browser);
    const { response, html } = await browser.open(await bring(browser, provider));
    expect([response?.status, html.includes(said)]).toEqual([400, true]);
    expect(started.provider.redeemed).toEqual([]);
    nothingConnected();
  });

  test.each<readonly [string, object, Readonly<Record<string, string>>, boolean]>([
    ["a wrong iss", { issuer: "https://hub.example", sendsIssuer: true }, { iss: "https://evil.example" }, false],
    ["no iss of one that says it", { issuer: "https://hub.example", sendsIssuer: true }, {}, false],
    [
      "another iss of one whose name is known",
      { issuer: "https://hub.example", sendsIssuer: false },
      { iss: "https://evil.example" },
      false,
    ],
    ["its own iss", { issuer: "https://hub.example", sendsIssuer: true }, { iss: "https://hub.example" }, true],
  ])("%s (RFC 9207)", async (_, resolved, parameters, isTaken) => {
    Object.assign(started.provider, { resolved: { ...started.provider.resolved, ...resolved } });
    const browser = started.newBrowser();
    const provider = await atProvider(browser);
    const { html } = await browser.open(backFrom(provider, { code: "the-code", ...parameters }));
    expect([html.includes("is connected to"), started.provider.redeemed.length]).toEqual([isTaken, isTaken ? 1 : 0]);
  });

  test("a provider that was found anew meanwhile, and is another one, gets no code", async () => {
    const browser = started.newBrowser();
    const provider = await atProvider(browser);
    started.provider.resolved = { ...started.provider.resolved, tokenURL: "https://evil.example/token" };
    expect((await browser.open(backFrom(provider))).html).toContain("not that of the provider");
    expect(started.provider.redeemed).toEqual([]);
  });

  test("a second callback, and going back after it, connect nothing again", async () => {
    const browser = started.newBrowser();
    const page = await opened(browser, await started.link());
    const provider = await browser.press(page, "Go on");
    await browser.open(backFrom(provider));
    expect((await browser.open(backFrom(provider))).html).toContain("out of date");
    expect((await browser.press(page, "Go on")).html).toContain("This link is over");
    expect([started.provider.redeemed.length, started.provider.completed.length]).toEqual([1, 1]);
  });

  test("back from the provider's page: the page is used, and the link makes another", async () => {
    const browser = started.newBrowser();
    const link = await started.link();
    const page = await opened(browser, link);
    const first = await browser.press(page, "Go on");
    expect((await browser.press(page, "Go on")).html).toContain("out of date");
    const second = await browser.press(await browser.open(link), "Go on");
    expect(second.url.searchParams.get("state")).not.toBe(first.url.searchParams.get("state"));
    expect((await browser.open(backFrom(second))).html).toContain("is connected to");
    expect((await browser.open(backFrom(first))).html).toContain("This link is over");
    expect(started.provider.completed.length).toBe(1);
  });

  test("two tabs at the provider at once: one is connected, what the other got is revoked", async () => {
    const browser = started.newBrowser();
    const link = await started.link();
    const one = await atProvider(browser, link);
    const other = await atProvider(browser, link);
    const answers = await Promise.all([browser.open(backFrom(one)), browser.open(backFrom(other))]);
    expect(answers.map(({ html }) => html.includes("is connected to")).sort()).toEqual([false, true]);
    const { completed, discarded, redeemed } = started.provider;
    expect([completed.length, discarded.length]).toEqual([1, redeemed.length - 1]);
  });

  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ["another site's form", { Origin: "https://evil.example" }],
    ["a form that another site's page sent", { "Sec-Fetch-Site": "cross-site" }],
  ])("%s is refused", async (_, headers) => {
    const browser = started.newBrowser();
    const page = await opened(browser, await started.link());
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await started.send(page.url.pathname, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", cookie, ...headers },
      body: `decision=connect&interaction=${page.url.searchParams.get("interaction")}`,
    });
    expect(answer.status).toBe(403);
  });

  test("a form without the page's secret, or with that of another link's page, goes nowhere", async () => {
    const browser = started.newBrowser();
    const page = await opened(browser, await started.link());
    const others = await browser.open(await started.link({ app: "another" }));
    const secret = others.url.searchParams.get("interaction") ?? "";
    for (const interaction of ["", secret]) {
      const { response, html } = await browser.press(page, "Go on", { interaction });
      expect([response?.status, html.includes("out of date")]).toEqual([400, true]);
    }
  });
});

describe("another account than before", () => {
  const back = async () => {
    const browser = started.newBrowser();
    started.provider.former = { id: "4", label: "octo-old" };
    const page = await browser.open(backFrom(await atProvider(browser)));
    expect(page.html).toContain("octo-old");
    expect(page.html).toContain("octo-alice");
    nothingConnected();
    return { browser, page };
  };

  test("asks, and replaces when the person says so", async () => {
    const { browser, page } = await back();
    expect((await browser.press(page, "Use the new one")).html).toContain("is connected to");
    expect(started.provider.completed).toMatchObject([{ tokens: TOKENS }]);
    expect((await browser.press(page, "Use the new one")).html).toContain("This link is over");
  });

  test("asks, and keeps the former one when the person says so: the new tokens are revoked", async () => {
    const { browser, page } = await back();
    expect((await browser.press(page, "Keep the former one")).html).toContain("Nothing was changed");
    nothingConnected();
    expect(started.provider.discarded).toEqual([TOKENS]);
    expect((await browser.press(page, "Use the new one")).html).toContain("out of date");
    nothingConnected();
  });

  test("asks also where the provider does not say this time whose account it is", async () => {
    const { account: _, ...unnamed } = TOKENS;
    started.provider.answer = () => unnamed;
    started.provider.former = { id: "17", label: "octo-alice" };
    const browser = started.newBrowser();
    const page = await browser.open(backFrom(await atProvider(browser)));
    expect(page.html).toContain("an account that the provider did not name");
    nothingConnected();
  });

  test("tokens that the store could not keep are revoked", async () => {
    started.provider.isStoreAway = true;
    const browser = started.newBrowser();
    const { response } = await browser.open(backFrom(await atProvider(browser)));
    expect(response?.status).toBe(503);
    expect(started.provider.discarded).toEqual([TOKENS]);
  });

  test("the same account, and one that nobody names, ask nothing", async () => {
    for (const former of [{ id: "17", label: "renamed" }, undefined]) {
      started.provider.former = former;
      const browser = started.newBrowser();
      expect((await browser.open(backFrom(await atProvider(browser)))).html).toContain("is connected to");
    }
  });
});

describe("what did not work out is told in words that help", () => {
  test("the person refuses here: the link is still good", async () => {
    const browser = started.newBrowser();
    const link = await started.link();
    const page = await opened(browser, link);
    const answer = await browser.press(page, "Do not connect");
    expect(answer.html).toContain("You did not allow it");
    expect(answer.html).toContain(new URL(link).pathname);
    expect((await started.records("connection.refused"))[0]?.reason).toBe("the person refused");
    expect((await browser.open(link)).html).toContain("Go on");
  });

  test.each<readonly [Readonly<Record<string, string>>, string, number, string]>([
    [{ error: "access_denied" }, "You did not allow it", 200, "the person refused at the provider"],
    [{ error: "invalid_scope" }, "hub refused", 400, "the provider refused"],
    [{ error: "temporarily_unavailable" }, "hub does not answer", 503, "the provider does not answer"],
    [{ error: "<script>" }, "hub refused", 400, "the provider refused"],
    [{}, "hub refused", 400, "the provider refused"],
  ])("the provider answers %o", async (parameters, said, status, reason) => {
    const browser = started.newBrowser();
    const { response, html } = await browser.open(backFrom(await atProvider(browser), parameters));
    expect([response?.status, html.includes(said), html.includes("Start again")]).toEqual([status, true, true]);
    expect(html).not.toContain("<script");
    expect((await started.records("connection.refused"))[0]?.reason).toBe(reason);
    expect(started.provider.redeemed).toEqual([]);
  });

  test.each([
    ["refused", 400, "hub refused"],
    ["unavailable", 503, "hub does not answer"],
    ["too_long", 502, "The tokens of hub are too long"],
  ] as const)("the code is %s at the token endpoint, and the link is still good", async (failure, status, said) => {
    const browser = started.newBrowser();
    const link = await started.link();
    started.provider.answer = () => new AccountProviderError(failure, "for the log");
    const { response, html } = await browser.open(backFrom(await atProvider(browser, link)));
    expect([response?.status, html.includes(said), html.includes("for the log")]).toEqual([status, true, false]);
    started.provider.answer = () => TOKENS;
    expect((await browser.open(backFrom(await atProvider(browser, link)))).html).toContain("is connected to");
  });

  test("a provider that cannot be found is no page to go on from", async () => {
    started.provider.isDown = true;
    const { response, html } = await opened(started.newBrowser(), await started.link());
    expect([response?.status, html.includes("hub does not answer")]).toEqual([503, true]);
  });

  test("fewer scopes are connected as granted, and named", async () => {
    const browser = started.newBrowser();
    const link = await started.link({ scopes: ["repo:read", "repo:write"] });
    const { html } = await browser.open(backFrom(await atProvider(browser, link)));
    expect(html).toContain("is connected to");
    expect(html).toMatch(/did not grant <code><bdi>repo:write<\/bdi><\/code>/);
  });

  test.each([
    ["nothing", () => "x"],
    ["an id of nobody's", () => "A".repeat(22)],
    ["the secret of a sign-in", () => "A".repeat(43)],
  ])("a link with %s, and one that is older than ten minutes, are over", async (_, id) => {
    const browser = started.newBrowser();
    const link = await started.link();
    expect((await browser.open(`${ISSUER}/connect/${id()}`)).html).toContain("This link is over");
    started.product.clock.set(started.product.clock.now() + 600_000);
    expect((await browser.open(link)).html).toContain("This link is over");
  });

  test.each([
    ["in the whole instance", undefined],
    ["in the organization whose agent asked", "org_2"],
  ])("whoever is suspended %s connects nothing", async (_, organizationId) => {
    const browser = started.newBrowser();
    const link = await started.link(organizationId === undefined ? {} : { organizationId });
    const page = await opened(browser, link);
    await suspend("alice", organizationId);
    const { response, html } = await browser.press(page, "Go on");
    expect([response?.status, html.includes("suspended")]).toEqual([403, true]);
    // An owner of one organization keeps nobody out of another.
    expect((await browser.open(await started.link())).html.includes("suspended")).toBe(organizationId === undefined);
  });
});

test("names that an agent chose for itself show what nobody would see", async () => {
  await started.stop();
  const name = "Safe\u202Egnp.agent <b>";
  started = await startConnecting({
    apps: [oidcApp("agent", { grantTypes: ["authorization_code"], scopes: ["openid"], name })],
  });
  const { html } = await opened(started.newBrowser(), await started.link());
  expect(html).toContain("Safe[U+202E]gnp.agent &#60;b&#62;");
  expect(html).not.toContain("\u202E");
});

test("an agent that is no client here: its person says where to sign in", async () => {
  const link = await started.link({ agent: "of-another-server" });
  const browser = started.newBrowser();
  // There is one connector only.
  expect((await opened(browser, link)).html).toContain("of-another-server");
});

async function suspend(login: string, of?: string): Promise<void> {
  const { dependencies, clock } = started.product;
  const organizationId = of ?? (await dependencies.stores.directory.firstOrganization())?.organizationId ?? "";
  const operator = { id: "operator", organizationId, requestId: "stop" };
  const stop = { kind: "person", id: started.personOf(login), reason: "left", state: "suspended" } as const;
  await placeStop(dependencies, operator, stop);
  clock.set(clock.now() + 1);
}

function hashOf(browser: PersonsBrowser): string {
  return sha256base64url(browser.cookies.get("__Host-countersign") ?? "");
}
