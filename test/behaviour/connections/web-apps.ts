import { describe, expect, test } from "vitest";
import { browserFetch } from "../../support/browser-fetch.ts";
import { eventually } from "../../support/eventually.ts";
import type { PersonsBrowser, Visit } from "../../support/person.ts";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import { handshake } from "../../support/web-socket.ts";
import { createSigner, expectJson, issueToken, manage } from "../fixture.ts";
import { type AuditRecord, bearer, mcpURL } from "../gateway-fixture.ts";
import { PAGE, SCRIPT } from "../web-apps/fixture.ts";
import { BOARD } from "./configuration.ts";
import type { ConnectionsUnderTest } from "./fixture.ts";

/** People in browsers, and their programs, before a web app that takes tokens of a provider of accounts alone (D221). */
export function accountsOfWebApps(runtime: RuntimeUnderTest, it: () => ConnectionsUnderTest): void {
  const at = (path: string) => `${it().us.url}/${BOARD}${path}`;
  /** A browser that is signed in, and the page that it sees first: that of the link. */
  const arrived = async (login: string, path: string) => {
    const browser = it().newBrowser();
    const page = await browser.press(await browser.open(at(path)), "Sign in", { login });
    return { browser, page };
  };
  const connectAt = async (browser: PersonsBrowser, page: Visit, login: string): Promise<Visit> => {
    it().hub.login = login;
    return browser.press(page, "Go on");
  };
  /** The same with an account that is connected. */
  const connected = async (login: string, path = "/notes"): Promise<PersonsBrowser> => {
    const { browser, page } = await arrived(login, path);
    const back = await connectAt(browser, page, login);
    expect([back.url.href, back.response?.status]).toEqual([at(path), 200]);
    return browser;
  };
  const cookieOf = (browser: PersonsBrowser) => ({
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
  });
  const ask = (browser: PersonsBrowser, path: string, init: Parameters<typeof browserFetch>[1] = {}) =>
    browserFetch(at(path), { ...init, headers: { ...SCRIPT, ...cookieOf(browser), ...(init.headers as object) } });
  const callsOf = (login: string) => it().hub.calls.filter((caller) => caller === login).length;
  const isSecretIn = (text: string) => [...it().hub.given].some((secret) => text.includes(secret));

  describe("a web app that takes tokens of a provider", () => {
    test("sends a person who has not connected to the link, and back to the page that they asked for", async () => {
      const login = "reader";
      const { browser, page } = await arrived(login, "/notes?q=a%20b");
      expect(page.url.pathname).toMatch(/^\/connect\/[\w-]{22}$/);
      expect(page.html).toContain("You opened “<bdi>board</bdi>”");
      expect(page.html).not.toContain("agent");
      expect(callsOf(login)).toBe(0);
      const back = await connectAt(browser, page, login);
      expect(back.url.href).toBe(at("/notes?q=a%20b"));
      expect(JSON.parse(back.html)).toMatchObject({ title: `of ${login}` });
      const again = await browser.open(at("/other"));
      expect([again.way.length, again.response?.status]).toEqual([1, 200]);
      expect(callsOf(login)).toBe(2);
    });

    test("69. the token is in no header and no body that comes back, and the length stays true", async () => {
      const browser = await connected("echoed");
      const answer = await ask(browser, "/echo", { headers: { "accept-encoding": "gzip" } });
      const body = await answer.text();
      const headers = JSON.stringify([...answer.headers]);
      expect(body).toMatch(/^before Bearer \[redacted\]\**\** after$/);
      expect(headers).toContain("[redacted]");
      expect([isSecretIn(body), isSecretIn(headers), isSecretIn(decodeURIComponent(headers))]).toEqual([
        false,
        false,
        false,
      ]);
      expect(answer.headers.getSetCookie().at(-1)).toBe("u=1");
      const length = answer.headers.get("content-length");
      if (length !== null) expect(body).toHaveLength(Number(length));
    });

    test("69. parts of an answer are not asked for, and no cache keeps one", async () => {
      const browser = await connected("apart");
      const asked = { range: "bytes=0-14", "if-range": '"a"' };
      const answer = await ask(browser, "/parts", { headers: asked });
      expect([answer.status, await answer.json()]).toEqual([200, {}]);
      expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      expect(answer.headers.get("vary")).toMatch(/\bCookie\b/);
    });

    test("69. changes that a page of another site wants are not made", async () => {
      const browser = await connected("crossed");
      const before = callsOf("crossed");
      const sent = (headers: Readonly<Record<string, string>>) =>
        ask(browser, "/notes", { method: "POST", body: "{}", headers });
      const foreign = await Promise.all([
        sent({ origin: "https://evil.example" }),
        sent({ origin: "null" }),
        sent({ "sec-fetch-site": "same-site", "content-type": "text/plain" }),
      ]);
      expect(foreign.map(({ status }) => status)).toEqual([403, 403, 403]);
      expect(callsOf("crossed")).toBe(before);
      const own = await Promise.all([
        sent({ "sec-fetch-site": "same-origin" }),
        sent({ origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" }),
      ]);
      expect(own.map(({ status }) => status)).toEqual([200, 200]);
    });

    test("tells scripts and forms where to connect, and sends nothing on", async () => {
      const login = "scripted";
      const { browser } = await arrived(login, "/notes");
      const script = await ask(browser, "/data", {
        headers: { referer: at("/page?tab=2"), origin: "https://elsewhere.example" },
      });
      const { error, connect } = await expectJson<{ error: string; connect: string }>(script, 403);
      expect([error, script.headers.get("cache-control")]).toEqual(["connect_required", "no-store"]);
      expect(script.headers.get("access-control-allow-origin")).toBe("https://elsewhere.example");
      const headers = { ...PAGE, "content-type": "application/x-www-form-urlencoded", origin: it().us.url };
      const form = await ask(browser, "/notes", { method: "POST", body: "text=lost", headers });
      const page = await form.text();
      expect([form.status, page]).toEqual([403, expect.stringContaining("Nothing was done")]);
      expect(page).toMatch(/href="[^"]+\/connect\/[\w-]{22}" target="_blank"/);
      expect(callsOf(login)).toBe(0);
      // Whoever follows it comes back to the page that the script stands in: an answer for a script is no page.
      const back = await connectAt(browser, await browser.open(connect), login);
      expect([back.url.href, back.response?.status]).toEqual([at("/page?tab=2"), 200]);
      const recorded = async () => {
        const found = await manage(it().owner, "GET", "/audit-events?type=web.requested");
        return (await expectJson<{ readonly items: readonly AuditRecord[] }>(found, 200)).items;
      };
      // The first one, of the page: others of the kind are counted.
      const [record] = await eventually(recorded, (items) => items.some(({ reason }) => reason === "not_connected"));
      expect(record).toMatchObject({ outcome: "denied", app: BOARD, details: { needs: "hub", missing: "none" } });
    });

    test("66. a link that another person opens connects nothing", async () => {
      const { page } = await arrived("owner-of-link", "/notes");
      const other = await it().opened(it().newBrowser(), page.url.origin + page.url.pathname, "another");
      expect([other.response?.status, other.html]).toEqual([403, expect.stringContaining("This link is not for you")]);
    });

    test("68. five requests at once with a token that is over refresh it once", async () => {
      it().hub.lifetime = 1;
      const browser = await connected("ageing");
      it().hub.lifetime = 3_600;
      const before = it().hub.spent.length;
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(browser, "/notes")));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(it().hub.spent.length).toBe(before + 1);
    });

    test("a token that the upstream takes no more is refreshed once within a request without a body", async () => {
      const browser = await connected("refused");
      const { hub } = it();
      hub.end("refused");
      const before = [hub.spent.length, hub.calls.length] as const;
      // Its body is gone: the application's answer is passed on, and nothing is sent twice.
      const post = await ask(browser, "/notes", { method: "POST", body: "text" });
      expect([post.status, await post.text(), hub.calls.length]).toEqual([401, "who?", before[1] + 1]);
      expect((await ask(browser, "/notes")).status).toBe(200);
      expect((await ask(browser, "/notes", { method: "POST", body: "text" })).status).toBe(200);
      expect(hub.spent.length).toBe(before[0] + 1);
    });

    test("where it cannot be refreshed, a page leads to the link again", async () => {
      const browser = await connected("forgotten");
      it().hub.end("forgotten");
      it().hub.forget("forgotten");
      const page = await browser.open(at("/again"));
      expect(page.url.pathname).toMatch(/^\/connect\//);
      const back = await connectAt(browser, page, "forgotten");
      expect([back.url.href, back.response?.status]).toEqual([at("/again"), 200]);
    });

    test("an upstream that asks for more scopes has the person asked for them", async () => {
      const browser = await connected("widening");
      const script = await ask(browser, "/admin");
      expect(await expectJson<object>(script, 403)).toMatchObject({ error: "connect_required" });
      const page = await browser.open(at("/admin"));
      expect(page.html).toContain("notes:admin");
      const back = await connectAt(browser, page, "widening");
      expect([back.url.href, back.response?.status]).toEqual([at("/admin"), 200]);
    });

    test("a policy comes first, and one that lets everybody in sends no token", async () => {
      const { browser } = await arrived("policed", "/notes");
      const denied = await ask(browser, "/denied");
      expect([denied.status, await denied.text()]).toEqual([403, expect.not.stringContaining("connect")]);
      const open = await ask(browser, "/open", { headers: { authorization: "Bearer own" } });
      expect(await expectJson<object>(open, 200)).toEqual({ sent: "" });
    });

    test("a program of a person uses the account, and one that acts for itself has none", async () => {
      const agent = await it().agentOf("scheduler");
      const withToken = { headers: { ...SCRIPT, ...bearer(agent.token) } };
      const told = await expectJson<{ connect: string }>(await browserFetch(at("/notes"), withToken), 403);
      await it().walk(told.connect, "scheduler");
      const answer = await expectJson<object>(await browserFetch(at("/notes"), withToken), 200);
      expect(answer).toMatchObject({ title: "of scheduler" });
      const signer = await createSigner(it().owner, { resources: [mcpURL(it().us)] });
      const own = bearer(await issueToken(it().us, signer, { resource: mcpURL(it().us) }));
      const refused = await browserFetch(at("/notes"), { headers: { ...SCRIPT, ...own } });
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("you act for nobody")]);
    });

    // The domain in front of Lambda hands no connection over.
    if (runtime.name === "lambda") return;
    test("a WebSocket has the token in its handshake", async () => {
      const headers = { origin: it().us.url };
      const { browser, page } = await arrived("talker", "/notes");
      expect((await handshake(at("/socket"), { ...headers, ...cookieOf(browser) })).status).toBe(403);
      await connectAt(browser, page, "talker");
      const open = async () => (await handshake(at("/socket"), { ...headers, ...cookieOf(browser) })).status;
      expect([await open(), it().hub.sockets.at(-1)]).toEqual([101, "talker"]);
      it().hub.end("talker");
      expect([await open(), it().hub.sockets.slice(-2)]).toEqual([101, [undefined, "talker"]]);
    });
  });
}
