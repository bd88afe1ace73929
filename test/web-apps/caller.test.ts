import { afterEach, expect, test } from "vitest";
import type { ConnectorConfiguration } from "../../lib/config/configuration.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import type { ConnectorSignIn } from "../../lib/stores/directory.ts";
import { personId } from "../../lib/stores/identities.ts";
import { type CallerPorts, knownPerson } from "../../lib/web-apps/caller.ts";
import { joined, memberEvent, organization } from "../contract/member-records.ts";
import { auditEvent } from "../contract/records.ts";
import { ISSUER, inProcessConfiguration, startInProcess } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import { PAY, PAYROLL, policyOf, signIn, startWebApps, type WebAppsStarted, webApp } from "./started.ts";

let running: WebAppsStarted | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
const start = async (change: Parameters<typeof startWebApps>[0] = {}) => {
  running = await startWebApps(change);
  return running;
};

const SIGN_IN: ConnectorSignIn = {
  ...{ connector: "corp", issuer: "https://corp.example", subject: "alice", claims: { groups: ["payroll"] } },
};
const NAME = "__Host-countersign";

test.each<
  [string, Partial<{ connectors: readonly ConnectorConfiguration[]; idps: string[]; cookies: object }>, boolean]
>([
  ["a sign-in at a connector of the policy's", {}, true],
  ["one of several", { idps: ["other", "corp"] }, true],
  ["another connector", { idps: ["other"] }, false],
  ["no connector", { idps: [] }, false],
  [
    "a connector that has another issuer now",
    { connectors: [{ ...CORP, wellKnownURL: "https://new.example/.well-known/openid-configuration" }] },
    false,
  ],
  ["a connector that is gone", { connectors: [] }, false],
  ["no cookie", { cookies: {} }, false],
  ["a cookie of another name", { cookies: { [`${NAME}-console`]: "the cookie" } }, false],
  ["a cookie that leads to no session", { cookies: { [NAME]: "another" } }, false],
])("with %s a person is known, or is nobody", async (_, { connectors = [CORP], idps = ["corp"], cookies }, isKnown) => {
  const configuration = { ...inProcessConfiguration, connectors };
  const session = { sessionHash: "hash", userId: "user_1", createdAt: 1, lastSeenAt: 1, expiresAt: 2, signIn: SIGN_IN };
  const ports: CallerPorts = {
    configuration: () => ({ revision: 1, configuration }),
    connectors: [],
    outbound: () => fetch,
    ...{ clock: systemClock, random: webCryptoRandom },
    knownSessions: {
      resume: async (cookie) => (cookie === "the cookie" ? session : undefined),
      ...{ resumeAnew: async () => session, forget: () => undefined },
    },
    organizationOf: async () => "org_1",
    instanceStops: { current: async () => new Map() },
    stores: { identities: undefined as never, directory: undefined as never, auditLog: undefined as never },
  };
  const given = (cookies ?? { [NAME]: "the cookie" }) as Record<string, string>;
  const person = await knownPerson(
    given,
    "payroll.example",
    policyOf(idps),
    webApp("payroll", "payroll.example"),
    ports,
    { requestId: "request", logger: undefined as never, waitUntil: () => undefined },
  );
  const expected = {
    ...{ kind: "person", sessionHash: "hash", userId: "user_1", createdAt: 1, expiresAt: 2, signIn: SIGN_IN },
    attributes: { corp: { groups: ["payroll"], sub: "alice" } },
  };
  expect(person).toEqual(isKnown ? expected : undefined);
});

test("people sign in for web apps where there is no authorization server, and sign out", async () => {
  const { newBrowser } = await start({ oidcProvider: undefined as never });
  const browser = newBrowser();
  const { url, html } = await signIn(browser, await browser.open(`${PAYROLL}/x`));
  expect([url.href, JSON.parse(html).signIn.subject]).toEqual([`${PAYROLL}/x`, "alice"]);
  expect((await browser.open(`${PAY}/y`)).url.href).toBe(`${PAY}/y`);
  await browser.press(await browser.open(`${ISSUER}/oauth2/logout`), "Sign out");
  expect(browser.cookiesOf("us.example").has(NAME)).toBe(false);
  const again = await browser.open(`${PAYROLL}/x`);
  expect(again.way.some((address) => address.includes("/.countersign/sign-in"))).toBe(true);
});

test("where no web app signs people in, there is nothing to sign in at", async () => {
  const product = await startInProcess({
    configuration: { apps: [webApp("programs", undefined, { policies: [policyOf([])] })] },
  });
  for (const path of ["sign-in", "login", "signed-in"]) {
    expect((await product.send(`/.countersign/${path}`)).status).toBe(404);
  }
  await product.close();
});

test("an app that is gone, or is reached elsewhere now, gets nobody back", async () => {
  const { product, newBrowser, ask } = await start();
  const browser = newBrowser();
  const login = await browser.open(`${PAYROLL}/x`);
  const { configuration } = product.dependencies.configuration();
  const apps = configuration.apps as unknown as { routes: object[] }[];
  const at = apps.findIndex(
    (app) => "routes" in app && app.routes.some((route) => JSON.stringify(route).includes("payroll.example")),
  );
  const [former] = apps.splice(at, 1, webApp("payroll", "elsewhere.example") as never);
  const { html } = await signIn(browser, login);
  expect(html).toContain("This sign-in is over");
  expect(browser.cookiesOf("us.example").has(NAME)).toBe(false);
  apps.splice(at, 1, former as never);
  expect((await ask(`${PAYROLL}/x`)).status).toBe(401);
});

test("whoever is suspended reads so at the end of the sign-in, and has no session", async () => {
  const { product, provider, newBrowser } = await start();
  const stop = { kind: "person", id: personId({ issuer: provider.issuer, subject: "alice" }), reason: "left" };
  const operator = { id: "operator:test", organizationId: "org_1", isOperator: true } as const;
  await placeStop(product.dependencies, operator, { ...stop, state: "suspended" });
  const browser = newBrowser();
  const { response, html } = await signIn(browser, await browser.open(`${PAYROLL}/x`));
  expect([response?.status, html.includes("suspended your access")]).toEqual([403, true]);
  expect(browser.cookiesOf("us.example").has(NAME)).toBe(false);
  const { auditLog } = product.dependencies.stores;
  await product.dependencies.refusals.flushDue();
  const refused = await auditLog.query({ type: "sign_in.refused", organizationId: undefined }, { limit: 5 });
  expect(refused.items[0]).toMatchObject({ app: "payroll" });
});

test("a stop of an organization that owns the app suspends the person there alone, and an end asks for a new sign-in", async () => {
  const own = webApp("payroll", "payroll.example", { organization: "org_2" });
  const { product, provider, newBrowser } = await start({ apps: [own, webApp("pay", undefined)] });
  const browser = newBrowser();
  await signIn(browser, await browser.open(`${PAYROLL}/x`));
  const stop = { kind: "person", id: personId({ issuer: provider.issuer, subject: "alice" }), reason: "left" };
  const eve = { id: "user_eve", organizationId: "org_2" };
  const now = product.clock.now();
  product.clock.set(now + 1_000);
  await placeStop(product.dependencies, eve, { ...stop, state: "ended" });
  product.clock.set(now + 2_000);
  const anew = await browser.open(`${PAYROLL}/x`);
  expect(anew.url.href).toBe(`${PAYROLL}/x`);
  expect(anew.way.some((address) => address.startsWith(provider.issuer))).toBe(true);
  await placeStop(product.dependencies, eve, { ...stop, state: "suspended" });
  const refused = await browser.open(`${PAYROLL}/x`);
  expect([refused.response?.status, refused.html]).toEqual([403, "stopped left"]);
  expect((await browser.open(`${PAY}/x`)).response?.status).toBe(200);
});

/** How alice stands to two organizations, of which none is the first: member of either, and stopped by either. */
test.each([
  ["the only organization that they belong to suspended them", ["one"], { one: "suspended" }, 403],
  ["all of theirs suspended them", ["one", "two"], { one: "suspended", two: "suspended" }, 403],
  ["one of theirs suspended them", ["one", "two"], { two: "suspended" }, 200],
  ["another one than theirs suspended them", ["one"], { two: "suspended" }, 200],
  ["they belong to none", [], { one: "suspended", two: "suspended" }, 200],
  ["one suspended them and the other ended what they had", ["one", "two"], { one: "suspended", two: "ended" }, 302],
] as const)("people at an app of all organizations, where %s", async (_, memberOf, stoppedBy, status) => {
  const { product, provider, ask, newBrowser } = await start();
  const { stores } = product.dependencies;
  const browser = newBrowser();
  await signIn(browser, await browser.open(`${PAY}/x`));
  const cookie = [...browser.cookiesOf("us.example")].map(([name, value]) => `${name}=${value}`).join("; ");
  const asked = () => ask(`${PAY}/x`, { headers: { cookie, "Sec-Fetch-Mode": "navigate" }, redirect: "manual" });
  expect((await asked()).status).toBe(200);
  const first = (await stores.directory.firstOrganization())?.organizationId ?? "";
  const account = { issuer: provider.issuer, subject: "alice" };
  const [{ userId }, founder] = [await joined(stores, first), await joined(stores, first, "owner")];
  await stores.identities.linkIdentity(
    { ...account, userId, connector: "corp", createdAt: 0 },
    auditEvent({ type: "identity.linked" }),
  );
  const now = product.clock.now();
  product.clock.set(now + 1_000);
  for (const name of ["one", "two"] as const) {
    const { organizationId } = organization();
    const event = memberEvent("organization.created", organizationId);
    const owner = memberOf.some((one) => one === name) ? userId : founder.userId;
    await stores.members.createOrganization(organization({ organizationId }), owner, event);
    const state = (stoppedBy as Partial<Record<string, "suspended" | "ended">>)[name];
    const stop = { kind: "person", id: personId(account), reason: "left" };
    if (state !== undefined)
      await placeStop(product.dependencies, { id: "user_eve", organizationId }, { ...stop, state });
  }
  await stores.members.removeMember({ organizationId: first, userId }, memberEvent("member.removed", first));
  product.clock.set(now + 2_000);
  expect((await asked()).status).toBe(status);
});
