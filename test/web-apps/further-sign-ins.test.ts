import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import type { BrowserContext } from "../../lib/authorization-server/authorize/sign-in-context.ts";
import { knownSession } from "../../lib/authorization-server/authorize/signed-in-person.ts";
import type { Connector } from "../../lib/connectors/connectors.ts";
import { createKnownSessions } from "../../lib/directory/known-sessions.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import { personId } from "../../lib/stores/identities.ts";
import { identityHeaders } from "../../lib/web-apps/identity-headers.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { ISSUER } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import {
  type AppBrowser,
  EITHER,
  PARTNERS,
  PAY,
  PAYROLL,
  signIn,
  startWebApps,
  type WebAppsStarted,
  WIKI,
} from "./started.ts";

/** Of another company, with accounts of its own. The app of partners is for it alone. */
let partner: IdentityProvider;
let started: WebAppsStarted;
const corp = () => started.provider;
beforeAll(async () => {
  partner = await startIdentityProvider();
  await partner.register([`${ISSUER}/oauth2/callback`]);
});
afterAll(() => partner.stop());
beforeEach(async () => {
  const connectors: (typeof CORP)[] = [];
  started = await startWebApps({ connectors }, { elsewhere: [partner.issuer] });
  const scopes = ["openid", "profile", "email"];
  connectors.push({ ...CORP, ...clientAt(corp()), scopes }, { ...CORP, name: "other", ...clientAt(partner), scopes });
  return () => started.stop();
});

function clientAt({ wellKnown, client }: IdentityProvider) {
  return { wellKnownURL: wellKnown, clientID: client.id, clientSecret: client.secret };
}

const SESSION = "__Host-countersign";
const HOUR = 3_600_000;
const known = (html: string) => JSON.parse(html);
const secretOf = (browser: AppBrowser) => browser.cookiesOf(new URL(ISSUER).host).get(SESSION) ?? "";
const sessionOf = (browser: AppBrowser) =>
  started.product.dependencies.stores.directory.getBrowserSession(sha256base64url(secretOf(browser)));
const atProvider = (way: readonly string[]) =>
  way.some((address) => [corp().issuer, partner.issuer].includes(new URL(address).origin));

/** Alice of corp, who is bob at the partner. */
async function signedInTwice() {
  const { clock } = started.product;
  const now = clock.now();
  // The providers' clocks are the machine's: their tokens are not valid later.
  clock.set(now - HOUR);
  const browser = started.newBrowser();
  await signIn(browser, await browser.open(`${PAYROLL}/x`));
  const former = { secret: secretOf(browser), record: await sessionOf(browser) };
  clock.set(now);
  const visit = await signIn(browser, await browser.open(`${PARTNERS}/y`), "bob");
  return { browser, former, visit };
}

test("a second connector in one session leaves both known, for headers and for apps of either, without a page", async () => {
  const { browser, visit } = await signedInTwice();
  expect(visit.url.href).toBe(`${PARTNERS}/y`);
  const { signIn: asked, attributes, userId } = known(visit.html);
  expect([asked.connector, asked.subject]).toEqual(["other", "bob"]);
  expect(userId).toBe(personId({ issuer: corp().issuer, subject: "alice" }));
  const headers = ["corp", "other"].map((connector) => ({ name: connector, parts: [{ connector, claim: "email" }] }));
  expect(identityHeaders(headers, { attributes, requestId: "r" })).toEqual([
    ["corp", "alice@corp.example"],
    ["other", "bob@corp.example"],
  ]);
  for (const app of [PAYROLL, WIKI, PARTNERS, EITHER, PAY]) {
    const { url, html, way } = await browser.open(`${app}/next`);
    expect([url.href, Object.keys(known(html).attributes), atProvider(way)]).toEqual([
      `${app}/next`,
      ["corp", "other"],
      false,
    ]);
  }
});

test("the session with both has a new value and ends when the former would have: hopping prolongs nothing", async () => {
  const { browser, former } = await signedInTwice();
  const joined = await sessionOf(browser);
  expect(secretOf(browser)).not.toBe(former.secret);
  const { createdAt, expiresAt, userId, signIn: first } = former.record ?? {};
  expect(joined).toMatchObject({ createdAt, expiresAt, userId, signIn: first, lastSeenAt: (createdAt ?? 0) + HOUR });
  started.product.clock.set((expiresAt ?? 0) - 1);
  await started.product.dependencies.stores.directory.touchBrowserSession(
    sha256base64url(secretOf(browser)),
    (expiresAt ?? 0) - 1,
  );
  const cookie = `${SESSION}=${secretOf(browser)}`;
  expect((await started.ask(`${PAY}/x`, { headers: { cookie } })).status).toBe(200);
  started.product.clock.set(expiresAt ?? 0);
  expect((await started.ask(`${PAY}/x`, { headers: { cookie } })).status).toBe(401);
});

test("whoever planted their session in the browser does not get the sign-in that joins it", async () => {
  const attacker = started.newBrowser();
  await signIn(attacker, await attacker.open(`${PAY}/x`), "mallory");
  const planted = secretOf(attacker);
  const victim = started.newBrowser();
  victim.cookiesOf(new URL(ISSUER).host).set(SESSION, planted);
  const { html } = await signIn(victim, await victim.open(`${PARTNERS}/y`), "victim");
  expect(known(html).signIn.subject).toBe("victim");
  const sessions = createKnownSessions(started.product.dependencies, { memory: 0 });
  expect(await sessions.resume(planted, new URL(ISSUER).hostname)).toBeUndefined();
  expect((await attacker.open(`${PARTNERS}/y`)).html).toContain("Sign in at Corp");
});

test("a client of the second connector gets the account there, and one of another connector nobody", async () => {
  const { browser } = await signedInTwice();
  const { dependencies } = started.product;
  const connectors = dependencies
    .configuration()
    .configuration.connectors.map((settings) => ({ settings }) as Connector);
  const context = { dependencies, connectors, browser: { session: secretOf(browser) } } as unknown as BrowserContext;
  const bob = { connector: "other", issuer: partner.issuer, subject: "bob" };
  const alice = { connector: "corp", issuer: corp().issuer, subject: "alice" };
  expect(await knownSession({ connectors: ["other"] }, context)).toMatchObject({
    ...{ userId: personId(bob), signIn: bob, further: [alice] },
  });
  expect(await knownSession({ connectors: ["corp", "other"] }, context)).toMatchObject({
    ...{ userId: personId(alice), signIn: alice, further: [bob] },
  });
  expect(await knownSession({ connectors: ["third"] }, context)).toBeUndefined();
});

test("signing out ends the session with both, and leads to both providers", async () => {
  const { browser } = await signedInTwice();
  const secret = secretOf(browser);
  const { html } = await browser.press(await browser.open(`${ISSUER}/oauth2/logout`), "Sign out");
  for (const { issuer } of [corp(), partner]) expect(html).toContain(`href="${issuer}/session/end?client_id=`);
  const { auditLog, directory } = started.product.dependencies.stores;
  expect(await directory.getBrowserSession(sha256base64url(secret))).toBeUndefined();
  const { organizationId } = (await directory.firstOrganization()) ?? {};
  const { items } = await auditLog.query({ organizationId, type: "web_session.ended" }, { limit: 10 });
  expect(items.map(({ reason, details }) => ({ reason, details }))).toEqual([
    { reason: "signed_out", details: { connector: "corp, other" } },
  ]);
});

describe("stands alone:", () => {
  test("a sign-in at a connector that the session has", async () => {
    const { browser } = await signedInTwice();
    const { directory } = started.product.dependencies.stores;
    // Another tab that was opened before anybody was signed in ends last.
    const late = started.newBrowser();
    const page = await late.open(`${PAY}/late`);
    const ours = late.cookiesOf(new URL(ISSUER).host);
    ours.set(SESSION, secretOf(browser));
    const former = sha256base64url(secretOf(browser));
    const { html } = await signIn(late, page, "carol");
    expect(Object.keys(known(html).attributes)).toEqual(["corp"]);
    expect(known(html).userId).toBe(personId({ issuer: corp().issuer, subject: "carol" }));
    expect(await directory.getBrowserSession(former)).toBeUndefined();
  });

  test("a sign-in as somebody else", async () => {
    const { browser, visit } = await signedInTwice();
    const login = await browser.open(known(visit.html).another);
    const { html } = await browser.press(await signIn(browser, login, "carol"), "Continue");
    expect(known(html).attributes).toMatchObject({ other: { sub: "carol" } });
    expect(Object.keys(known(html).attributes)).toEqual(["other"]);
  });

  test("one in the browser of a session that a stop of its person ended meanwhile", async () => {
    const browser = started.newBrowser();
    await signIn(browser, await browser.open(`${PAYROLL}/x`));
    const page = await browser.open(`${PARTNERS}/y`);
    await stopped(corp().issuer, "alice", "ended");
    const { html } = await signIn(browser, page, "bob");
    expect(Object.keys(known(html).attributes)).toEqual(["other"]);
  });

  test("one that would be over at once, as its account was stopped since the session began", async () => {
    const browser = started.newBrowser();
    await signIn(browser, await browser.open(`${PAYROLL}/x`));
    await stopped(partner.issuer, "bob", "ended");
    const { html } = await signIn(browser, await browser.open(`${PARTNERS}/y`), "bob");
    expect(Object.keys(known(html).attributes)).toEqual(["other"]);
  });

  test("one beside a sign-in whose connector has another provider now", async () => {
    const browser = started.newBrowser();
    await signIn(browser, await browser.open(`${PAYROLL}/x`));
    const { connectors } = started.product.dependencies.configuration().configuration;
    const [first, second] = connectors;
    const elsewhere = { ...first, wellKnownURL: "https://new.example/.well-known/openid-configuration" };
    (connectors as object[]).splice(0, 2, elsewhere, second as object);
    const { html } = await signIn(browser, await browser.open(`${PARTNERS}/y`), "bob");
    expect(known(html).userId).toBe(personId({ issuer: partner.issuer, subject: "bob" }));
  });
});

async function stopped(issuer: string, subject: string, state: "suspended" | "ended") {
  const { dependencies, clock } = started.product;
  clock.set(clock.now() + 1);
  const operator = { id: "operator:test", organizationId: "org_1", isOperator: true } as const;
  await placeStop(dependencies, operator, {
    ...{ kind: "person", id: personId({ issuer, subject }), reason: "left", state },
  });
  clock.set(clock.now() + 1);
}

test.each([
  ["suspended", "corp", "alice"],
  ["ended", "corp", "alice"],
  ["suspended", "other", "bob"],
  ["ended", "other", "bob"],
] as const)("a stop, %s, of the account at %s ends the session with both", async (state, connector, subject) => {
  const { browser } = await signedInTwice();
  await stopped(connector === "corp" ? corp().issuer : partner.issuer, subject, state);
  for (const app of [PAYROLL, PARTNERS]) {
    const cookie = `${SESSION}=${browser.cookiesOf(new URL(app).host).get(SESSION)}`;
    expect([app, (await started.ask(`${app}/x`, { headers: { cookie } })).status]).toEqual([app, 401]);
  }
});
