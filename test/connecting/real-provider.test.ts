import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { auditEvent } from "../../lib/audit/event.ts";
import type { McpProxyAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import type { UserTokenConfiguration } from "../../lib/config/user-token-configuration.ts";
import { createPersonConnections, type PersonConnections } from "../../lib/connections/connections.ts";
import { createProviderResolver } from "../../lib/connections/discover.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import type { RequestContext } from "../../lib/telemetry/request-context.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { ISSUER } from "../support/in-process.ts";
import { AGENT } from "../support/oauth-apps.ts";
import type { PersonsBrowser } from "../support/person.ts";
import { type ConnectStarted, hubAt, opened, startConnecting, TICKETS } from "./started.ts";

/** The provider of accounts is a real one (oidc-provider): people sign in there, and it takes PKCE, the code once and our secret. */
let hub: IdentityProvider;
let started: ConnectStarted;
/** An organization that the directory does not say people belong to. */
let left: string | undefined;
beforeAll(async () => {
  hub = await startIdentityProvider();
  await hub.register([`${ISSUER}/connect/callback/hub`]);
});
afterAll(() => hub.stop());
afterEach(async () => {
  left = undefined;
  await started.stop();
});

async function start(
  fields: Partial<OAuthConnectorConfiguration> = {},
  app: Pick<McpProxyAppConfiguration, "members" | "isShared"> = {},
): Promise<void> {
  const vaultKeys = [base64url(new Uint8Array(32).fill(7))];
  const configuration = {
    oauthConnectors: [{ ...hubAt(hub), ...fields }],
    apps: [AGENT, { ...TICKETS, ...app }],
    vaultKeys,
  };
  started = await startConnecting(configuration, { isReal: true, within: [hub.issuer], adapt: withoutLeft });
}

function withoutLeft(dependencies: Dependencies): Dependencies {
  const { stores } = dependencies;
  const memberships: typeof stores.directory.memberships = async (userId) =>
    (await stores.directory.memberships(userId)).filter(({ organizationId }) => organizationId !== left);
  return { ...dependencies, stores: { ...stores, directory: { ...stores.directory, memberships } } };
}

/** What calls of this instance would get. */
function connections(): PersonConnections {
  const { dependencies } = started.product;
  const { configuration } = dependencies.configuration();
  const resolver = createProviderResolver(configuration, dependencies);
  return createPersonConnections(configuration, { ...dependencies, resolver });
}

/** What is stored of Alice for the app. */
async function stored(): Promise<ConnectionRecord | undefined> {
  const { stores } = started.product.dependencies;
  const organizationId = (await stores.directory.firstOrganization())?.organizationId ?? "";
  return stores.connections.connection({
    organizationId,
    person: started.personOf("alice"),
    app: "tickets",
    agent: "",
  });
}

/** Everything from the link to the last page; `login` is the account at the provider. */
async function walk(browser: PersonsBrowser, login = "octo-alice") {
  const page = await opened(browser, await started.link({ scopes: ["openid", "profile"] }));
  const atHub = await browser.press(page, "Go on");
  if (!atHub.html.includes("Sign in at Corp")) return atHub;
  expect(atHub.url.origin).toBe(hub.issuer);
  return browser.press(atHub, "Sign in", { login });
}

test("the person's account is connected, by its name at the provider, and its token in nobody's sight", async () => {
  await start();
  const done = await walk(started.newBrowser());
  expect(done.html).toContain("is connected to");
  expect(done.html).toContain("Octo-alice Example");
  expect(await stored()).toMatchObject({
    ...{ connector: "hub", state: "connected", scopes: ["openid", "profile"] },
    account: { id: "octo-alice", label: "Octo-alice Example" },
  });
  const [record] = await started.records("connection.completed");
  expect(record).toMatchObject({ outcome: "success", user: started.personOf("alice"), app: "tickets" });
  const { organizationId = "", person = "", app = "" } = (await stored()) ?? {};
  const outbound = TICKETS.outbound as UserTokenConfiguration;
  const want = { organizationId, person, app, outbound, agent: "agent", scopes: [] };
  const request = { requestId: "r", logger: started.product.dependencies.logger } as RequestContext;
  const outcome = await connections().obtain(want, request);
  const token = outcome.outcome === "obtained" ? outcome.token : "";
  expect(token).not.toBe("");
  for (const seen of [done.html, ...done.way, ...started.product.logs]) expect(seen).not.toContain(token);
});

test("another account than before asks, the same one does not", async () => {
  await start();
  const browser = started.newBrowser();
  await walk(browser);
  const { connectionId } = (await stored()) ?? {};
  const other = started.newBrowser();
  const asks = await walk(other, "octo-other");
  expect(asks.html).toContain("Octo-alice Example");
  expect((await stored())?.connectionId).toBe(connectionId);
  expect((await other.press(asks, "Keep the former one")).html).toContain("Nothing was changed");
  expect((await stored())?.connectionId).toBe(connectionId);
  const again = started.newBrowser();
  expect((await again.press(await walk(again, "octo-other"), "Use the new one")).html).toContain("is connected to");
  expect((await stored())?.account?.id).toBe("octo-other");
  expect((await walk(again, "octo-other")).html).toContain("is connected to");
});

test.each<readonly [string, Partial<OAuthConnectorConfiguration>, number, string]>([
  ["takes our secret for a wrong one", { clientSecret: "another" }, 400, "hub refused"],
  [
    "has no token endpoint there",
    { endpoints: { kind: "static", authorizationURL: "", tokenURL: "http://127.0.0.1:9/token" } },
    503,
    "hub does not answer",
  ],
])("a provider that %s connects nothing, and the page says what to do", async (_, fields, status, said) => {
  const { endpoints } = fields;
  const at = endpoints === undefined ? {} : { endpoints: { ...endpoints, authorizationURL: `${hub.issuer}/auth` } };
  await start({ ...fields, ...(at as object) });
  const { response, html } = await walk(started.newBrowser());
  expect([response?.status, html.includes(said), html.includes("Start again")]).toEqual([status, true, true]);
  expect(await stored()).toBeUndefined();
});

test("71. an app of members alone gets no account of somebody who is none any more, and one of a member", async () => {
  await start({}, { members: "required" });
  const { stores } = started.product.dependencies;
  const first = await stores.directory.firstOrganization();
  const { items } = await stores.members.listMembers(first?.organizationId ?? "", { limit: 1 });
  const account = { issuer: started.corp.issuer, subject: "alice", userId: items[0]?.userId ?? "" };
  const event = (type: AuditEvent["type"]) => auditEvent(started.product.dependencies, { type, outcome: "success" });
  const refused = await walk(started.newBrowser());
  expect([refused.response?.status, refused.html.includes("Nothing was connected")]).toEqual([403, true]);
  expect(await stored()).toBeUndefined();
  expect((await started.records("connection.refused"))[0]?.reason).toBe("no member");
  await stores.identities.linkIdentity({ ...account, connector: "corp", createdAt: 0 }, event("identity.linked"));
  expect((await walk(started.newBrowser())).html).toContain("is connected to");
  expect(await stored()).toBeDefined();
});

test("71. an app for several organizations takes the account of a member of another one", async () => {
  await start({}, { members: "required", isShared: true });
  const { stores } = started.product.dependencies;
  const first = (await stores.directory.firstOrganization())?.organizationId ?? "";
  const userId = (await stores.members.listMembers(first, { limit: 1 })).items[0]?.userId ?? "";
  const event = (type: AuditEvent["type"]) => auditEvent(started.product.dependencies, { type, outcome: "success" });
  const account = { issuer: started.corp.issuer, subject: "alice", userId };
  await stores.identities.linkIdentity({ ...account, connector: "corp", createdAt: 0 }, event("identity.linked"));
  const other = { organizationId: "org_other", name: "Other", createdAt: 1, revision: 1 };
  await stores.members.createOrganization(other, userId, event("organization.created"));
  // The only owner of the first organization cannot leave it: the directory says that she is in the other one alone.
  left = first;
  expect((await walk(started.newBrowser())).html).toContain("is connected to");
  expect(await stored()).toBeDefined();
});

test("a person who goes away at the provider reads that nothing was connected", async () => {
  await start();
  const browser = started.newBrowser();
  const page = await opened(browser, await started.link({ scopes: ["openid"] }));
  const { response, html } = await browser.press(await browser.press(page, "Go on"), "Cancel");
  expect([response?.status, html.includes("You did not allow it")]).toEqual([200, true]);
});
