import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import type { Parameters } from "../behaviour/fixture.ts";
import { askToken, exchanged, exchangeForm, postTo, signedIn, startWithApps, tokensOf } from "../support/chains.ts";
import { type InProcess, ISSUER, START } from "../support/in-process.ts";
import { EXCHANGER, GATEWAY, LEDGER, OAUTH_APPS, secretOf } from "../support/oauth-apps.ts";

const PUBLIC_EXCHANGER = { ...EXCHANGER, clientID: "public-exchanger", isPublic: true, secrets: [] };
const MANAGEMENT = `${ISSUER}/api/v1`;
const CARELESS = {
  ...EXCHANGER,
  clientID: "careless",
  secrets: [secretOf("careless")],
  allowedAudiences: [MANAGEMENT, LEDGER],
  scopes: ["openid", "audit:read", "ledger:read"],
};

describe("bounds of an exchange", () => {
  let product: InProcess;
  let subjectToken: string;
  beforeAll(async () => {
    product = await startWithApps({ apps: [...OAUTH_APPS, PUBLIC_EXCHANGER, CARELESS] });
    subjectToken = (await signedIn(product)).access_token;
  });
  afterAll(() => product.close());

  const refused = async (more: Parameters, error: string, client = "gateway") => {
    const answer = await askToken(product, client, exchangeForm(subjectToken, more));
    expect(answer).toMatchObject({ status: 400, body: { error } });
  };

  test("16. scopes are those of the caller's registration, whatever the subject has, and none when none is asked", async () => {
    const { scope, issued_token_type } = await exchanged(product, "gateway", subjectToken, { scope: "ledger:read" });
    expect({ scope, issued_token_type }).toEqual({
      scope: "ledger:read",
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    });
    const none = await exchanged(product, "gateway", subjectToken);
    expect(none.scope).toBeUndefined();
    expect(decodeJwt(none.access_token)).not.toHaveProperty("scope");
    await refused({ scope: "tools:read" }, "invalid_scope");
    await refused({ scope: "ledger:read ledger:admin" }, "invalid_scope");
    await refused({ scope: "ledger:read  ledger:write" }, "invalid_scope");
  });

  test("16. an exchanged token opens neither userinfo nor the management API", async () => {
    await refused({ scope: "openid" }, "invalid_scope", "careless");
    await refused({ scope: "audit:read" }, "invalid_scope", "careless");
    await refused({ audience: MANAGEMENT }, "invalid_target", "careless");
  });

  test("16. the target is one of the caller's audiences, by audience, resource or both", async () => {
    const targets: Parameters[] = [{ audience: LEDGER }, { audience: "", resource: LEDGER }, { resource: LEDGER }];
    for (const target of targets) {
      const { access_token } = await exchanged(product, "gateway", subjectToken, target);
      expect(decodeJwt(access_token).aud).toBe(LEDGER);
    }
    await refused({ audience: "" }, "invalid_target");
    await refused({ audience: "https://other.example" }, "invalid_target");
    await refused({ audience: `${LEDGER}/` }, "invalid_target");
    await refused({ resource: GATEWAY }, "invalid_target");
  });

  test("16. two audiences are a malformed request", async () => {
    const body = `${new URLSearchParams(exchangeForm(subjectToken))}&audience=x`;
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    expect((await product.send("/oauth2/token", { method: "POST", headers, body })).status).toBe(400);
  });

  test("16. the lifetime is the shortest of subject, registration and request", async () => {
    expect((await exchanged(product, "gateway", subjectToken)).expires_in).toBe(3600);
    expect((await exchanged(product, "gateway", subjectToken, { requested_expires_in: "60" })).expires_in).toBe(60);
    const longer = await exchanged(product, "gateway", subjectToken, { requested_expires_in: "99999999" });
    expect(longer.expires_in).toBe(3600);
    expect((await exchanged(product, "impersonator", subjectToken)).expires_in).toBe(300);
    product.clock.set(START + 3_590_000);
    const late = await exchanged(product, "gateway", subjectToken);
    expect(late.expires_in).toBe(10);
    expect(decodeJwt(late.access_token).exp).toBe(decodeJwt(subjectToken).exp);
    product.clock.set(START + 3_599_500);
    await refused({}, "invalid_request");
    product.clock.set(START);
  });

  test.each(["0", "-1", "1.5", "1e3", "soon", "1234567890"])(
    "16. requested_expires_in=%s is refused",
    async (value) => {
      await refused({ requested_expires_in: value }, "invalid_request");
    },
  );

  test("16. types that are not issued or not what was sent are refused", async () => {
    await refused({ requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" }, "invalid_request");
    await refused({ requested_token_type: "urn:ietf:params:oauth:token-type:id_token" }, "invalid_request");
    await refused({ subject_token_type: "urn:ietf:params:oauth:token-type:id_token" }, "invalid_request");
    await refused({ subject_token_type: "" }, "invalid_request");
    await refused({ actor_token_type: "urn:ietf:params:oauth:token-type:jwt" }, "invalid_request");
    await refused({ actor_token: subjectToken }, "invalid_request");
    await refused({ requested_mode: "proxy" }, "invalid_request");
  });

  test("16. an opaque token is no JWT, and a JWT may be called one; either may be asked for", async () => {
    const jwt = "urn:ietf:params:oauth:token-type:jwt";
    const ledgers = await exchanged(product, "gateway", subjectToken, { subject_token_type: jwt });
    const opaque = await exchanged(product, "ledger", ledgers.access_token, { audience: LEDGER });
    expect(opaque.access_token).toMatch(/^cst_us_/);
    const again = exchangeForm(opaque.access_token, { subject_token_type: jwt });
    expect(await askToken(product, "ledger", again)).toMatchObject({ body: { error: "invalid_request" } });
    const asJwt = await exchanged(product, "ledger", opaque.access_token, { requested_token_type: jwt });
    expect(asJwt).toMatchObject({ issued_token_type: jwt, access_token: expect.stringMatching(/^ey/) });
  });

  test("16. a subject token that is meant for somebody else is refused", async () => {
    const { access_token } = await exchanged(product, "gateway", subjectToken);
    const answer = await askToken(product, "gateway", exchangeForm(access_token));
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await activeToken(access_token, product.dependencies)).toBeDefined();
  });

  test("16. clients without the grant, public ones and strangers exchange nothing", async () => {
    await refused({}, "unauthorized_client", "agent");
    const form = exchangeForm(subjectToken, { client_id: "public-exchanger" });
    expect(await postTo(product, "/oauth2/token", form)).toMatchObject({ body: { error: "unauthorized_client" } });
    const wrong = exchangeForm(subjectToken, { client_id: "gateway", client_secret: "wrong" });
    expect(await postTo(product, "/oauth2/token", wrong)).toMatchObject({ body: { error: "invalid_client" } });
    const nobody = await postTo(product, "/oauth2/token", exchangeForm(subjectToken));
    expect(nobody).toMatchObject({ body: { error: "invalid_request" } });
  });

  test("16. the client authenticates by its secret in the form as well", async () => {
    const form = exchangeForm(subjectToken, { client_id: "gateway", client_secret: secretOf("gateway") });
    expect(tokensOf(await postTo(product, "/oauth2/token", form)).access_token).toMatch(/^ey/);
  });
});
