import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import type { Stop } from "../../lib/stores/stops.ts";
import { basic } from "../behaviour/fixture.ts";
import { askToken, exchanged, exchangeForm, PERSON, postTo, signedIn, startWithApps } from "../support/chains.ts";
import { type InProcess, START } from "../support/in-process.ts";
import { LEDGER, secretOf } from "../support/oauth-apps.ts";

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

  test("19. its token has no trace of the agent, and neither has one that is made of it", async () => {
    const { access_token } = await signedIn(product);
    const impersonated = await exchanged(product, "impersonator", access_token, IMPERSONATION);
    const further = await exchanged(product, "impersonator", impersonated.access_token);
    expect(decodeJwt(further.access_token)).toMatchObject({ sub: PERSON, act: { sub: "impersonator" } });
    const { consentId, chainId } = (await activeToken(access_token, product.dependencies)) ?? {};
    for (const token of [impersonated.access_token, further.access_token]) {
      const told = JSON.stringify(decodeJwt(token));
      for (const trace of ['"agent"', consentId, chainId]) expect(told).not.toContain(trace);
      expect(await activeToken(token, product.dependencies)).toMatchObject({
        subject: PERSON,
        agentId: "agent",
        chainId,
      });
    }
  });

  test("19. where its token is stored tells nothing of the agent: the number differs from token to token", async () => {
    const { access_token } = await signedIn(product);
    const shards = new Set<unknown>();
    for (let count = 0; count < 12; count++) {
      const impersonated = await exchanged(product, "impersonator", access_token, IMPERSONATION);
      shards.add(decodeJwt(impersonated.access_token).shard);
    }
    // Twelve random bytes are twelve or nearly so.
    expect(shards.size).toBeGreaterThan(8);
  });

  test("19. it ends with the agent's token, although nothing in it tells of the agent", async () => {
    const { access_token: token } = await signedIn(product);
    const { access_token } = await exchanged(product, "impersonator", token, IMPERSONATION);
    expect(await activeToken(access_token, product.dependencies)).toMatchObject({ subject: PERSON });
    const agent = basic({ clientId: "agent", secret: secretOf("agent") });
    expect((await postTo(product, "/oauth2/revoke", { token }, agent)).status).toBe(200);
    expect(await activeToken(access_token, product.dependencies)).toBeUndefined();
  });

  test("19. it is over while the agent is suspended, although nothing in it tells of the agent", async () => {
    const { stops } = product.dependencies.stores;
    const target = { kind: "agent", id: "agent" } as const;
    const stop: Stop = { stopId: "stop_1", target, state: "suspended", at: START, reason: "test", by: "user_1" };
    const replace = async (stopped: readonly Stop[]) => {
      const { revision } = await stops.readStops();
      const event = { id: `0${revision}`, time: START, type: "stop.placed", outcome: "success" } as const;
      expect(await stops.replaceStops({ revision: revision + 1, stops: stopped }, event)).toBe("done");
    };
    const tokens = await signedIn(product);
    const { access_token } = await exchanged(product, "impersonator", tokens.access_token, IMPERSONATION);
    expect(await activeToken(access_token, product.dependencies)).toMatchObject({ subject: PERSON });
    await replace([stop]);
    expect(await activeToken(access_token, product.dependencies)).toBeUndefined();
    await replace([]);
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
