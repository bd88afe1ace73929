import { decodeJwt, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertionParameters, type Parameters } from "../behaviour/fixture.ts";
import { askToken, exchangeForm, postTo, startWithApps, tokensOf } from "../support/chains.ts";
import { type InProcess, ISSUER } from "../support/in-process.ts";
import { EXCHANGER, GATEWAY, LEDGER, oidcApp, secretOf } from "../support/oauth-apps.ts";
import { newKey } from "./clients/started.ts";

const GRANT = { grant_type: "client_credentials" };
const MANAGEMENT = `${ISSUER}/api/v1`;
const JOB = oidcApp("job", {
  grantTypes: ["client_credentials", "refresh_token"],
  allowedAudiences: [GATEWAY, LEDGER, MANAGEMENT],
  scopes: ["openid", "email", "offline_access", "jobs:run", "jobs:read", "audit:read"],
  claimsMapping: { department: "corp.department" },
});
const ONE = { ...JOB, clientID: "one", secrets: [secretOf("one")], allowedAudiences: [LEDGER, MANAGEMENT] };
const NONE = { ...ONE, clientID: "none", secrets: [secretOf("none")], allowedAudiences: [MANAGEMENT] };
const OPAQUE = {
  ...ONE,
  clientID: "opaque",
  name: "opaque",
  secrets: [secretOf("opaque")],
  accessToken: { type: "opaque" as const, lifetime: 60_000 },
};

describe("an app that acts for itself", () => {
  let product: InProcess;
  let key: Awaited<ReturnType<typeof newKey>>;
  beforeAll(async () => {
    key = await newKey();
    const signs = { ...ONE, clientID: "signs", secrets: [], jwks: [key.jwk] };
    const without = { ...signs, clientID: "signs-without", grantTypes: [] };
    const isPublic = { ...signs, clientID: "public", jwks: [], isPublic: true };
    product = await startWithApps({ apps: [isPublic, JOB, ONE, NONE, OPAQUE, EXCHANGER, signs, without] });
  });
  afterAll(() => product.close());

  const ask = (clientId: string, form: Parameters = {}) => askToken(product, clientId, { ...GRANT, ...form });
  const signed = async (clientId: string) => {
    const now = Math.floor(product.clock.now() / 1_000);
    const claims = { iss: clientId, sub: clientId, aud: ISSUER, exp: now + 60, jti: crypto.randomUUID() };
    return assertionParameters(await new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(key.privateKey));
  };

  test("gets a token that names itself alone, by Basic and in the form, and no refresh token", async () => {
    const form = { ...GRANT, resource: LEDGER, scope: "jobs:run jobs:read" };
    const posted = { ...form, client_id: "job", client_secret: secretOf("job") };
    for (const answer of [await ask("job", form), await postTo(product, "/oauth2/token", posted)]) {
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      const { access_token, ...others } = tokensOf(answer);
      expect(others).toEqual({ token_type: "Bearer", expires_in: 3600, scope: "jobs:run jobs:read" });
      const { iat = 0, exp = 0, jti, chain, ...claims } = decodeJwt(access_token);
      expect(exp - iat).toBe(3600);
      expect(claims).toEqual({
        ...{ iss: ISSUER, sub: "job", client_id: "job", aud: LEDGER, scope: "jobs:run jobs:read" },
      });
    }
  });

  test.each([
    ["the only one by default", "one", {}, LEDGER],
    ["resource", "job", { resource: LEDGER }, LEDGER],
    ["audience", "job", { audience: GATEWAY }, GATEWAY],
    ["both, if they are equal", "job", { audience: GATEWAY, resource: GATEWAY }, GATEWAY],
  ])("takes its audience from %s", async (_, clientId, form, audience) => {
    const { access_token, scope } = tokensOf(await ask(clientId, form));
    expect(decodeJwt(access_token).aud).toBe(audience);
    expect(scope).toBeUndefined();
  });

  test.each([
    ["several audiences and none named", "job", {}, "invalid_target"],
    ["an audience of others", "one", { resource: GATEWAY }, "invalid_target"],
    ["two audiences", "job", { resource: GATEWAY, audience: LEDGER }, "invalid_target"],
    ["the management API, which is configured", "job", { resource: MANAGEMENT }, "invalid_target"],
    ["nothing but the management API", "none", {}, "invalid_target"],
    ["openid", "one", { scope: "jobs:run openid" }, "invalid_scope"],
    ["email", "one", { scope: "email" }, "invalid_scope"],
    ["offline_access", "one", { scope: "offline_access" }, "invalid_scope"],
    ["a management scope", "one", { scope: "audit:read" }, "invalid_scope"],
    ["a scope of others", "one", { scope: "jobs:run ledger:read" }, "invalid_scope"],
    ["a malformed scope", "one", { scope: 'jobs:run "' }, "invalid_scope"],
  ])("is refused with %s", async (_, clientId, form, error) => {
    expect(await ask(clientId, form)).toMatchObject({ status: 400, body: { error } });
  });

  test("authenticates by its key where it has one, and each assertion counts once", async () => {
    const form = { ...GRANT, ...(await signed("signs")) };
    expect(decodeJwt(tokensOf(await postTo(product, "/oauth2/token", form)).access_token).sub).toBe("signs");
    expect(await postTo(product, "/oauth2/token", form)).toMatchObject({
      ...{ status: 400, body: { error: "invalid_client", error_description: "replayed JWT" } },
    });
    const other = { ...GRANT, ...(await signed("signs-without")) };
    expect(await postTo(product, "/oauth2/token", other)).toMatchObject({
      ...{ status: 400, body: { error: "invalid_client", error_description: "invalid client" } },
    });
  });

  test("is told what is accepted when it does not authenticate, and so is a public client", async () => {
    const named = (client_id: string) => postTo(product, "/oauth2/token", { ...GRANT, client_id });
    expect(await named("job")).toMatchObject({
      status: 400,
      body: { error: "invalid_client", error_description: expect.stringContaining("accepted, as the client is") },
    });
    const secrets: readonly Parameters[] = [
      { client_id: "job", client_secret: "x" },
      { client_id: "nobody", client_secret: "x" },
      { client_secret: "x" },
    ];
    for (const form of secrets) {
      expect(await postTo(product, "/oauth2/token", { ...GRANT, ...form })).toMatchObject({
        status: 400,
        body: { error: "invalid_client", error_description: expect.stringContaining("accepted, as the client is") },
      });
    }
    expect(await named("public")).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
    expect(await postTo(product, "/oauth2/token", GRANT)).toMatchObject({ body: { error: "invalid_request" } });
  });

  test("leaves a record with grant and app, and an opaque token that can be looked up and ended", async () => {
    const { access_token: token, expires_in } = tokensOf(await ask("opaque"));
    expect(expires_in).toBe(60);
    const authenticated = (path: string) =>
      postTo(product, path, { token, client_id: "opaque", client_secret: secretOf("opaque") });
    expect((await authenticated("/oauth2/introspect")).body).toMatchObject({
      ...{ active: true, sub: "opaque", client_id: "opaque", aud: LEDGER },
    });
    await product.settled();
    const { stores } = product.dependencies;
    const organizationId = (await stores.directory.firstOrganization())?.organizationId as string;
    const filter = { organizationId, type: "token.issued" as const, agent: "opaque" };
    const [record] = (await stores.auditLog.query(filter, { limit: 10 })).items;
    expect(record).toMatchObject({ app: OPAQUE.name, outcome: "success", details: GRANT_DETAILS });
    expect(record).not.toHaveProperty("user");
    await authenticated("/oauth2/revoke");
    expect((await authenticated("/oauth2/introspect")).body).toEqual({ active: false });
  });

  test("leaves one record of each kind of refusal and a count of what follows, and strangers leave one without an actor", async () => {
    const { stores, refusals, clock } = product.dependencies;
    await refusals.flush();
    const before = clock.now();
    product.clock.set(before + 1);
    for (let i = 0; i < 5; i++) {
      await ask("opaque", { resource: GATEWAY });
      const wrong = { client_id: "opaque", client_secret: `wrong ${i}` };
      await postTo(product, "/oauth2/token", { ...GRANT, ...wrong });
      await postTo(product, "/oauth2/token", { ...GRANT, ...wrong, client_id: "nobody" });
      await product.settled();
    }
    await refusals.flush();
    const organizationId = (await stores.directory.firstOrganization())?.organizationId as string;
    const filter = { organizationId, type: "token.refused" as const, agent: "opaque", from: before + 1 };
    const { items } = await stores.auditLog.query(filter, { limit: 100 });
    const target = "the client may not ask for this target; accepted: one of its allowedAudiences";
    const [proven, stranger] = [`opaque: ${target}`, "undefined: client authentication failed"];
    expect(items.map(({ actor, reason, count }) => `${actor}: ${reason}: ${count}`).sort()).toEqual(
      [`${proven}: 4`, `${proven}: undefined`, `${stranger}: 4`, `${stranger}: undefined`].sort(),
    );
    for (const record of items) expect(record).toMatchObject({ app: OPAQUE.name, details: GRANT_DETAILS });
    expect(JSON.stringify(items)).not.toContain("wrong");
    const all = await stores.auditLog.query({ organizationId, type: "token.refused" }, { limit: 100 });
    expect(JSON.stringify(all.items)).not.toContain("nobody");
  });

  test("is the subject of an exchange, and acts for itself", async () => {
    const { access_token } = tokensOf(await ask("job", { resource: GATEWAY }));
    const exchanged = tokensOf(await askToken(product, "gateway", exchangeForm(access_token)));
    const claims = decodeJwt(exchanged.access_token);
    expect(claims).toMatchObject({ sub: "job", act: { sub: "job" }, client_id: "gateway" });
    expect(claims).not.toHaveProperty("department");
  });
});

const GRANT_DETAILS = { grantType: "client_credentials", clientId: "opaque" };
