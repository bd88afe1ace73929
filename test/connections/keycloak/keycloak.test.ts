import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OAuthConnectorConfiguration } from "../../../lib/config/configuration.ts";
import type { UserTokenConfiguration } from "../../../lib/config/user-token-configuration.ts";
import { createPersonConnections } from "../../../lib/connections/connections.ts";
import { createProviderResolver } from "../../../lib/connections/discover.ts";
import { createVault } from "../../../lib/connections/vault.ts";
import { base64url } from "../../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import type { RequestContext } from "../../../lib/telemetry/request-context.ts";
import { type ConnectStarted, opened, startConnecting, TICKETS } from "../../connecting/started.ts";
import type { RotatingProvider } from "../../gateway/connections/two-instances.ts";
import { eventually } from "../../support/eventually.ts";
import { PROVIDER } from "../../support/in-process.ts";
import { AGENT } from "../../support/oauth-apps.ts";
import type { PersonsBrowser } from "../../support/person.ts";
import { grantOf, type Realm, realmProvider, refreshed, SCOPES } from "./realms.ts";

const ORIGIN = process.env.COUNTERSIGN_KEYCLOAK ?? "";
const VAULT_KEYS = [base64url(new Uint8Array(32).fill(7))];

describe("an account at Keycloak", () => {
  let realm: RotatingProvider;
  let started: ConnectStarted;
  beforeEach(async () => {
    realm = await realmProvider(ORIGIN, "once");
  });
  afterEach(() => started.stop());

  const start = async (endpoints: Partial<RotatingProvider["connector"]["endpoints"]> = {}) => {
    const connector = { ...realm.connector, endpoints: { ...realm.connector.endpoints, ...endpoints } };
    const outbound: UserTokenConfiguration = { ...(TICKETS.outbound as UserTokenConfiguration), scopes: SCOPES };
    const apps = ["tickets", "mail"].map((name) => ({ ...TICKETS, name, outbound }));
    const configuration = { oauthConnectors: [connector], apps: [AGENT, ...apps], vaultKeys: VAULT_KEYS };
    started = await startConnecting(configuration, { isReal: true, within: [ORIGIN] });
    const { dependencies } = started.product;
    const { configuration: whole } = dependencies.configuration();
    const resolver = createProviderResolver(whole, dependencies);
    const connections = createPersonConnections(whole, { ...dependencies, resolver });
    const organizationId = (await dependencies.stores.directory.firstOrganization())?.organizationId ?? "";
    const keyOf = (app: string) => ({ organizationId, person: started.personOf("alice"), app, agent: "" });
    const behind: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => void behind.push(work);
    const request = { requestId: "request_1", logger: dependencies.logger, waitUntil } as unknown as RequestContext;
    const record = (app = "tickets") => dependencies.stores.connections.connection(keyOf(app));
    return {
      record,
      /** The access token of a call, or what there is instead. */
      obtain: async (app = "tickets") => {
        const outcome = await connections.obtain({ ...keyOf(app), outbound, agent: "agent", scopes: [] }, request);
        return outcome.outcome === "obtained" ? outcome.token : outcome.outcome;
      },
      refreshToken: async () => {
        const found = await record();
        const vault = createVault(VAULT_KEYS, PROVIDER.region, webCryptoRandom);
        return (found && (await vault.open(found.sealed, found)))?.refreshToken ?? "";
      },
      disconnect: async () => {
        const { connectionId = "" } = (await record()) ?? {};
        expect(await connections.disconnect(keyOf("tickets"), connectionId, started.personOf("alice"), request)).toBe(
          true,
        );
        await Promise.all(behind.splice(0));
      },
      /** Milliseconds until an access token is over. */
      pass: () => started.product.clock.set(started.product.clock.now() + 301_000),
    };
  };

  /** What records say that the provider was told. */
  const told = async () =>
    (await started.records("connection.revoked")).map(({ details }) => details?.revokedAtProvider);

  /** From the link to the last page. */
  const walk = async (browser: PersonsBrowser, app = "tickets") => {
    const page = await opened(browser, await started.link({ app, scopes: SCOPES }));
    const there = await browser.press(page, "Go on");
    // Who is signed in there already is sent back at once.
    return there.url.origin === ORIGIN ? realm.signIn(browser, there, "alice") : there;
  };

  test("is connected through its page to sign in at, whose answer names the realm (RFC 9207)", async () => {
    const { record, obtain, pass } = await start();
    const done = await walk(started.newBrowser());
    expect(done.html).toContain("is connected to");
    const callback = done.way.find((url) => url.includes("/connect/callback/hub")) ?? "";
    expect(new URL(callback).searchParams.get("iss")).toBe(`${ORIGIN}/realms/once`);
    expect(await record()).toMatchObject({
      ...{ state: "connected", canRefresh: true, account: { label: "alice@saas.example" } },
      scopes: expect.arrayContaining(SCOPES),
    });
    const first = await obtain();
    pass();
    const second = await obtain();
    expect([first, second].map((token) => token.split(".").length)).toEqual([3, 3]);
    expect(second).not.toBe(first);
    for (const seen of [done.html, ...done.way, ...started.product.logs]) expect(seen).not.toContain(first);
  });

  test("is not connected where the answer names another realm than the connector", async () => {
    const { record } = await start({ issuer: `${ORIGIN}/realms/twice` });
    expect((await walk(started.newBrowser())).html).not.toContain("is connected to");
    expect(await record()).toBeUndefined();
  });

  test("is taken back there, too, when the person disconnects one app; another app's serves on", async () => {
    const { obtain, refreshToken, disconnect, pass } = await start();
    const browser = started.newBrowser();
    for (const app of ["tickets", "mail"]) expect((await walk(browser, app)).html).toContain("is connected to");
    pass();
    const token = await obtain("mail");
    await obtain();
    const spent = await refreshToken();
    await disconnect();
    expect(await obtain()).toBe("not_connected");
    expect(await refreshed(realm, spent)).toMatchObject({ error: "invalid_grant" });
    expect(await told()).toContain("yes");
    pass();
    const next = await obtain("mail");
    expect([token, next].map((one) => one.split(".").length)).toEqual([3, 3]);
    expect(next).not.toBe(token);
  });

  test("is taken back where Keycloak knows its tokens no more, as somebody sent one of them again", async () => {
    const { refreshToken, disconnect } = await start();
    await walk(started.newBrowser());
    const stolen = await refreshToken();
    expect(await refreshed(realm, stolen)).toHaveProperty("refresh_token");
    expect(await refreshed(realm, stolen)).toMatchObject({ error: "invalid_grant" });
    await disconnect();
    expect(await told()).toContain("yes");
  });

  test("is found from an MCP server that names the realm (RFC 9728, RFC 8414)", async () => {
    await start();
    const server = createServer((_, response) => {
      const document = { resource: `${at}/mcp`, authorization_servers: [realm.connector.endpoints.issuer] };
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const endpoints = { kind: "discover", resource: `${at}/mcp` } as const;
    const connector: OAuthConnectorConfiguration = { ...realm.connector, endpoints };
    const { dependencies } = started.product;
    const { configuration } = dependencies.configuration();
    const resolver = createProviderResolver({ ...configuration, oauthConnectors: [connector] }, dependencies);
    const { kind: _, ...named } = realm.connector.endpoints;
    try {
      expect(await resolver.resolve(connector, {})).toMatchObject({ ...named, sendsIssuer: true });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

/** What `docs/upstream-accounts.md` says of Keycloak. */
describe("a refresh token that comes again", () => {
  const start = async (name: Realm) => {
    const realm = await realmProvider(ORIGIN, name);
    const [first, other] = [await grantOf(realm, "ann"), await grantOf(realm, "ann")];
    return { refresh: (token = "") => refreshed(realm, token), first, other };
  };
  const ended = { error: "invalid_grant" };

  test("ends the session where Refresh Token Max Reuse is 0", async () => {
    const { refresh, first, other } = await start("once");
    const { refresh_token: next } = await refresh(first);
    expect(await refresh(first)).toMatchObject(ended);
    expect(await refresh(next)).toMatchObject(ended);
    expect(await refresh(other)).toHaveProperty("refresh_token");
  });

  test("gets one more answer where it is 1, and the last answer counts", async () => {
    const { refresh, first } = await start("twice");
    const { refresh_token: lost } = await refresh(first);
    // Keycloak tells older tokens from newer ones by the second in which it made them.
    const { iat = 0 } = decodeJwt(lost ?? "");
    await eventually(
      async () => Math.floor(Date.now() / 1_000),
      (second) => second > iat,
    );
    const { refresh_token: heard } = await refresh(first);
    const { refresh_token: next } = await refresh(heard);
    expect([lost, heard, next].map((token) => typeof token)).toEqual(["string", "string", "string"]);
    expect(await refresh(lost)).toMatchObject(ended);
    expect(await refresh(next)).toMatchObject(ended);
  });

  test("ends the session at the third time where it is 1", async () => {
    const { refresh, first } = await start("twice");
    await refresh(first);
    const { refresh_token: heard } = await refresh(first);
    expect(heard).toBeTypeOf("string");
    expect(await refresh(first)).toMatchObject(ended);
    expect(await refresh(heard)).toMatchObject(ended);
  });
});
