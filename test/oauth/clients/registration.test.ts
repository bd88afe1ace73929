import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findClient } from "../../../lib/authorization-server/clients/find-client.ts";
import { type Answer, answerOf } from "../../behaviour/fixture.ts";
import { NO_REGISTRATION } from "../../support/configuration.ts";
import { PROVIDER } from "../../support/in-process.ts";
import { newKey, REGISTRATION, type Started, startForClients } from "./started.ts";

const REDIRECTS = { redirect_uris: ["http://127.0.0.1:8080/callback"] };
const PATH = "/oauth2/register";

let product: Started;
/** Each test is another sender, so that none is held to what the others sent. */
let source = 0;
beforeAll(async () => {
  product = await startForClients();
});
afterAll(() => product.close());
beforeEach(() => {
  source += 1;
  product.clock.set(product.clock.now() + 60_000);
});

const send = (body: string, from = `198.51.100.${source}`, type = "application/json"): Promise<Answer> =>
  answerOf(product.send(PATH, { method: "POST", headers: { "Content-Type": type }, body }, from));
const register = (metadata: unknown, from?: string) => send(JSON.stringify(metadata), from);
const registered = async (metadata: object) => {
  const { status, body } = await register({ ...REDIRECTS, ...metadata });
  expect(status).toBe(201);
  return body as Record<string, unknown> & { readonly client_id: string };
};

describe("registration", () => {
  test("a public client is registered with all that it may have", async () => {
    const answer = await register({
      ...REDIRECTS,
      client_name: "Agent",
      client_uri: "https://agent.example/",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "openid admin books:read",
      software_id: "agent",
      software_version: "1.0",
      contacts: ["someone@agent.example"],
      application_type: "native",
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(answer.body).toEqual({
      client_id: expect.stringMatching(/^agent_[0-9a-f-]{36}$/),
      client_id_issued_at: Math.floor(product.clock.now() / 1000),
      ...REDIRECTS,
      client_name: "Agent",
      client_uri: "https://agent.example/",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "openid books:read",
      software_id: "agent",
      software_version: "1.0",
    });
    const { client_id } = answer.body as { client_id: string };
    expect(await findClient(client_id, product.dependencies)).toMatchObject({
      kind: "registered",
      name: "Agent",
      authentication: { method: "none" },
      redirectURLs: REDIRECTS.redirect_uris,
      scopes: ["openid", "books:read"],
      audiences: REGISTRATION.allowedAudiences,
    });
  });

  test("what is left out is what RFC 7591 says: a client with a secret, shown once and kept as a hash", async () => {
    const client = await registered({});
    expect(client).toMatchObject({
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      client_secret_expires_at: 0,
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code"],
      response_types: ["code"],
    });
    const record = await product.dependencies.stores.registeredClients.get(client.client_id);
    expect(JSON.stringify(record)).not.toContain(String(client.client_secret));
    expect(product.logs.join("\n")).not.toContain(String(client.client_secret));
  });

  test("a client with keys is registered with their public members alone", async () => {
    const { jwk } = await newKey();
    const keys = [{ ...jwk, kid: "k1", ext: true, key_ops: ["verify"] }];
    const client = await registered({ token_endpoint_auth_method: "private_key_jwt", jwks: { keys } });
    expect(client).not.toHaveProperty("client_secret");
    const { kty, crv, x, y } = jwk;
    expect(client.jwks).toEqual({ keys: [{ kty, crv, x, y, kid: "k1", alg: "ES256", use: "sig" }] });
  });

  test("the redirects of an agent in the field are registered: a scheme of its own, https and loopback", async () => {
    const redirect_uris = [
      "agent://example.agent-mcp/oauth/callback",
      "https://agent.example/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ];
    expect((await registered({ redirect_uris, token_endpoint_auth_method: "none" })).redirect_uris).toEqual(
      redirect_uris,
    );
  });

  test("a registration is in the audit log, without what the client said of itself", async () => {
    const { client_id } = await registered({ client_name: "Canary name" });
    const page = await product.dependencies.stores.auditLog.query(
      { organizationId: undefined, type: "client.registered", agent: client_id },
      { limit: 10 },
    );
    expect(page.items).toMatchObject([{ outcome: "success", actor: client_id, details: { clientId: client_id } }]);
    expect(JSON.stringify(page.items)).not.toContain("Canary");
  });

  test("a page of the client's is shown only where all of its redirects are on the same origin", async () => {
    const uri = { client_uri: "https://agent.example/about", token_endpoint_auth_method: "none" };
    const own = await registered({ ...uri, redirect_uris: ["https://agent.example/cb"] });
    const claimed = await registered({ ...uri, redirect_uris: ["https://evil.example/cb"] });
    expect(await findClient(own.client_id, product.dependencies)).toHaveProperty("uri");
    expect(await findClient(claimed.client_id, product.dependencies)).not.toHaveProperty("uri");
    for (const beside of ["https://evil.example/cb", "http://localhost/cb", "com.example.evil:/cb"]) {
      const mixed = await registered({ ...uri, redirect_uris: ["https://agent.example/cb", beside] });
      expect(await findClient(mixed.client_id, product.dependencies)).not.toHaveProperty("uri");
    }
  });

  test("an id that was never given out is no client, nor is any once registration is off", async () => {
    const { client_id } = await registered({});
    expect(await findClient(`agent_${crypto.randomUUID()}`, product.dependencies)).toBeUndefined();
    const { configuration } = product.dependencies.configuration();
    const off = { ...configuration, oidcProvider: { ...PROVIDER, registration: { ...REGISTRATION, dynamic: false } } };
    const dependencies = { ...product.dependencies, configuration: () => ({ revision: 1, configuration: off }) };
    expect(await findClient(client_id, dependencies)).toBeUndefined();
  });
});

describe("what registration refuses", () => {
  test.each<[string, object, string]>([
    ["javascript:", { redirect_uris: ["https://agent.example/cb", "javascript:alert(1)"] }, "redirect_uris[1]"],
    ["data:", { redirect_uris: ["data:text/html,x"] }, "redirect_uris[0]"],
    ["plain http", { redirect_uris: ["http://agent.example/cb"] }, "redirect_uris[0]"],
    ["a fragment", { redirect_uris: ["https://agent.example/cb#x"] }, "fragment"],
    ["no redirects", { redirect_uris: [] }, "1 to 20"],
    ["redirects that are none", { redirect_uris: [1] }, "redirect_uris[0]"],
    ["a private-use scheme of a client with a secret", { redirect_uris: ["com.example.app:/cb"] }, "public clients"],
  ])("11. a redirect is refused as invalid_redirect_uri: %s", async (_, metadata, words) => {
    const { status, body } = await register({ ...REDIRECTS, ...metadata });
    expect(status).toBe(400);
    expect(body).toEqual({ error: "invalid_redirect_uri", error_description: expect.stringContaining(words) });
  });

  test.each<[string, object, string]>([
    ["an unknown method", { token_endpoint_auth_method: "client_secret_jwt" }, "token_endpoint_auth_method"],
    ["grants without the code", { grant_types: ["password"] }, "grant_types"],
    ["grants that are no list", { grant_types: "authorization_code" }, "grant_types"],
    ["response types without code", { response_types: ["id_token"] }, "response_types"],
    ["an invisible name", { client_name: "\u200b" }, "client_name"],
    ["a name without a shape", { client_name: "\u3164" }, "client_name"],
    ["a name with piled-up marks", { client_name: `A${"\u0335".repeat(60)}` }, "client_name"],
    ["a page that is none", { client_uri: "javascript:alert(1)" }, "client_uri"],
    ["scopes that are no text", { scope: ["openid"] }, "scope"],
    ["private_key_jwt without keys", { token_endpoint_auth_method: "private_key_jwt" }, "jwks"],
    [
      "keys elsewhere",
      { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://agent.example/k" },
      "jwks_uri",
    ],
    [
      "a key of another kind",
      { token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [{ kty: "RSA" }] } },
      "jwks.keys[0]",
    ],
    [
      "a point off the curve",
      {
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [{ kty: "EC", crv: "P-256", x: "A".repeat(43), y: "A".repeat(43) }] },
      },
      "jwks.keys[0]",
    ],
  ])("metadata is refused as invalid_client_metadata: %s", async (_, metadata, words) => {
    const { status, body } = await register({ ...REDIRECTS, ...metadata });
    expect(status).toBe(400);
    expect(body).toEqual({ error: "invalid_client_metadata", error_description: expect.stringContaining(words) });
  });

  test("a private key is refused, and no word of it is repeated or logged", async () => {
    const { privateKey } = await newKey();
    const jwk = await crypto.subtle.exportKey("jwk", privateKey);
    const answer = await register({
      ...REDIRECTS,
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [jwk] },
    });
    expect(answer.body).toMatchObject({
      error: "invalid_client_metadata",
      error_description: expect.stringContaining("private key"),
    });
    expect(JSON.stringify(answer.body) + product.logs.join("\n")).not.toContain(jwk.d);
  });

  test("9. a body that is no JSON object is refused: type, syntax, encoding, depth and size", async () => {
    const metadata = JSON.stringify(REDIRECTS);
    const refused = [
      send(metadata, undefined, "application/x-www-form-urlencoded"),
      send(metadata, undefined, "text/plain"),
      send(""),
      send("{"),
      send("[]"),
      send("null"),
      send(`\ufeff${metadata}`),
      send(`{"a":${"[".repeat(50)}${"]".repeat(50)}}`),
    ];
    for (const answer of await Promise.all(refused)) {
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client_metadata" } });
    }
    expect(await send(JSON.stringify({ ...REDIRECTS, x: "x".repeat(32 * 1024) }))).toMatchObject({ status: 413 });
  });

  test("9. a sender may register so often and no more, and is told when to come again", async () => {
    const from = "192.0.2.77";
    for (let i = 0; i < 20; i++) expect((await register(REDIRECTS, from)).status).toBe(201);
    const refused = await register(REDIRECTS, from);
    expect(refused).toMatchObject({ status: 429, body: { error: "temporarily_unavailable" } });
    const wait = Number(refused.headers.get("Retry-After"));
    expect(wait).toBeGreaterThan(0);
    expect((await register(REDIRECTS, "192.0.2.78")).status).toBe(201);
    product.clock.set(product.clock.now() + wait * 1000);
    expect((await register(REDIRECTS, from)).status).toBe(201);
  });

  test("where it is off the endpoint does not exist, and the metadata names none", async () => {
    const off = await startForClients([], { oidcProvider: { ...PROVIDER, registration: NO_REGISTRATION } });
    try {
      const answer = await off.send(PATH, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "{}",
      });
      expect(answer.status).toBe(404);
      const metadata = await (await off.send("/.well-known/oauth-authorization-server")).json();
      expect(metadata).not.toHaveProperty("registration_endpoint");
    } finally {
      await off.close();
    }
  });
});
