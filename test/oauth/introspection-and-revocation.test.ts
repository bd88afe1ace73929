import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { basic } from "../behaviour/fixture.ts";
import {
  askToken,
  codeForm,
  exchanged,
  PERSON,
  postTo,
  refreshForm,
  signedIn,
  startChain,
  startWithApps,
} from "../support/chains.ts";
import { type InProcess, ISSUER } from "../support/in-process.ts";
import { AGENT, GATEWAY, LEDGER, OAUTH_APPS, oidcApp, PUBLIC_AGENT, secretOf } from "../support/oauth-apps.ts";

const RESOURCE_SERVER = oidcApp("resource-server", { resources: [LEDGER] });
const OPAQUE_AGENT = {
  ...AGENT,
  clientID: "opaque-agent",
  secrets: [secretOf("opaque-agent")],
  accessToken: { type: "opaque", lifetime: 3_600_000 },
} as const;

let product: InProcess;
beforeAll(async () => {
  product = await startWithApps({ apps: [...OAUTH_APPS, RESOURCE_SERVER, OPAQUE_AGENT] });
});
afterAll(() => product.close());

const as = (clientId: string) => basic({ clientId, secret: secretOf(clientId) });
const introspect = async (token: string, client = "gateway") =>
  (await postTo(product, "/oauth2/introspect", { token }, as(client))).body;
const revoke = (token: string, client: string) => postTo(product, "/oauth2/revoke", { token }, as(client));
const isActive = async (text: string) => (await activeToken(text, product.dependencies)) !== undefined;
/** The chains of these tests are of no organization, and so are their records. */
const revocations = async () => {
  const filter = { organizationId: undefined, type: "token.revoked" };
  return (await product.dependencies.stores.auditLog.query(filter, { limit: 100 })).items;
};

describe("introspection", () => {
  test.each(["agent", "opaque-agent"])("of a token of %s shows person, sign-in and mapped claims", async (clientId) => {
    const { access_token } = await signedIn(product, { clientId });
    const body = await introspect(access_token);
    const { iat, exp } = body as { iat: number; exp: number };
    expect(body).toMatchObject({
      active: true,
      iss: ISSUER,
      sub: PERSON,
      aud: GATEWAY,
      client_id: clientId,
      token_type: "Bearer",
      jti: expect.stringMatching(/^tok_/),
      acr: "urn:example:strong",
      amr: ["pwd", "otp"],
      auth_time: expect.any(Number),
      department: "books",
    });
    expect(exp - iat).toBe(3_600);
    expect(body).not.toHaveProperty("chain");
  });

  test("shows the whole chain of actors, in a JWT and in an opaque token alike", async () => {
    const { access_token } = await signedIn(product);
    const jwt = (await exchanged(product, "gateway", access_token)).access_token;
    const opaque = (await exchanged(product, "ledger", jwt)).access_token;
    expect(await introspect(jwt)).toMatchObject({
      active: true,
      aud: LEDGER,
      client_id: "gateway",
      act: { sub: "agent" },
    });
    expect(await introspect(opaque)).toMatchObject({
      client_id: "ledger",
      sub: PERSON,
      act: { sub: "gateway", act: { sub: "agent" } },
    });
  });

  test("20. tells an app of the tokens for its resources alone", async () => {
    const { access_token } = await signedIn(product);
    const forLedger = (await exchanged(product, "gateway", access_token)).access_token;
    expect(await introspect(access_token, "resource-server")).toEqual({ active: false });
    expect(await introspect(forLedger, "resource-server")).toMatchObject({ active: true });
  });
});

describe("revocation", () => {
  test.each(["agent", "opaque-agent"])("%s ends its access token with all that came of it, once", async (clientId) => {
    const { access_token, refresh_token } = await signedIn(product, { clientId });
    const descendant = (await exchanged(product, "gateway", access_token)).access_token;
    const known = (await revocations()).map(({ id }) => id);
    for (let n = 0; n < 2; n++) expect((await revoke(access_token, clientId)).status).toBe(200);
    expect([await isActive(access_token), await isActive(descendant)]).toEqual([false, false]);
    expect(await introspect(descendant)).toEqual({ active: false });
    // The sign-in itself goes on.
    expect((await askToken(product, clientId, refreshForm(refresh_token))).status).toBe(200);
    const events = (await revocations()).filter(({ id }) => !known.includes(id));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ actor: clientId, agent: clientId, user: PERSON, outcome: "success" });
    expect(events[0]?.details).toMatchObject({ clientId, tokenId: expect.stringMatching(/^tok_/) });
  });

  test("a refresh token ends the whole chain", async () => {
    const { access_token, refresh_token } = await signedIn(product);
    const descendant = (await exchanged(product, "gateway", access_token)).access_token;
    const other = (await signedIn(product)).access_token;
    const { chain } = decodeJwt<{ chain: { id: string } }>(access_token);
    for (let n = 0; n < 2; n++) expect((await revoke(refresh_token, "agent")).status).toBe(200);
    expect([await isActive(access_token), await isActive(descendant)]).toEqual([false, false]);
    expect((await askToken(product, "agent", refreshForm(refresh_token))).status).toBe(400);
    expect(await isActive(other)).toBe(true);
    const events = (await revocations()).filter(({ details }) => details?.chainId === chain.id);
    expect(events.map(({ details }) => details)).toEqual([{ clientId: "agent", chainId: chain.id }]);
  });

  test("a refresh token that has a successor ends the chain as well", async () => {
    const { refresh_token } = await signedIn(product);
    const next = await askToken(product, "agent", refreshForm(refresh_token));
    const { access_token } = next.body as { access_token: string };
    await revoke(refresh_token, "agent");
    expect(await isActive(access_token)).toBe(false);
  });

  test("a public client revokes what is its own by its name", async () => {
    const clientId = PUBLIC_AGENT.clientID;
    const { code } = await startChain(product, { clientId });
    const answer = await postTo(product, "/oauth2/token", codeForm(code, { client_id: clientId }));
    const { access_token, refresh_token } = answer.body as { access_token: string; refresh_token: string };
    const form = { token: refresh_token, client_id: clientId };
    expect((await postTo(product, "/oauth2/revoke", form)).status).toBe(200);
    expect(await isActive(access_token)).toBe(false);
  });

  test("another client's tokens of every kind are left alone without a word", async () => {
    const { access_token, refresh_token } = await signedIn(product);
    const opaque = await signedIn(product, { clientId: "opaque-agent" });
    const before = (await revocations()).length;
    for (const token of [access_token, refresh_token, opaque.access_token]) {
      expect(await revoke(token, "gateway")).toMatchObject({ status: 200, body: undefined });
    }
    expect([await isActive(access_token), await isActive(opaque.access_token)]).toEqual([true, true]);
    expect((await askToken(product, "agent", refreshForm(refresh_token))).status).toBe(200);
    expect(await revocations()).toHaveLength(before);
  });
});
