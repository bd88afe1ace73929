import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import { providerFetch } from "../../lib/connections/provider-address.ts";
import { ProviderNotResolved } from "../../lib/connections/resolved-provider.ts";
import type { Served } from "../support/document-server.ts";
import { CONNECTOR, DOCUMENTS, MCP, openWorld, REBOUND, type World } from "./world.ts";

const HOUR = 3_600_000;
let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const resolved = (parts: Parameters<World["resolver"]>[0] = {}) =>
  world.resolver(parts).resolve(parts.connector ?? CONNECTOR, {});
const asked = (url: string) => world.server.requests.filter((one) => one === url).length;

/** A connector whose MCP server is at another address. */
const at = (resource: string, issuer?: string): OAuthConnectorConfiguration => ({
  ...CONNECTOR,
  endpoints: { kind: "discover", resource, ...(issuer !== undefined && { issuer }) },
});

describe("a provider that is written down", () => {
  const STATIC: OAuthConnectorConfiguration = {
    ...CONNECTOR,
    endpoints: { kind: "static", authorizationURL: "https://a.example/a", tokenURL: "https://a.example/t" },
    clientID: "countersign",
    clientSecret: "s",
    clientAuthentication: "client_secret_basic",
  };

  test("is there at once, with what the app says that tokens are for", async () => {
    expect(await world.resolver({ connector: STATIC }).resolve(STATIC, { resource: "https://api.example/" })).toEqual({
      authorizationURL: "https://a.example/a",
      tokenURL: "https://a.example/t",
      sendsIssuer: false,
      clientID: "countersign",
      clientSecret: "s",
      clientAuthentication: "client_secret_basic",
      resource: "https://api.example/",
    });
    expect(world.server.requests).toEqual([]);
  });

  test("sends its issuer where the configuration names it, and may know this service by its document", async () => {
    const { clientID, clientSecret, ...rest } = STATIC;
    const endpoints = { ...STATIC.endpoints, issuer: "https://a.example" } as OAuthConnectorConfiguration["endpoints"];
    const connector = { ...rest, endpoints, clientMetadata: true, clientAuthentication: "none" } as const;
    expect(await resolved({ connector })).toMatchObject({
      ...{ issuer: "https://a.example", sendsIssuer: true, clientAuthentication: "none" },
      clientID: "https://gw.intranet/connect/client-metadata/saas",
    });
  });
});

describe("a provider that is found", () => {
  test("is the authorization server that the MCP server names, with this service registered there", async () => {
    world.serve({
      server: {
        ...DOCUMENTS.server,
        revocation_endpoint: "https://as.example/revoke",
        authorization_response_iss_parameter_supported: true,
      },
    });
    expect(await resolved()).toEqual({
      authorizationURL: "https://as.example/authorize",
      tokenURL: "https://as.example/token",
      revocationURL: "https://as.example/revoke",
      issuer: "https://as.example",
      sendsIssuer: true,
      clientID: "client-1",
      clientSecret: "secret-1",
      clientAuthentication: "client_secret_basic",
      resource: MCP,
    });
    expect(world.registered).toEqual([
      {
        client_name: "Countersign",
        application_type: "web",
        redirect_uris: ["https://gw.intranet/connect/callback/saas"],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ]);
  });

  const ROOT = "https://mcp.example/.well-known/oauth-protected-resource";
  test("by its path, by its host, or where its challenge says", async () => {
    const metadata = (resource: string) => ({ ...DOCUMENTS.resource, resource });
    world.server.serve(ROOT, metadata("https://mcp.example"));
    world.serve({ resource: metadata("https://mcp.example") });
    expect(await resolved()).toMatchObject({ resource: "https://mcp.example" });
    world.server.serve(ROOT, { resource: "https://other.example" });
    world.server.serve(MCP, (_, response) =>
      response
        .writeHead(401, { "WWW-Authenticate": 'Bearer scope="a", resource_metadata="https://mcp.example/told"' })
        .end(),
    );
    world.server.serve("https://mcp.example/told", metadata(MCP));
    expect(await resolved()).toMatchObject({ resource: MCP, issuer: "https://as.example" });
  });

  test.each([
    ["https://as.example/.well-known/oauth-authorization-server/tenant"],
    ["https://as.example/.well-known/openid-configuration/tenant"],
    ["https://as.example/tenant/.well-known/openid-configuration"],
  ])("its metadata is at %s", async (url) => {
    world.serve({ resource: { resource: MCP, authorization_servers: ["https://as.example/tenant"] } });
    world.server.serve(url, { ...DOCUMENTS.server, issuer: "https://as.example/tenant" });
    expect(await resolved()).toMatchObject({ issuer: "https://as.example/tenant" });
  });

  test("of several servers the configured issuer is taken, and no other", async () => {
    const servers = ["https://evil.example", "https://as.example"];
    world.serve({ resource: { resource: MCP, authorization_servers: servers } });
    expect(await resolved({ connector: at(MCP, "https://as.example") })).toMatchObject({
      issuer: "https://as.example",
    });
    await expect(resolved({ connector: at(MCP, "https://op.example") })).rejects.toThrow(ProviderNotResolved);
  });

  describe("where the MCP server has no resource metadata (MCP 2025-03-26)", () => {
    const HERE = "https://mcp.example/.well-known/oauth-authorization-server";
    const ofOrigin = { ...DOCUMENTS.server, issuer: "https://mcp.example" };
    const answering = (status: number, headers: Record<string, string> = {}) =>
      ((_, response) => response.writeHead(status, headers).end()) satisfies Served;
    const absent = (status = 404) => {
      world.server.serve(`${ROOT}/mcp`, answering(status));
      world.server.serve(ROOT, answering(status));
    };

    test.each([404, 401, 403, 405, 410])("is at its origin, where %s says that there is none", async (status) => {
      absent(status);
      world.server.serve(MCP, answering(401, { "WWW-Authenticate": 'Bearer realm="x"' }));
      world.server.serve(HERE, ofOrigin);
      expect(await resolved()).toMatchObject({ issuer: "https://mcp.example", resource: MCP, clientID: "client-1" });
    });

    test("is the configured issuer, which the MCP server need not name", async () => {
      absent();
      const server = { ...DOCUMENTS.server, issuer: "https://op.example" };
      world.server.serve("https://op.example/.well-known/oauth-authorization-server", server);
      world.server.serve(HERE, ofOrigin);
      expect(await resolved({ connector: at(MCP, "https://op.example") })).toMatchObject({
        ...{ issuer: "https://op.example", resource: MCP },
      });
    });

    const refused = (change: object) => () => world.server.serve(HERE, { ...ofOrigin, ...change });
    test.each<readonly [string, () => void]>([
      ["is of another issuer", refused({ issuer: "https://as.example" })],
      ["is of an issuer below the origin", refused({ issuer: "https://mcp.example/mcp" })],
      ["has no PKCE", refused({ code_challenge_methods_supported: undefined })],
      ["has a token endpoint of the network here", refused({ token_endpoint: "https://10.0.0.1/token" })],
      ["is not there either", () => world.server.serve(HERE, answering(404))],
    ])("70. is not believed if its document %s", async (_, arrange) => {
      absent();
      arrange();
      await expect(resolved()).rejects.toThrow(ProviderNotResolved);
      expect(world.registered).toEqual([]);
    });

    test.each<readonly [string, () => void]>([
      ["is broken", () => world.server.serve(`${ROOT}/mcp`, answering(503))],
      ["is asked for too often", () => world.server.serve(ROOT, answering(429))],
      ["is somewhere else", () => world.server.serve(ROOT, answering(302, { Location: "https://as.example/" }))],
      ["is about another resource", () => world.server.serve(ROOT, { ...DOCUMENTS.resource, resource: `${MCP}2` })],
      ["is no document", () => world.server.serve(`${ROOT}/mcp`, [])],
      [
        "is where the challenge says, and is not called there",
        () => {
          const challenge = 'Bearer resource_metadata="https://10.0.0.1/"';
          world.server.serve(MCP, answering(401, { "WWW-Authenticate": challenge }));
        },
      ],
      [
        "is where the challenge says, and is not there",
        () => {
          const challenge = 'Bearer resource_metadata="https://mcp.example/told"';
          world.server.serve(MCP, answering(401, { "WWW-Authenticate": challenge }));
        },
      ],
      ["may be where a challenge would say", () => world.server.serve(MCP, answering(502))],
    ])("70. is not looked for at its origin while that metadata %s", async (_, arrange) => {
      absent();
      world.server.serve(HERE, ofOrigin);
      arrange();
      await expect(resolved()).rejects.toThrow(ProviderNotResolved);
      expect(asked(HERE)).toBe(0);
    });
  });

  test("once an hour, and what was found stays in use", async () => {
    const resolver = world.resolver();
    await resolver.resolve(CONNECTOR, {});
    world.serve({ resource: {} });
    const work: Promise<void>[] = [];
    world.clock.set(world.clock.now() + 2 * HOUR);
    const waitUntil = (one: Promise<void>) => void work.push(one);
    expect(await resolver.resolve(CONNECTOR, {}, waitUntil)).toMatchObject({ clientID: "client-1" });
    await Promise.all(work);
    expect(work).toHaveLength(1);
    expect(await resolver.resolve(CONNECTOR, {}, waitUntil)).toMatchObject({ clientID: "client-1" });
  });
});

describe("70. what is found is not believed", () => {
  const server = (change: object) => ({ server: { ...DOCUMENTS.server, ...change } });
  test.each<readonly [string, Parameters<World["serve"]>[0]]>([
    ["is about another resource", { resource: { ...DOCUMENTS.resource, resource: "https://mcp.example/other" } }],
    ["is about a resource whose name begins alike", { resource: { ...DOCUMENTS.resource, resource: `${MCP}2` } }],
    ["names no server", { resource: { resource: MCP, authorization_servers: [] } }],
    ["is no object", { resource: [DOCUMENTS.resource] }],
    ["is of another issuer", server({ issuer: "https://evil.example" })],
    ["has no issuer", server({ issuer: undefined })],
    ["has no PKCE", server({ code_challenge_methods_supported: ["plain"] })],
    ["says nothing of PKCE", server({ code_challenge_methods_supported: undefined })],
    ["has no token endpoint", server({ token_endpoint: undefined })],
    ["sends browsers to a script", server({ authorization_endpoint: "javascript:alert(1)" })],
    ["has a token endpoint without TLS", server({ token_endpoint: "http://as.example/token" })],
    ["has a token endpoint on another port", server({ token_endpoint: "https://as.example:8443/token" })],
    ["has a token endpoint on loopback", server({ token_endpoint: "https://127.0.0.1/token" })],
    ["has a token endpoint in another notation of loopback", server({ token_endpoint: "https://0x7f.1/token" })],
    ["has a token endpoint of a cloud", server({ token_endpoint: "https://169.254.169.254/latest" })],
    ["has a token endpoint in IPv6", server({ token_endpoint: "https://[::ffff:10.0.0.1]/token" })],
    ["has a token endpoint of the network here", server({ token_endpoint: "https://db.internal/token" })],
    ["has a revocation endpoint of the network here", server({ revocation_endpoint: "https://intranet/" })],
    ["registers in the network here", server({ registration_endpoint: "https://10.0.0.1/register" })],
    [
      "names a server in the network here",
      { resource: { resource: MCP, authorization_servers: ["https://10.0.0.1"] } },
    ],
    ["names a server without TLS", { resource: { resource: MCP, authorization_servers: ["http://127.0.0.1:9"] } }],
    [
      "names a server with a password",
      { resource: { resource: MCP, authorization_servers: ["https://a:b@as.example"] } },
    ],
  ])("where it %s", async (_, documents) => {
    world.serve(documents);
    await expect(resolved()).rejects.toThrow(ProviderNotResolved);
    expect(world.registered).toEqual([]);
  });

  test("a redirect is not followed, nor is one from a registration", async () => {
    const location = { Location: "https://evil.example/x" };
    world.server.serve("https://evil.example/x", { client_id: "evil", token_endpoint_auth_method: "none" });
    world.server.serve("https://as.example/register", (_, response) => response.writeHead(307, location).end());
    await expect(resolved()).rejects.toThrow("answered the registration with 307");
    world.server.serve("https://as.example/.well-known/oauth-authorization-server", (_, response) =>
      response.writeHead(302, location).end(),
    );
    await expect(resolved()).rejects.toThrow(ProviderNotResolved);
    expect(asked("https://evil.example/x")).toBe(0);
  });

  test("a name that leads into the network here is not connected to", async () => {
    world.serve({ server: { ...DOCUMENTS.server, registration_endpoint: `https://${REBOUND}/register` } });
    world.server.serve(`https://${REBOUND}/register`, { client_id: "inside", token_endpoint_auth_method: "none" });
    await expect(resolved()).rejects.toThrow("cannot be asked to register");
    expect(asked(`https://${REBOUND}/register`)).toBe(0);
  });

  test("requests with codes and tokens do not follow redirects either, wherever the provider is", async () => {
    const redirects: unknown[] = [];
    const send: typeof fetch = async (_, init) => {
      redirects.push(init?.redirect);
      return new Response();
    };
    const written = { kind: "static", authorizationURL: "https://a.example/", tokenURL: "https://a.example/" } as const;
    for (const endpoints of [CONNECTOR.endpoints, written]) {
      const fetch = providerFetch({ endpoints }, { outbound: () => send, publicFetch: send });
      for (const url of [MCP, "https://as.example/token"]) await fetch(url, { method: "POST", redirect: "follow" });
    }
    expect(redirects).toEqual(["manual", "manual", "manual", "manual"]);
  });

  test("of an operator's account address the very address is trusted, and no other of its host", async () => {
    const came: string[] = [];
    const by = (way: string) => async () => {
      came.push(way);
      return new Response();
    };
    const account = { url: "https://people.internal/me", id: "id" };
    const ports = { outbound: () => by("operator"), publicFetch: by("checked") };
    const fetch = providerFetch({ ...CONNECTOR, account }, ports);
    for (const url of [account.url, "https://people.internal/token"]) await fetch(url);
    expect(came).toEqual(["operator", "checked"]);
  });

  test.each<readonly [string, Served]>([
    ["is no JSON", (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<html>")],
    ["breaks off", (_, response) => response.writeHead(200, { "Content-Length": "9000" }).end('{"issuer":')],
    ["is empty", (_, response) => response.writeHead(204).end()],
  ])("a document that %s is none", async (_, served) => {
    world.server.serve("https://as.example/.well-known/oauth-authorization-server", served);
    await expect(resolved()).rejects.toThrow(ProviderNotResolved);
  });

  test("a document is what its text says, whatever the server calls it", async () => {
    const text = JSON.stringify(DOCUMENTS.server);
    world.server.serve("https://as.example/.well-known/oauth-authorization-server", (_, response) =>
      response.writeHead(200, { "Content-Type": "text/plain" }).end(text),
    );
    expect(await resolved()).toMatchObject({ issuer: "https://as.example" });
  });

  test("a document has an end", async () => {
    world.serve({ server: { ...DOCUMENTS.server, filler: "x".repeat(1_100_000) } });
    await expect(resolved()).rejects.toThrow(ProviderNotResolved);
  });

  test("a challenge does not lead into the network here", async () => {
    let calls = 0;
    const inside = createServer((_, response) => {
      calls += 1;
      response.end();
    });
    await new Promise<void>((done) => inside.listen(0, "127.0.0.1", done));
    const { port } = inside.address() as AddressInfo;
    world.serve({ resource: {} });
    for (const url of [`http://127.0.0.1:${port}/`, "https://169.254.169.254/", "https://db.internal/"]) {
      world.server.serve(MCP, (_, response) =>
        response.writeHead(401, { "WWW-Authenticate": `Bearer resource_metadata="${url}"` }).end(),
      );
      await expect(resolved()).rejects.toThrow(ProviderNotResolved);
    }
    inside.close();
    expect(calls).toBe(0);
  });

  test("what the operator named is called as it is, and nothing else is", async () => {
    world.server.serve("https://op.example/.well-known/oauth-authorization-server", {
      ...DOCUMENTS.server,
      issuer: "https://op.example",
    });
    world.serve({ resource: { resource: MCP, authorization_servers: ["https://op.example"] } });
    await resolved({ connector: at(MCP, "https://op.example") });
    expect(new Set(world.sent.map((url) => new URL(url).host))).toEqual(new Set(["mcp.example", "op.example"]));
    expect(asked("https://as.example/register")).toBe(1);
  });

  test("an MCP server on loopback, for trying things out, may have its authorization server there", async () => {
    const inside = createServer((request, response) => {
      const origin = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`;
      const document = request.url?.includes("protected-resource")
        ? { resource: `http://localhost:${new URL(origin).port}/mcp`, authorization_servers: [origin] }
        : { ...DOCUMENTS.server, issuer: origin, token_endpoint: `${origin}/token` };
      response.end(JSON.stringify(document));
    });
    await new Promise<void>((done) => inside.listen(0, "127.0.0.1", done));
    const { port } = inside.address() as AddressInfo;
    const connector = { ...at(`http://localhost:${port}/mcp`), clientID: "c" };
    expect(await resolved({ connector })).toMatchObject({ tokenURL: `http://127.0.0.1:${port}/token` });
    inside.close();
  });
});
