import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  authorizationCode,
  consent,
  consentEvent,
  grantOn,
  interaction,
  redemptionOf,
  referenceOf,
  registeredClient,
  rotationOf,
  signingKey,
} from "../contract/grant-records.ts";
import { idsOf, recordedOf, redeemedChain, startedChain } from "../contract/grant-workings.ts";
import { auditEvent } from "../contract/records.ts";
import { type Fault, type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION } from "./support/token-requests.ts";

const RETRYABLE = { retryable: true } as const;

describe("a step of a sign-in whose answer was lost", () => {
  let it: OpenFaultyProduct;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION);
  });
  beforeEach(async () => {
    await it.set();
    await it.counted();
  });
  afterAll(() => it.close());

  const lost = (method: string, binding: Fault["binding"] = "TOKEN_SHARDS"): Fault => ({
    ...{ binding, method, how: "lose", error: RETRYABLE, times: 2 },
  });
  const made = async (call: string) => (await it.counted()).calls.filter((name) => name === call).length;

  test("13. a redemption is no second use of its code", async () => {
    const stores = it.stores();
    const { grant, reference } = await startedChain(stores);
    const redemption = redemptionOf(grant, reference);
    await it.set(lost("redeem"));
    expect(await stores.grants.redeem(redemption)).toBe("redeemed");
    expect(await made("TOKEN_SHARDS.redeem")).toBe(3);
    const { accessToken, event, now } = redemption;
    expect(await stores.tokens.introspect(accessToken.reference, now)).toEqual(accessToken.token);
    expect(await recordedOf(stores, grant, "token.issued", 1)).toEqual([event.id]);
    expect(await stores.grants.redeem(redemptionOf(grant, reference))).toBe("reused");
  });

  test("15. a rotation is no second use of its refresh token, and neither is its repetition within the grace", async () => {
    const stores = it.stores();
    const { grant, redemption } = await redeemedChain(stores);
    const { reference } = redemption.refreshToken;
    const rotation = rotationOf(grant, reference, { grace: 0 });
    await it.set(lost("rotate"));
    expect(await stores.grants.rotate(rotation)).toEqual({ outcome: "rotated" });
    const again = rotationOf(grant, reference);
    await it.set(lost("rotate"));
    const { sealedSuccessor } = rotation;
    expect(await stores.grants.rotate(again)).toEqual({ outcome: "repeated", sealedSuccessor });
    expect(await made("TOKEN_SHARDS.rotate")).toBe(6);
    for (const { accessToken, now } of [rotation, again]) {
      expect(await stores.tokens.introspect(accessToken.reference, now)).toEqual(accessToken.token);
    }
    const events = await recordedOf(stores, grant, "token.issued", 3);
    expect(events).toEqual(idsOf([redemption.event, rotation.event, again.event]));
  });

  test("a chain is started once, a consent given once, and a token exchanged once", async () => {
    const stores = it.stores();
    const given = consent();
    await it.set(lost("giveConsent"), lost("start"), lost("exchange"), lost("begin"));
    const event = consentEvent(given, "consent.given");
    expect(await stores.grants.giveConsent(given, event)).toEqual(given);
    expect(await recordedOf(stores, event, "consent.given", 1)).toEqual([event.id]);
    const grant = grantOn(given);
    const reference = referenceOf(grant);
    expect(await stores.grants.start(grant, authorizationCode(), reference)).toBe(true);
    const { accessToken } = redemptionOf(grant, reference);
    const { organizationId } = grant;
    const exchanged = auditEvent({ type: "token.exchanged", organizationId });
    expect(await stores.tokens.exchange({ ...accessToken, event: exchanged })).toBe(true);
    expect(await stores.tokens.introspect(accessToken.reference, Date.now())).toEqual(accessToken.token);
    expect(await recordedOf(stores, grant, "token.exchanged", 1)).toEqual([exchanged.id]);
    const begun = interaction();
    await stores.grants.begin(begun);
    expect(await stores.grants.interaction(begun.interactionHash, Date.now())).toEqual(begun);
  });

  test("18. a consent that was taken back meanwhile is not given again by an answer that was lost", async () => {
    const stores = it.stores();
    const given = consent();
    const event = consentEvent(given, "consent.given");
    await stores.grants.giveConsent(given, event);
    const revocation = consentEvent(given, "consent.revoked");
    expect(await stores.grants.revokeConsent(given.subject, given.clientId, revocation)).toBe(true);
    expect(await stores.grants.giveConsent(given, event)).toEqual(given);
    expect(await stores.grants.consent(given.subject, given.clientId)).toBeUndefined();
    const grant = grantOn(given);
    expect(await stores.grants.start(grant, authorizationCode(), referenceOf(grant))).toBe(false);
  });

  test("14. what counts once and does not tell whose it is is asked for once", async () => {
    const stores = it.stores();
    const begun = interaction();
    const { interactionHash } = begun;
    await stores.grants.begin(begun);
    await it.set(
      ...[lost("advance"), lost("finish"), lost("createRegisteredClient")],
      lost("replaceSigningKeys", "REGISTRY"),
    );
    await it.counted();
    const failure = "a fault of the test";
    await expect(stores.grants.advance({ ...begun, revision: 2 }, Date.now())).rejects.toThrow(failure);
    await expect(stores.grants.finish(interactionHash, 2, Date.now())).rejects.toThrow(failure);
    const record = registeredClient();
    await expect(stores.registeredClients.create(record, auditEvent())).rejects.toThrow(failure);
    const keys = [signingKey()];
    await expect(stores.signingKeys.replace(0, keys, auditEvent())).rejects.toThrow(failure);
    const { calls } = await it.counted();
    expect(calls.filter((call) => /advance|finish|createRegistered|replaceSigning/.test(call))).toHaveLength(4);
    expect(await stores.grants.interaction(interactionHash, Date.now())).toBeUndefined();
    expect(await stores.signingKeys.read()).toEqual({ revision: 1, keys });
  });

  test("a record of a registered client is read from its shard once, and a miss each time", async () => {
    const stores = it.stores();
    const record = registeredClient();
    const { clientId } = record;
    for (let i = 0; i < 2; i++) expect(await stores.registeredClients.get(clientId)).toBeUndefined();
    await stores.registeredClients.create(record, auditEvent());
    for (let i = 0; i < 3; i++) expect(await stores.registeredClients.get(clientId)).toEqual(record);
    expect(await made("TOKEN_SHARDS.registeredClient")).toBe(3);
  });

  test("reads are made until they are answered", async () => {
    const stores = it.stores();
    const { grant, consent: given, reference, redemption } = await redeemedChain(stores);
    const { now, refreshToken } = redemption;
    await it.set(
      ...["consent", "consentsOf", "grant", "code", "refreshToken", "interaction", "hasTombstone"].map((method) =>
        lost(method),
      ),
      lost("signingKeys", "REGISTRY"),
    );
    const used = { ...given, subjectName: grant.subjectName, lastUsedAt: now };
    expect(await stores.grants.consent(given.subject, given.clientId)).toEqual(used);
    expect(await stores.grants.consentsOf([given.subject])).toEqual([used]);
    expect(await stores.grants.grant(grant.chainId, now)).toEqual(grant);
    expect((await stores.grants.code(reference, now))?.isUsed).toBe(true);
    expect((await stores.grants.refreshToken(refreshToken.reference, now))?.grant).toEqual(grant);
    expect(await stores.grants.interaction(interaction().interactionHash, now)).toBeUndefined();
    expect(await stores.tokens.isLive(redemption.accessToken.token)).toBe(true);
    expect((await stores.signingKeys.read()).keys).toBeDefined();
  });
});
