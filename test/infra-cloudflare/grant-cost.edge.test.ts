import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import {
  authorizationCode,
  consent,
  consentEvent,
  grantOn,
  interaction,
  redemptionOf,
  referenceOf,
  rotationOf,
} from "../contract/grant-records.ts";
import { auditEvent } from "../contract/records.ts";
import { type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION } from "./support/token-requests.ts";

/** Everything is billed by calls of objects and written rows. */
describe("what a sign-in costs on Cloudflare", () => {
  let it: OpenFaultyProduct;
  let stores: Stores;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION);
    stores = it.stores();
  });
  afterAll(() => it.close());

  /** Rows and calls of one step. What is delivered after the answer, and alarms, are counted nowhere here. */
  const costOf = async (step: () => Promise<unknown>) => {
    await step();
    const { calls, rows } = await it.counted();
    const written = Object.entries(rows).filter(([label]) =>
      /^TokenShard: (INSERT|UPDATE|DELETE FROM (interactions|consents))/.test(label),
    );
    const asked = calls.filter((call) => call.startsWith("TOKEN_SHARDS."));
    return { rows: written.reduce((sum, [, count]) => sum + count, 0), calls: asked.length };
  };

  test("each step is one call and a few rows, and checks are one call and none", async () => {
    const begun = interaction();
    const given = consent();
    const grant = grantOn(given);
    const reference = referenceOf(grant);
    const redemption = redemptionOf(grant, reference);
    const rotation = rotationOf(grant, redemption.refreshToken.reference);
    const { accessToken, refreshToken, now } = redemption;
    const exchanged = { ...redemptionOf(grant, reference).accessToken, event: auditEvent() };
    const end = consentEvent(given, "consent.revoked");
    // The first call makes an object's tables.
    await stores.grants.interaction(begun.interactionHash, now);
    await stores.grants.code(reference, now);
    await it.counted();
    const steps = {
      begin: () => stores.grants.begin(begun),
      advance: () => stores.grants.advance({ ...begun, revision: 2, content: { step: "callback" } }, now),
      finish: () => stores.grants.finish(begun.interactionHash, 2, now),
      giveConsent: () => stores.grants.giveConsent(given, consentEvent(given, "consent.given")),
      start: () => stores.grants.start(grant, authorizationCode(), reference),
      code: () => stores.grants.code(reference, now),
      redeem: () => stores.grants.redeem(redemption),
      rotate: () => stores.grants.rotate(rotation),
      exchange: () => stores.tokens.exchange(exchanged),
      exchangeToJwt: () => stores.tokens.exchange({ token: exchanged.token, event: exchanged.event }),
      introspect: () => stores.tokens.introspect(accessToken.reference, now),
      isLive: () => stores.tokens.isLive(accessToken.token),
      refreshToken: () => stores.grants.refreshToken(refreshToken.reference, now),
      revokeConsent: () => stores.grants.revokeConsent(given.subject, given.clientId, end),
    };
    const costs: Record<string, { readonly rows: number; readonly calls: number }> = {};
    for (const [name, step] of Object.entries(steps)) costs[name] = await costOf(step);
    expect(costs).toEqual({
      begin: { rows: 3, calls: 1 },
      advance: { rows: 2, calls: 1 },
      finish: { rows: 1, calls: 1 },
      giveConsent: { rows: 6, calls: 1 },
      start: { rows: 6, calls: 1 },
      code: { rows: 0, calls: 1 },
      redeem: { rows: 11, calls: 1 },
      rotate: { rows: 10, calls: 1 },
      exchange: { rows: 6, calls: 1 },
      exchangeToJwt: { rows: 3, calls: 1 },
      introspect: { rows: 0, calls: 1 },
      isLive: { rows: 0, calls: 1 },
      refreshToken: { rows: 0, calls: 1 },
      revokeConsent: { rows: 5, calls: 1 },
    });
  });
});
