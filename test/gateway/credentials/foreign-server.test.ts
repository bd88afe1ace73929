import { createRemoteJWKSet } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ConnectorConfiguration } from "../../../lib/config/configuration.ts";
import { rpc, textOf } from "../../behaviour/gateway-fixture.ts";
import { type ProtectedUpstream, startProtectedUpstream } from "../../support/protected-upstream.ts";
import { startAuthorizationServer, type TestAuthorizationServer } from "../authorization-server.ts";
import { RESOURCE, type StartedGateway, startedGateway, trusted } from "../started.ts";
import { CLIENT, type ExchangeServer, startExchangeServer } from "./exchange-server.ts";
import { AUDIENCE, OUTBOUND } from "./own-exchange.ts";

let agents: TestAuthorizationServer;
let server: ExchangeServer;
let upstream: ProtectedUpstream;
let gateway: StartedGateway;

beforeAll(async () => {
  agents = await startAuthorizationServer();
  server = await startExchangeServer(createRemoteJWKSet(new URL(`${agents.issuer}/jwks`)));
  upstream = await startProtectedUpstream();
  upstream.expect({ keys: server.keys, issuer: server.issuer, audience: AUDIENCE });
});
afterAll(() => Promise.all([agents.stop(), server.stop(), upstream.stop()]));
beforeEach(() => start());
afterEach(async () => {
  server.answer(undefined);
  server.refuseWith(undefined);
  await gateway.close();
});

const CONNECTOR: Omit<ConnectorConfiguration, "wellKnownURL"> = {
  name: "ledger-idp",
  type: "oidc",
  clientID: CLIENT.id,
  clientSecret: CLIENT.secret,
  scopes: ["openid"],
  disablePKCE: false,
  offlineAccess: false,
  clientAuthentication: "client_secret_basic",
};

async function start(connector: Partial<ConnectorConfiguration> = {}): Promise<void> {
  const { clientID: _, ...outbound } = OUTBOUND;
  gateway = await startedGateway({
    servers: [trusted(agents.wellKnown)],
    upstreamURL: upstream.url,
    outbound: { ...outbound, idp: CONNECTOR.name },
    otherApps: [{ name: "open", outbound: { type: "unprotected" } }],
    connectors: [{ ...CONNECTOR, wellKnownURL: server.wellKnown, ...connector }],
  });
}

async function restart(connector: Partial<ConnectorConfiguration>): Promise<void> {
  await gateway.close();
  await start(connector);
}

/** Of a person, so that the token has an agent beside. */
const token = () => agents.sign({ sub: "a-person", aud: RESOURCE, scope: "notes:read", jti: crypto.randomUUID() });
const call = async (text: string, tool = "getNote") => rpc(await gateway.call(tool, { noteId: "1" }, text));
const newest = async () => {
  const { stores } = gateway.dependencies;
  const organization = await stores.directory.firstOrganization();
  const filter = { organizationId: organization?.organizationId, type: "tool.invoked" };
  return (await stores.auditLog.query(filter, { limit: 1 })).items[0];
};

describe("exchanging at the server of a connector", () => {
  test("gets a token for the upstream, and the parameters are those of RFC 8693", async () => {
    const text = await token();
    expect(textOf(await call(text))).toContain("of a-person");
    expect(upstream.accepted.at(-1)).toMatchObject({ sub: "a-person", scope: "ledger:read", act: { sub: "agent" } });
    expect(server.asked.at(-1)).toEqual({
      subject_token: text,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      audience: AUDIENCE,
      scope: "ledger:read",
    });
  });

  test("is in the call's record, where it took long", async () => {
    server.answer((response) => {
      gateway.clock.set(gateway.clock.now() + 1_000);
      const issued_token_type = "urn:ietf:params:oauth:token-type:access_token";
      const answer = { access_token: "unknown-upstream", issued_token_type, token_type: "Bearer", expires_in: 60 };
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
    await call(await token());
    expect((await newest())?.details).toMatchObject({ credentialMs: "1000" });
  });

  test("is done once for calls that come at once, and for each token anew", async () => {
    const before = server.posts;
    const text = await token();
    await Promise.all(Array.from({ length: 10 }, () => call(text)));
    await call(text);
    expect(server.posts - before).toBe(1);
    await call(await token());
    expect(server.posts - before).toBe(2);
  });

  test("keeps a token no longer than its server says, whatever was asked for", async () => {
    const before = server.posts;
    const text = await agents.sign({ sub: "a-person", aud: RESOURCE, scope: "notes:read" });
    await call(text);
    gateway.clock.set(gateway.clock.now() + 55_000);
    await call(text);
    expect(server.posts - before).toBe(2);
  });
});

describe("an exchange that fails", () => {
  test.each([
    ["invalid_scope", "invalid_scope"],
    ["invalid_target", "invalid_target"],
    ["access_denied", "access_denied"],
    ["something_of_its_own", "other"],
  ])("by %s denies the call, and says so", async (error, told) => {
    server.refuseWith(error);
    const answer = await call(await token());
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toContain(`the app "notes" (${told})`);
    expect(await newest()).toMatchObject({ outcome: "denied", reason: "credential_refused", details: { error: told } });
  });

  test("since the gateway's secret is wrong denies the call, and the log does not tell the secret", async () => {
    await restart({ clientSecret: "not-the-secret" });
    const text = await token();
    expect(textOf(await call(text))).toContain("(invalid_client)");
    const log = gateway.logs.join("\n");
    expect(log).toContain("token not exchanged");
    for (const secret of ["not-the-secret", text]) expect(log).not.toContain(secret);
  });

  test.each(["invalid_grant", "invalid_request"])("by %s sends the agent for another token", async (error) => {
    server.refuseWith(error);
    const response = await gateway.call("getNote", { noteId: "1" }, await token());
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/error="invalid_token".*scope="notes:read"/);
    expect(await newest()).toMatchObject({ outcome: "denied", reason: "token_refused" });
  });

  test("by an error of the server is tried once more", async () => {
    const before = server.posts;
    server.answer((response) => {
      server.answer(undefined);
      response.writeHead(502).end();
    });
    expect((await call(await token())).result?.isError).toBeUndefined();
    expect(server.posts - before).toBe(2);
  });

  test("by a connection that breaks, twice, is told, and other apps go on", async () => {
    const before = server.posts;
    server.answer((response) => response.destroy());
    const text = await token();
    const answer = await call(text);
    expect(textOf(answer)).toContain("cannot be asked now");
    expect(answer.result?.isError).toBe(true);
    expect(server.posts - before).toBe(2);
    const record = await newest();
    expect(record).toMatchObject({ outcome: "upstream_error", reason: "credential_unavailable" });
    expect(record?.details).toMatchObject({ error: "unreachable" });
    await call(text, "open_getNote");
    expect(upstream.requests.at(-1)?.authorization).toBeUndefined();
  });

  test("since nothing is known of the server is told", async () => {
    await restart({ wellKnownURL: "http://127.0.0.1:9/.well-known/openid-configuration" });
    expect(textOf(await call(await token()))).toContain("cannot be asked now");
  });

  test.each([
    ["no token", {}],
    ["a token that is bound to a key", { access_token: "a", token_type: "DPoP" }],
    ["a token of another type", { access_token: "a", token_type: "N_A", issued_token_type: "urn:example:other" }],
    [
      "an ID token",
      { access_token: "a", token_type: "Bearer", issued_token_type: "urn:ietf:params:oauth:token-type:id_token" },
    ],
  ])("since the answer is %s is told, and nothing is sent to the upstream", async (_, body) => {
    server.answer((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
    );
    const before = upstream.requests.length;
    expect((await call(await token())).result?.isError).toBe(true);
    expect(upstream.requests).toHaveLength(before);
  });
});
