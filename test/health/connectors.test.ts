import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OidcAppConfiguration } from "../../lib/config/app-configuration.ts";
import { startProvider, type TestProvider } from "../connectors/provider.ts";
import { connectorTo, down, startWithHealth, UP } from "./with-health.ts";

let provider: TestProvider;
beforeEach(async () => {
  provider = await startProvider();
});
afterEach(() => provider.stop());

const start = (...connectors: readonly ReturnType<typeof connectorTo>[]) =>
  startWithHealth({ configuration: { connectors } });

describe("an instance with a connector", () => {
  test("is up once the provider was found, to everybody and uncached", async () => {
    const it = await start(connectorTo(provider.wellKnownURL));
    await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(UP);
    const response = await it.product.send("/status");
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await response.text()).toBe('{"status":"up"}');
  });

  test("is down while its provider is not there, and comes up without a restart", async () => {
    await provider.down();
    const it = await start(connectorTo(provider.wellKnownURL));
    expect(await it.health()).toEqual(down("connector:corp"));
    await provider.up();
    expect(await it.health()).toEqual(down("connector:corp"));
    it.pass(1_000);
    // Due again: this request has it tried in the background, and one after that sees the outcome.
    await it.health();
    await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(UP);
    expect(provider.requests).toHaveLength(1);
  });

  test("says nothing of the reason, and logs it once, without the query", async () => {
    provider.describe({ issuer: "https://evil.example" });
    const it = await start(connectorTo(`${provider.wellKnownURL}?key=hunter2`));
    for (let n = 0; n < 3; n++) {
      expect(await it.health()).toEqual(down("connector:corp"));
      it.pass(30_000);
      await it.health();
    }
    expect(it.entries("connector not available")).toEqual([
      expect.objectContaining({
        level: "error",
        connector: "corp",
        url: provider.wellKnownURL,
        reason: `discovery names the issuer "https://evil.example", but its address is the one of "${provider.issuer}"`,
      }),
    ]);
    provider.describe();
    it.pass(30_000);
    await it.health();
    await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(UP);
    expect(it.entries("connector available again")).toHaveLength(1);
    expect(it.product.logs.join("\n")).not.toContain("hunter2");
  });

  test("names why a connection failed", async () => {
    await provider.down();
    const it = await start(connectorTo(provider.wellKnownURL));
    expect(await it.health()).toEqual(down("connector:corp"));
    await expect.poll(() => it.entries("connector not available"), { timeout: 20_000 }).toHaveLength(1);
    const [entry] = it.entries("connector not available");
    expect(entry?.reason).toMatch(/^fetch failed: .*ECONNREFUSED/);
  });

  test("names each connector that is not up, and only those", async () => {
    const good = connectorTo(provider.wellKnownURL, { name: "good" });
    const gone = await startProvider();
    await gone.stop();
    const it = await start(
      connectorTo(gone.wellKnownURL, { name: "gone" }),
      good,
      connectorTo("https://corp.example/metadata", { name: "wrong" }),
    );
    await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(down("connector:gone", "connector:wrong"));
  });

  test("asks its provider once, however many ask for the health at once", async () => {
    const it = await start(connectorTo(provider.wellKnownURL));
    await Promise.all(Array.from({ length: 50 }, () => it.health()));
    await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(UP);
    expect(provider.requests).toHaveLength(1);
  });

  test("tries a provider that is not there once for each pause, however many ask", async () => {
    provider.answer((response) => response.writeHead(500).end());
    const it = await start(connectorTo(provider.wellKnownURL));
    for (let n = 0; n < 20; n++) await it.health();
    await expect.poll(() => it.entries("connector not available"), { timeout: 20_000 }).toHaveLength(1);
    expect(provider.requests).toHaveLength(1);
    it.pass(1_000);
    await Promise.all(Array.from({ length: 20 }, () => it.health()));
    await expect.poll(() => provider.requests.length, { timeout: 20_000 }).toBe(2);
    it.pass(400);
    await it.health();
    expect(provider.requests).toHaveLength(2);
  });

  test("does not keep anybody waiting for a provider that is silent", { timeout: 60_000 }, async () => {
    provider.hold();
    const it = await start(connectorTo(provider.wellKnownURL));
    expect(await it.health()).toEqual(down("connector:corp"));
    expect(provider.held).toBe(1);
  });

  test("stays up when its provider is lost later, says so once, and goes on with what it knew", async () => {
    const it = await start(connectorTo(provider.wellKnownURL));
    await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(UP);
    await provider.down();
    const warnings = () => it.entries("connector not refreshed; what was read before stays in use").length;
    const repetitions = () => it.entries("connector: another attempt failed").length;
    for (const failures of [1, 2, 3]) {
      it.pass(3_600_000);
      expect(await it.health()).toEqual(UP);
      await expect.poll(() => warnings() + repetitions(), { timeout: 20_000 }).toBe(failures);
    }
    expect(warnings()).toBe(1);
    expect(it.entries("connector not available")).toHaveLength(0);
  });

  test("does not ask again for what it knows when another part of the configuration changes", async () => {
    const connectors = [connectorTo(provider.wellKnownURL)];
    let revision = 1;
    const it = await startWithHealth({
      configuration: { connectors },
      adapt: (dependencies) => ({
        ...dependencies,
        configuration: () => {
          const { configuration } = dependencies.configuration();
          const secret = connectors.map((connector) => ({ ...connector, clientSecret: `secret ${revision}` }));
          return { revision, configuration: { ...configuration, connectors: secret } };
        },
      }),
    });
    await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual(UP);
    revision = 2;
    expect(await it.health()).toEqual(UP);
    expect(provider.requests).toHaveLength(1);
  });
});

test("an instance with an app that it cannot serve is degraded, and says which", async () => {
  const portal = {
    ...{ type: "oidc", name: "portal", clientID: "portal", isPublic: true, secrets: [], jwks: [], redirectURLs: [] },
    ...{ idps: [], grantTypes: [], accessToken: { type: "opaque", lifetime: 1 }, allowedAudiences: [], scopes: [] },
    ...{ defaultScopes: [], claimsMapping: {}, tokenExchange: { impersonation: false, subjectConnectors: [] } },
    ...{ consent: "required", isUnserved: true },
  } as unknown as OidcAppConfiguration;
  const it = await startWithHealth({ configuration: { apps: [portal] } });
  const body = { status: "degraded", components: [{ name: "app:portal", status: "not_served" }] };
  await expect.poll(() => it.health(), { timeout: 20_000 }).toEqual({ status: 200, body });
});
