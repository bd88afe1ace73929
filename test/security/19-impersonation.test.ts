import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askToken, exchanged, exchangeForm, PERSON, signedIn, startWithApps } from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";
import { LEDGER } from "../support/oauth-apps.ts";

const IMPERSONATION = { requested_mode: "impersonation" };

describe("impersonation", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  test("19. a client without the permission gets none", async () => {
    const { access_token } = await signedIn(product);
    const answer = await askToken(product, "gateway", exchangeForm(access_token, IMPERSONATION));
    expect(answer).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
  });

  test("19. it names the person alone and leaves an event of its own", async () => {
    const { access_token } = await signedIn(product);
    const { stores } = product.dependencies;
    const impersonated = await exchanged(product, "impersonator", access_token, IMPERSONATION);
    const claims = decodeJwt(impersonated.access_token);
    expect(claims).toMatchObject({ sub: PERSON, aud: LEDGER, client_id: "impersonator" });
    expect(claims).not.toHaveProperty("act");
    expect(impersonated.expires_in).toBe(300);
    const organizationId = (await stores.directory.firstOrganization())?.organizationId;
    const filter = { organizationId, type: "token.impersonated" };
    const { items } = await stores.auditLog.query(filter, { limit: 10, cursor: undefined });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ actor: "impersonator", agent: "agent", user: PERSON, outcome: "success" });
    expect(items[0]?.details).toMatchObject({ subjectTokenId: decodeJwt(access_token).jti, audience: LEDGER });
  });

  test("19. a token that names an actor is not exchanged for one that does not", async () => {
    const { access_token } = await signedIn(product);
    const delegated = await exchanged(product, "gateway", access_token);
    const answer = await askToken(product, "impersonator", exchangeForm(delegated.access_token, IMPERSONATION));
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("19. ten exchanges are the most, one after the other", async () => {
    let { access_token } = await signedIn(product);
    for (let exchanges = 0; exchanges < 10; exchanges++) {
      access_token = (await exchanged(product, "impersonator", access_token, IMPERSONATION)).access_token;
    }
    for (const more of [IMPERSONATION, {}]) {
      const answer = await askToken(product, "impersonator", exchangeForm(access_token, more));
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
  });

  test("19. without asking for it the same client delegates", async () => {
    const { access_token } = await signedIn(product);
    const { access_token: delegated } = await exchanged(product, "impersonator", access_token);
    expect(decodeJwt(delegated).act).toEqual({ sub: "agent" });
  });
});
