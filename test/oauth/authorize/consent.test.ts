import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OidcAppConfiguration } from "../../../lib/config/app-configuration.ts";
import { ISSUER } from "../../support/in-process.ts";
import { AGENT, GATEWAY } from "../../support/oauth-apps.ts";
import {
  authorizationURL,
  type Changes,
  DYNAMIC_CLIENTS,
  redeem,
  registerDynamicClient,
  type SignInStarted,
  signIn,
  startSignIn,
  walk,
} from "./started.ts";

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
}

const app = (clientID: string, consent: OidcAppConfiguration["consent"]): OidcAppConfiguration => ({
  ...AGENT,
  clientID,
  consent,
});

const ELSEWHERE = "org_elsewhere";
const elsewhere = { ...app("elsewhere", "never"), organization: ELSEWHERE };

const WEB = "https://stranger.example/callback";
const LOOPBACK = "http://127.0.0.1/callback";

describe("consent", () => {
  let started: SignInStarted;

  beforeAll(async () => {
    started = await startSignIn({
      apps: [app("agent", "once"), app("asks-always", "always"), app("asks-never", "never"), elsewhere],
      oidcProvider: {
        registration: { ...DYNAMIC_CLIENTS, claimsMapping: { department: "corp.department" } },
        scopeDescriptions: { "tools:read": "Look at <tools>" },
      },
    });
  });
  afterAll(() => started.stop());

  const begin = (browser = started.newBrowser()) => ({
    browser,
    open: (changes: Changes = {}) => browser.open(authorizationURL(changes)),
  });

  /** In a browser whose person is known. */
  const signedIn = async () => {
    const { browser, open } = begin();
    await walk(browser, authorizationURL({ client_id: "asks-never" }));
    return { browser, open };
  };

  test("of an app is asked for after signing in, once for the same scopes and resources", async () => {
    const { browser, open } = begin();
    const login = await open();
    expect(login.html).toContain("Sign in at Corp");
    const page = await signIn(browser, login);
    expect(page.url.pathname).toBe("/oauth2/authorize/consent");
    expect(page.html).toContain("the app agent");
    expect(page.html).toContain("See your name and other details of your profile");
    expect(page.html).toContain("<li>Look at &#60;tools&#62; <code><bdi>tools:read</bdi></code></li>");
    expect(page.html).toContain(GATEWAY);
    expect(page.html).toContain("agent.example");
    expect(page.html).toContain("alice@corp.example");
    const { url } = await browser.press(page, "Allow");
    expect(url.searchParams.get("code")).toMatch(/^csc_us_/);

    expect((await open()).url.searchParams.has("code")).toBe(true);
    expect((await open({ scope: "openid" })).url.searchParams.has("code")).toBe(true);
    const more = await open({ scope: "openid tools:write" });
    expect(more.html).toContain("<li>Use the permission <code><bdi>tools:write</bdi></code></li>");
    expect((await open({ prompt: "consent" })).html).toContain("Allow");
  });

  test("is recorded with what the person is called, also for a client that may not know, in no other organization", async () => {
    const { browser, open } = begin();
    const recordsOf = async (agent: string) => {
      const { auditLog, directory } = started.product.dependencies.stores;
      const own = agent === "elsewhere" ? ELSEWHERE : (await directory.firstOrganization())?.organizationId;
      const { items } = await auditLog.query({ organizationId: own, agent }, { limit: 10 });
      return items.map(({ type, names, user }) => [type, names?.[user as string]]);
    };
    const page = await signIn(browser, await open({ scope: "tools:read" }), "nora");
    await redeem(started.product, (await browser.press(page, "Allow")).url);
    const name = "nora@corp.example";
    const all = ["token.issued", "consent.given", "sign_in.succeeded"];
    expect(await recordsOf("agent")).toEqual(expect.arrayContaining(all.map((type) => [type, name])));

    await open({ client_id: "elsewhere", scope: "tools:read" });
    expect(await recordsOf("elsewhere")).toEqual([["consent.given", undefined]]);
    await open({ client_id: "elsewhere", scope: "email" });
    expect(await recordsOf("elsewhere")).toEqual(expect.arrayContaining([["consent.given", name]]));
  });

  test("that is denied is told to the client, and is asked for again", async () => {
    const { browser, open } = begin();
    const page = await signIn(browser, await open({ scope: "openid email" }), "bob");
    const { url } = await browser.press(page, "Deny");
    expect(url.searchParams.get("error")).toBe("access_denied");
    expect(url.searchParams.get("state")).toBe("the-state");
    expect(url.searchParams.get("iss")).toBe(ISSUER);
    expect((await open({ scope: "openid email" })).html).toContain("Allow");
  });

  test("is asked for each time, or never, where the app says so", async () => {
    const { browser, open } = await signedIn();
    expect((await open({ client_id: "asks-never" })).url.searchParams.has("code")).toBe(true);
    for (let times = 0; times < 2; times++) {
      const { url } = await browser.press(await open({ client_id: "asks-always" }), "Allow");
      expect(url.searchParams.has("code")).toBe(true);
    }
  });

  test("with prompt none is consent_required", async () => {
    const { open } = await signedIn();
    const { url } = await open({ client_id: "asks-always", prompt: "none" });
    expect(url.searchParams.get("error")).toBe("consent_required");
  });

  test("of a client that came by itself is asked for before anything goes to the connector", async () => {
    const client_id = await registerDynamicClient(started, WEB, "<b>Totally Claude</b>");
    const stranger = { client_id, redirect_uri: WEB };
    const before = started.provider.requests.length;
    const { browser, open } = begin();
    const page = await open(stranger);
    expect(page.html).toContain("registered itself");
    expect(page.html).toContain("stranger.example");
    expect(page.html).toContain("&#60;b&#62;Totally Claude&#60;/b&#62;");
    expect(started.provider.requests.length).toBe(before);
    const login = await browser.press(page, "Allow");
    expect(login.html).toContain("Sign in at Corp");
    const { url } = await signIn(browser, login, "carol");
    expect(url.searchParams.has("code")).toBe(true);

    expect((await open(stranger)).url.searchParams.has("code")).toBe(true);
    expect((await open({ ...stranger, scope: "openid tools:write" })).html).toContain("Allow");
    expect((await begin().open(stranger)).html).toContain("Allow");
  });

  test("of one on this computer is asked for each time, and says so", async () => {
    const client_id = await registerDynamicClient(started, LOOPBACK);
    const { browser, open } = begin();
    const changes = { client_id, redirect_uri: "http://127.0.0.1:43123/callback" };
    await walk(browser, authorizationURL(changes));
    const page = await open(changes);
    expect(page.html).toContain("an application on this computer (127.0.0.1:43123)");
    expect(page.html).toContain("You are signed in as");
    expect((await open({ ...changes, prompt: "none" })).url.searchParams.get("error")).toBe("consent_required");
  });

  test("lets a client that registered itself have the claims that are mapped for such clients", async () => {
    const client_id = await registerDynamicClient(started, WEB);
    const answer = await walk(started.newBrowser(), authorizationURL({ client_id, redirect_uri: WEB }));
    const changes = { client_id, redirect_uri: WEB, client_secret: undefined };
    const tokens = (await (await redeem(started.product, answer, changes)).json()) as Tokens;
    for (const token of [tokens.access_token, tokens.id_token]) {
      expect(decodeJwt(token)).toMatchObject({ department: "accounting" });
    }
  });

  test("counts for the person to whom the page was shown", async () => {
    const { browser, open } = await signedIn();
    const page = await open({ client_id: "asks-always" });
    const other = started.newBrowser();
    await walk(other, authorizationURL({ client_id: "asks-never" }), "mallory");
    browser.cookies.set("__Host-countersign", other.cookies.get("__Host-countersign") as string);
    const { response, html } = await browser.press(page, "Allow");
    expect(response?.status).toBe(400);
    expect(html).toContain("You are not signed in as before");
  });

  test("is recorded with the client, the person and what was allowed", async () => {
    await started.product.settled();
    const organization = await started.product.dependencies.stores.directory.firstOrganization();
    const { items } = await started.product.dependencies.stores.auditLog.query(
      { organizationId: organization?.organizationId, type: "consent.given" },
      { limit: 50 },
    );
    const first = items.find(
      ({ agent, details }) => agent === "agent" && details?.scopes === "openid profile tools:read",
    );
    expect(first).toMatchObject({ outcome: "success", details: { resources: GATEWAY } });
    expect(first?.user).toMatch(/^user_[\w-]{43}$/);
    expect(items.find(({ agent }) => agent === "asks-never")?.reason).toBe("asked for by the configuration alone");
  });
});
