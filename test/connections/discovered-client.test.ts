import { createLocalJWKSet, jwtVerify } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import { type ClientKey, publicHalf } from "../../lib/connections/client-key.ts";
import { redeem } from "../../lib/connections/provider.ts";
import { ProviderNotResolved } from "../../lib/connections/resolved-provider.ts";
import { CONNECTOR, DOCUMENTS, KEYS, MCP, openWorld, type World } from "./world.ts";

const HOUR = 3_600_000;
let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const resolved = (parts: Parameters<World["resolver"]>[0] = {}) =>
  world.resolver(parts).resolve(parts.connector ?? CONNECTOR, {});

describe("the client at a provider that is found", () => {
  const methods = (...names: string[]) => ({
    server: { ...DOCUMENTS.server, token_endpoint_auth_methods_supported: names },
  });

  test("is the configured one, also by its document", async () => {
    const named = {
      ...CONNECTOR,
      clientID: "c",
      clientSecret: "s",
      clientAuthentication: "client_secret_post",
    } as const;
    expect(await resolved({ connector: named })).toMatchObject({ clientID: "c", clientSecret: "s" });
    const document = { ...CONNECTOR, clientMetadata: true };
    expect((await resolved({ connector: document })).clientID).toBe("https://gw.intranet/connect/client-metadata/saas");
    expect(world.registered).toEqual([]);
  });

  test("is this service's document where the provider takes such and can fetch it", async () => {
    world.serve({ server: { ...DOCUMENTS.server, client_id_metadata_document_supported: true } });
    expect((await resolved()).clientID).toBe("client-1");
    expect(await resolved({ publicURL: "https://gw.example" })).toMatchObject({
      clientID: "https://gw.example/connect/client-metadata/saas",
      clientAuthentication: "none",
    });
  });

  const AS_DOCUMENT = { ...CONNECTOR, clientMetadata: true };
  const algorithms = (...names: string[]) => ({ token_endpoint_auth_signing_alg_values_supported: names });
  test.each<readonly [string, string[], object, OAuthConnectorConfiguration, string]>([
    ["none, where no other is taken", ["none"], {}, AS_DOCUMENT, "none"],
    ["none, where secrets are wanted, of which it has none", ["client_secret_basic"], {}, AS_DOCUMENT, "none"],
    ["a key, where it has to", ["private_key_jwt"], algorithms("ES256"), AS_DOCUMENT, "private_key_jwt"],
    ["a key, where it may", ["none", "private_key_jwt"], {}, AS_DOCUMENT, "private_key_jwt"],
    ["none, where its key is not taken", ["none", "private_key_jwt"], algorithms("RS256"), AS_DOCUMENT, "none"],
    [
      "none, as the operator says",
      ["none", "private_key_jwt"],
      {},
      { ...AS_DOCUMENT, clientAuthentication: "none" },
      "none",
    ],
    [
      "a key, as the operator says",
      ["none"],
      {},
      { ...AS_DOCUMENT, clientAuthentication: "private_key_jwt" },
      "private_key_jwt",
    ],
    ["a key, also where nobody forces the document", ["private_key_jwt"], {}, CONNECTOR, "private_key_jwt"],
  ])("by its document authenticates with %s", async (_, names, more, connector, method) => {
    const takes = { ...more, client_id_metadata_document_supported: true };
    world.serve({ server: { ...methods(...names).server, ...takes } });
    const resolver = world.resolver({ connector, publicURL: "https://gw.example" });
    expect(await resolver.resolve(connector, {})).toMatchObject({
      clientID: "https://gw.example/connect/client-metadata/saas",
      clientAuthentication: method,
    });
    expect(await resolver.documentMethod(connector)).toBe(method);
    expect(world.registered).toEqual([]);
  });

  test("proves by its own key who it is, to the issuer that was found and to nobody else", async () => {
    world.serve(methods("private_key_jwt"));
    const [publicURL, connector] = ["https://gw.example", AS_DOCUMENT];
    const provider = await world.resolver({ connector, publicURL }).resolve(connector, {});
    const sent: URLSearchParams[] = [];
    const token: typeof fetch = async (_, init) => {
      sent.push(new URLSearchParams(String(init?.body)));
      return Response.json({ access_token: "at", token_type: "bearer" });
    };
    const ports = { outbound: () => token, publicFetch: token, clock: world.clock };
    await redeem(connector, provider, { code: "c", redirectURL: `${publicURL}/cb`, scopes: [] }, ports);
    const { client_assertion: assertion = "", ...rest } = Object.fromEntries(sent[0] ?? []);
    expect(rest).toMatchObject({
      client_id: provider.clientID,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    const keys = (await world.resolver({ connector, publicURL }).documentKeys(connector)).map(publicHalf);
    const { payload, protectedHeader } = await jwtVerify(assertion, createLocalJWKSet({ keys: [...keys] }), {
      ...{ issuer: provider.clientID, subject: provider.clientID, currentDate: new Date(world.clock.now()) },
      requiredClaims: ["jti", "exp", "iat"],
    });
    // As a text: of a list, each member could be taken for the one that is meant (CVE-2025-27371).
    expect(payload.aud).toBe("https://as.example");
    expect(protectedHeader.alg).toBe("ES256");
  });

  test("has keys of its own at each provider, which come and go with those of the vault", async () => {
    const keysOf = (name: string, keys: string[], publicURL = "https://gw.example") =>
      world.resolver({ keys, publicURL }).documentKeys({ ...AS_DOCUMENT, name });
    const [first, second] = await keysOf("saas", KEYS);
    expect(await keysOf("saas", [...KEYS].reverse())).toEqual([second, first]);
    const others = [await keysOf("other", KEYS), await keysOf("saas", KEYS, "https://uk.example")].flat();
    expect(new Set([first, second, ...others].map((key) => key?.kid)).size).toBe(6);
    expect(Object.keys(publicHalf(first as ClientKey))).toEqual(["kty", "crv", "x", "y", "kid", "alg", "use"]);
  });

  test.each([
    [["none", "client_secret_post"], "client_secret_post"],
    [["private_key_jwt", "none"], "none"],
  ])("authenticates, of %j, by %s", async (names, method) => {
    world.serve(methods(...names));
    world.takeRegistrations(() => ({ token_endpoint_auth_method: method }));
    expect(await resolved()).toMatchObject({ clientAuthentication: method });
    expect(world.registered).toMatchObject([{ token_endpoint_auth_method: method }]);
  });

  test.each<readonly [string, () => void]>([
    [
      "takes no registrations",
      () => world.serve({ server: { ...DOCUMENTS.server, registration_endpoint: undefined } }),
    ],
    ["wants a key", () => world.serve(methods("private_key_jwt"))],
    ["refuses", () => world.takeRegistrations(() => ({}), 400)],
    ["gives no id", () => world.takeRegistrations(() => ({ client_id: "" }))],
    ["gives an id that is none", () => world.takeRegistrations(() => ({ client_id: "a\nb" }))],
    ["gives no id at all", () => world.takeRegistrations(() => ({ client_id: undefined }))],
    ["gives an id that is no text", () => world.takeRegistrations(() => ({ client_id: 7 }))],
    ["gives a secret that has ended", () => world.takeRegistrations(() => ({ client_secret_expires_at: 1 }))],
    [
      "answers something else than JSON",
      () => world.server.serve("https://as.example/register", (_, response) => response.writeHead(201).end("<html>")),
    ],
    ["answers without end", () => world.takeRegistrations(() => ({ filler: "x".repeat(1_100_000) }))],
    ["gives no secret", () => world.takeRegistrations(() => ({ client_secret: undefined }))],
    ["wants what it was not asked for", () => world.takeRegistrations(() => ({ token_endpoint_auth_method: "tls" }))],
  ])("is none where the provider %s", async (_, arrange) => {
    arrange();
    await expect(resolved()).rejects.toThrow(ProviderNotResolved);
  });

  test("is what the answer says, where the provider chose another way to authenticate", async () => {
    world.takeRegistrations(() => ({ token_endpoint_auth_method: "none" }));
    const provider = await resolved();
    expect(provider).toMatchObject({ clientID: "client-1", clientAuthentication: "none" });
    expect(provider).not.toHaveProperty("clientSecret");
  });

  test("is one for all apps of a connector, and another one for each connector", async () => {
    const resolver = world.resolver();
    const resources = ["https://mcp.example/one", "https://mcp.example/two"];
    for (const resource of resources) {
      expect(await resolver.resolve(CONNECTOR, { resource })).toMatchObject({ clientID: "client-1", resource });
    }
    const other = { ...CONNECTOR, name: "other" };
    expect((await resolved({ connector: other })).clientID).toBe("client-2");
  });

  test("70. keeps its secret from whoever its issuer does not name any more, and takes it where its metadata leads", async () => {
    expect(await resolved()).toMatchObject({ tokenURL: "https://as.example/token", clientSecret: "secret-1" });
    // The issuer moves its endpoint: the client is the issuer's, and not the endpoint's.
    world.serve({ server: { ...DOCUMENTS.server, token_endpoint: "https://as.example/moved" } });
    expect(await resolved()).toMatchObject({ tokenURL: "https://as.example/moved", clientSecret: "secret-1" });
    // The MCP server leads to an issuer that names the token endpoint of the former one as its own.
    world.serve({ resource: { resource: MCP, authorization_servers: ["https://evil.example"] } });
    world.server.serve("https://evil.example/.well-known/oauth-authorization-server", {
      ...DOCUMENTS.server,
      issuer: "https://evil.example",
    });
    expect(await resolved()).toMatchObject({ issuer: "https://evil.example", clientSecret: "secret-2" });
  });

  test("stays the same in every instance and after a change of keys", async () => {
    expect((await resolved()).clientID).toBe("client-1");
    expect((await resolved()).clientID).toBe("client-1");
    expect((await resolved({ keys: [...KEYS].reverse() })).clientID).toBe("client-1");
    // It went along: the former key is not needed any more.
    expect((await resolved({ keys: KEYS.slice(1) })).clientID).toBe("client-1");
    expect((await resolved({ keys: KEYS.slice(0, 1) })).clientID).toBe("client-2");
  });

  test("is one, of all that register at the same time", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await resolved()).clientID));
    expect(new Set(ids).size).toBe(1);
  });

  test("is another one with each issuer, as its secret is that one's alone", async () => {
    await resolved();
    world.serve({ resource: { resource: MCP, authorization_servers: ["https://evil.example"] } });
    world.server.serve("https://evil.example/.well-known/oauth-authorization-server", {
      ...DOCUMENTS.server,
      issuer: "https://evil.example",
    });
    expect(await resolved()).toMatchObject({ issuer: "https://evil.example", clientID: "client-2" });
  });

  test("is registered anew when its secret ends, or the provider does not know it any more", async () => {
    world.takeRegistrations((count) => ({
      client_secret_expires_at: count === 1 ? (world.clock.now() + HOUR) / 1_000 : 0,
    }));
    const resolver = world.resolver();
    await resolver.resolve(CONNECTOR, {});
    world.clock.set(world.clock.now() + HOUR);
    expect((await resolver.resolve(CONNECTOR, {})).clientID).toBe("client-2");
    await resolver.clientRefused(CONNECTOR, "client-1");
    expect((await resolver.resolve(CONNECTOR, {})).clientID).toBe("client-2");
    await resolver.clientRefused(CONNECTOR, "client-2");
    expect((await resolver.resolve(CONNECTOR, {})).clientID).toBe("client-3");
  });

  test("stays that of the instance which was first, when several register anew", async () => {
    const end = world.clock.now() + HOUR;
    let first: string | undefined;
    world.takeRegistrations(async (count) => {
      // While this one is asked for, another instance registers from beginning to end.
      if (count === 2) first = (await resolved()).clientID;
      return { client_secret_expires_at: count === 1 ? end / 1_000 : 0 };
    });
    await resolved();
    world.clock.set(end);
    expect((await resolved()).clientID).toBe("client-3");
    expect(first).toBe("client-3");
    expect((await resolved()).clientID).toBe("client-3");
  });

  test("is not registered for ever more where each is refused", async () => {
    const resolver = world.resolver();
    for (let count = 1; count <= 5; count++) {
      const { clientID } = await resolver.resolve(CONNECTOR, {});
      world.clock.set(world.clock.now() + 1);
      await resolver.clientRefused(CONNECTOR, clientID);
    }
    await expect(resolver.resolve(CONNECTOR, {})).rejects.toThrow("too many registrations");
    expect(world.registered).toHaveLength(5);
  });

  test("67. has no secret in the store in the clear", async () => {
    await resolved();
    expect(await world.storeText()).not.toContain("secret-1");
    expect(await world.storeText()).not.toContain("client-1");
  });
});
