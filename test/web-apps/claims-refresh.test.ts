import { importJWK, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import type { ConnectorConfiguration } from "../../lib/config/configuration.ts";
import { refreshTokenOf, renewalAfter } from "../../lib/directory/refresh-tokens.ts";
import { claimsOf } from "../support/identity-provider.ts";
import { ISSUER } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import { APPS, type AppBrowser, PARTNERS, PAY, PAYROLL, signIn, startWebApps, type WebAppsStarted } from "./started.ts";

const MINUTE = 60_000;
const SESSION = "__Host-countersign";

let started: WebAppsStarted;
/** Stands between the instance and its identity provider. */
let between: (url: URL, send: () => Promise<Response>) => Promise<Response>;
/** Every refresh token that the provider gave out. */
let given: string[];

beforeEach(async () => {
  between = (_, send) => send();
  given = [];
  const connectors: ConnectorConfiguration[] = [];
  const outbound = (send: typeof fetch): typeof fetch => {
    return async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const response = await between(url, () => send(input, init));
      if (url.pathname === "/token") {
        const { refresh_token } = (await response
          .clone()
          .json()
          .catch(() => ({}))) as { refresh_token?: string };
        if (refresh_token !== undefined) given.push(refresh_token);
      }
      return response;
    };
  };
  const apps = APPS.map((app) => (app.name === "payroll" ? { ...app, logoutPath: "/logout" } : app));
  started = await startWebApps({ connectors, apps }, { outbound });
  const { provider, product } = started;
  await provider.register([`${ISSUER}/oauth2/callback`], [], { grant_types: ["authorization_code", "refresh_token"] });
  const { client, wellKnown: wellKnownURL } = provider;
  const offline = { offlineAccess: true, claimsRefresh: 15 * MINUTE };
  const scopes = ["openid", "profile", "email", "corp", "offline_access"];
  const corp = { ...CORP, wellKnownURL, clientID: client.id, clientSecret: client.secret, scopes, ...offline };
  connectors.push(corp, { ...corp, name: "other" });
  // The provider's clock is the machine's: its tokens have to be valid all the time.
  product.clock.set(Date.now() - 12 * 60 * MINUTE);
});
afterEach(() => started.stop());

const secretOf = (browser: AppBrowser) => browser.cookiesOf(new URL(ISSUER).host).get(SESSION) ?? "";
const recordOf = (browser: AppBrowser) =>
  started.product.dependencies.stores.directory.getBrowserSession(sha256base64url(secretOf(browser)));
const pass = (milliseconds: number) => started.product.clock.set(started.product.clock.now() + milliseconds);
const tokenRequests = () => started.provider.requests.filter((path) => path === "/token").length - 1;

interface Signed {
  readonly browser: AppBrowser;
  /** What an app on our host gets to know, or the status of its refusal. */
  ask(instance?: WebAppsStarted["ask"]): Promise<unknown>;
}

async function signedIn(): Promise<Signed> {
  const browser = started.newBrowser();
  await signIn(browser, await browser.open(`${PAY}/x`));
  const ask: Signed["ask"] = async (instance = started.ask) => {
    const headers = { cookie: `${SESSION}=${secretOf(browser)}` };
    const response = await instance(`${PAY}/x`, { headers });
    if (response.status !== 200) return response.status;
    const { attributes } = (await response.json()) as { attributes: { corp: { department: string } } };
    return attributes.corp.department;
  };
  return { browser, ask };
}

/** What is recorded of ended sessions, the newest first. */
async function ended() {
  const { auditLog, directory } = started.product.dependencies.stores;
  const organization = await directory.firstOrganization();
  const { organizationId } = organization ?? {};
  const { items } = await auditLog.query({ organizationId, type: "web_session.ended" }, { limit: 10 });
  return items.map(({ reason, app, user, details }) => ({ reason, app, user, details }));
}

test("claims are asked for again every fifteen minutes, each time with the token that came last", async () => {
  const { ask } = await signedIn();
  started.provider.tell("alice", { department: "sales" });
  pass(15 * MINUTE - 1);
  expect([await ask(), tokenRequests()]).toEqual(["accounting", 0]);
  pass(1);
  expect([await ask(), tokenRequests()]).toEqual(["sales", 1]);
  expect([await ask(), tokenRequests()]).toEqual(["sales", 1]);
  for (let round = 2; round < 5; round++) {
    started.provider.tell("alice", { department: `department ${round}` });
    pass(15 * MINUTE);
    expect([await ask(), tokenRequests()]).toEqual([`department ${round}`, round]);
  }
});

test("what a person proved at the sign-in stays, and so does the session", async () => {
  const { browser, ask } = await signedIn();
  const before = await recordOf(browser);
  pass(15 * MINUTE);
  await ask();
  const after = await recordOf(browser);
  const { sessionHash, userId, createdAt, expiresAt, signIn: proved } = before ?? {};
  expect(after).toMatchObject({ sessionHash, userId, createdAt, expiresAt, signIn: proved });
});

test("an app whose logout path is asked for learns who leaves, and nothing is renewed for that", async () => {
  const { browser } = await signedIn();
  await browser.open(`${PAYROLL}/x`);
  pass(15 * MINUTE);
  const cookie = `${SESSION}=${browser.cookiesOf(new URL(PAYROLL).host).get(SESSION)}`;
  const answer = await started.product.send(`${PAYROLL}/logout`, {
    headers: { cookie, "Sec-Fetch-Mode": "navigate" },
  });
  // Its upstream is not there, which somebody unknown does not learn.
  expect([answer.status, tokenRequests()]).toEqual([502, 0]);
  expect(await ended()).toMatchObject([{ reason: "signed_out", app: "payroll" }]);
});

test("many requests at once, in two instances, use a refresh token once", async () => {
  const { ask } = await signedIn();
  started.provider.tell("alice", { department: "sales" });
  pass(15 * MINUTE);
  const instances = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? started.ask : started.askAnother));
  const answers = await Promise.all(instances.map((instance) => ask(instance)));
  expect(answers.every((answer) => answer === "sales" || answer === "accounting")).toBe(true);
  expect(tokenRequests()).toBe(1);
  expect(await Promise.all([ask(), ask(started.askAnother)])).toEqual(["sales", "sales"]);
});

/** Holds the next exchange at the token endpoint until it is let go. */
function held(): { readonly arrived: Promise<void>; readonly letGo: () => void } {
  const [arrived, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  between = async ({ pathname }, send) => {
    if (pathname === "/token") {
      arrived.resolve();
      await gone.promise;
    }
    return send();
  };
  return { arrived: arrived.promise, letGo: gone.resolve };
}

test("while one request renews, the others go on with the former claims", async () => {
  const { ask } = await signedIn();
  started.provider.tell("alice", { department: "sales" });
  pass(15 * MINUTE);
  const { arrived, letGo } = held();
  const renewing = ask();
  await arrived;
  expect([await ask(), await ask(started.askAnother)]).toEqual(["accounting", "accounting"]);
  letGo();
  expect([await renewing, tokenRequests()]).toEqual(["sales", 1]);
});

test("claims that are too old serve nobody: the others wait for the one that renews", async () => {
  const { ask } = await signedIn();
  started.provider.tell("alice", { department: "sales" });
  pass(45 * MINUTE);
  const { arrived, letGo } = held();
  const renewing = ask();
  await arrived;
  const others = [ask(), ask(started.askAnother)];
  letGo();
  expect([await renewing, ...(await Promise.all(others)), tokenRequests()]).toEqual(["sales", "sales", "sales", 1]);
});

test("who began to renew and died keeps the others from it for twenty seconds", async () => {
  const { browser, ask } = await signedIn();
  pass(15 * MINUTE);
  const { sessionHash = "", renewals = { tokens: {} } } = (await recordOf(browser)) ?? {};
  const { directory } = started.product.dependencies.stores;
  const leasedUntil = started.product.clock.now() + 20_000;
  await directory.renewSignIns(sessionHash, 0, { renewals: { ...renewals, leasedUntil } });
  await ask();
  expect(tokenRequests()).toBe(0);
  pass(20_000);
  await ask();
  expect(tokenRequests()).toBe(1);
});

describe("a session ends", () => {
  const reasonOf = async ({ browser, ask }: Signed, ...told: readonly string[]) => {
    const { userId: user, sessionHash = "" } = (await recordOf(browser)) ?? {};
    started.sessions.onEnd(sessionHash, () => ends.push(sessionHash));
    const ends: string[] = [];
    expect(await ask()).toBe(401);
    expect([await recordOf(browser), ends]).toEqual([undefined, [sessionHash]]);
    const [reason, connector] = told;
    expect(await ended()).toEqual([{ reason, app: "pay", user, details: { connector } }]);
  };

  test("when the provider took the grant back, at the next renewal, on every host", async () => {
    const signed = await signedIn();
    await signed.browser.open(`${PAYROLL}/x`);
    await started.provider.endGrants();
    pass(15 * MINUTE - 1);
    expect(await signed.ask()).toBe("accounting");
    pass(1);
    await reasonOf(signed, "refresh_refused", "corp");
    const cookie = `${SESSION}=${signed.browser.cookiesOf("payroll.example").get(SESSION)}`;
    expect((await started.ask(`${PAYROLL}/x`, { headers: { cookie } })).status).toBe(401);
  });

  test("when userinfo is about another person", async () => {
    const signed = await signedIn();
    between = async ({ pathname }, send) =>
      pathname === "/me" ? Response.json({ ...claimsOf("alice"), sub: "mallory" }) : send();
    pass(15 * MINUTE);
    await reasonOf(signed, "refresh_refused", "corp");
  });

  test("when the ID token is about another person", async () => {
    const signed = await signedIn();
    const key = await importJWK(started.provider.key, "ES256");
    between = async ({ pathname }, send) => {
      // Userinfo agrees with it.
      if (pathname === "/me") return Response.json({ ...claimsOf("mallory"), sub: "mallory" });
      const response = await send();
      if (pathname !== "/token") return response;
      const body = (await response.json()) as { id_token: string };
      const [, payload = ""] = body.id_token.split(".");
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
      const header = { alg: "ES256", kid: "corp" };
      const forged = await new SignJWT({ ...claims, sub: "mallory" }).setProtectedHeader(header).sign(key);
      return Response.json({ ...body, id_token: forged });
    };
    pass(15 * MINUTE);
    await reasonOf(signed, "refresh_refused", "corp");
  });

  test("when what was kept cannot be read any more", async () => {
    const signed = await signedIn();
    const { sessionHash = "", renewals } = (await recordOf(signed.browser)) ?? {};
    const { corp } = renewals?.tokens ?? {};
    if (corp === undefined) throw new Error("nothing is kept");
    const tokens = { corp: { ...corp, sealed: `${corp.sealed.slice(0, -4)}AAAA` } };
    await started.product.dependencies.stores.directory.renewSignIns(sessionHash, 0, { renewals: { tokens } });
    pass(15 * MINUTE);
    await reasonOf(signed, "refresh_refused", "corp");
    expect(tokenRequests()).toBe(0);
  });

  test("half an hour after the last good answer while the provider is away, which is asked twice a minute at most", async () => {
    const signed = await signedIn();
    pass(15 * MINUTE);
    started.provider.breakDown(true);
    for (let second = 0; second < 60; second++) {
      expect(await signed.ask()).toBe("accounting");
      pass(1_000);
    }
    expect(tokenRequests()).toBe(2);
    pass(14 * MINUTE - 1);
    expect(await signed.ask()).toBe("accounting");
    pass(1);
    await reasonOf(signed, "claims_outdated", "corp");
  });
});

test("a provider that comes back in time renews, and nobody is signed out", async () => {
  const { ask } = await signedIn();
  started.provider.tell("alice", { department: "sales" });
  pass(15 * MINUTE);
  started.provider.breakDown(true);
  expect(await ask()).toBe("accounting");
  pass(15 * MINUTE - 1);
  expect(await ask()).toBe("accounting");
  started.provider.breakDown(false);
  pass(1);
  expect(await ask()).toBe("sales");
  pass(15 * MINUTE);
  expect(await ask()).toBe("sales");
});

test("whoever comes back after the provider was away for long is asked about first", async () => {
  const { ask } = await signedIn();
  started.provider.tell("alice", { department: "sales" });
  pass(50 * MINUTE);
  expect(await ask()).toBe("sales");
});

test("a session with a further sign-in renews both", async () => {
  const { browser, ask } = await signedIn();
  await browser.open(`${PARTNERS}/x`);
  expect(Object.keys((await recordOf(browser))?.renewals?.tokens ?? {})).toEqual(["corp", "other"]);
  const before = tokenRequests();
  started.provider.tell("alice", { department: "sales" });
  pass(15 * MINUTE);
  expect([await ask(), tokenRequests() - before]).toEqual(["sales", 2]);
  const { signIn: first, further } = (await recordOf(browser)) ?? {};
  expect([first, ...(further ?? [])].map((one) => one?.claims.department)).toEqual(["sales", "sales"]);
});

test("a sign-in that ends while the session's claims are renewed stands alone, and the token is not lost between the two", async () => {
  const { browser, ask } = await signedIn();
  pass(15 * MINUTE);
  const { arrived, letGo } = held();
  const renewing = ask();
  await arrived;
  between = (_, send) => send();
  await browser.open(`${PARTNERS}/x`);
  letGo();
  expect(await renewing).toBe(401);
  expect(Object.keys((await recordOf(browser))?.renewals?.tokens ?? {})).toEqual(["other"]);
});

test("refresh tokens stand in no log, record or answer, and are read for their own account alone", async () => {
  const { browser, ask } = await signedIn();
  pass(15 * MINUTE);
  await ask();
  await started.provider.endGrants();
  pass(15 * MINUTE);
  const { renewals, signIn: alice } = (await recordOf(browser)) ?? {};
  const stored = JSON.stringify([renewals, alice]);
  const { dependencies, logs } = started.product;
  const { corp } = renewals?.tokens ?? {};
  if (corp === undefined || alice === undefined) throw new Error("nothing is kept");
  expect(given).toHaveLength(2);
  expect(await refreshTokenOf(corp, alice, dependencies)).toBe(given[1]);
  for (const other of [{ subject: "bob" }, { issuer: "https://other.example" }, { connector: "other" }]) {
    expect(await refreshTokenOf(corp, { ...alice, ...other }, dependencies)).toBeUndefined();
  }
  const stateSecret = new Uint8Array(32).fill(7);
  const theirs = await renewalAfter("token", alice, 1, { ...dependencies, stateSecret });
  expect(await refreshTokenOf(theirs, alice, dependencies)).toBeUndefined();
  expect(await ask()).toBe(401);
  const everything = [stored, ...logs, JSON.stringify(await ended())].join("\n");
  expect(logs.some((line) => line.includes("claims not renewed"))).toBe(true);
  for (const token of given) expect(everything).not.toContain(token);
});

test("without a refresh token, and where the connector has no claimsRefresh, claims stay as they were", async () => {
  const { connectors } = started.product.dependencies.configuration().configuration;
  for (const change of [{ scopes: ["openid", "corp"], claimsRefresh: undefined, offlineAccess: false }]) {
    const [corp] = connectors;
    (connectors as object[]).splice(0, 1, { ...corp, ...change });
    const { browser, ask } = await signedIn();
    expect((await recordOf(browser))?.renewals).toBeUndefined();
    pass(45 * MINUTE);
    expect([await ask(), tokenRequests()]).toEqual(["accounting", 0]);
  }
});
