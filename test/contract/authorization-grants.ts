import { describe, expect, test } from "vitest";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { authorizationCode, consent, grantOn, HOUR, redemptionOf, referenceOf } from "./grant-records.ts";
import {
  expectEnded,
  givenConsent,
  idsOf,
  recordedOf,
  redeemedChain,
  revokeConsent,
  startedChain,
} from "./grant-workings.ts";
import { auditEvent, MINUTE } from "./records.ts";

/** Chains that people start, and their codes. */
export function authorizationGrantsContract(engine: StoreEngine): void {
  describe(`authorization codes on ${engine.name}`, () => {
    const opened = openedStores(engine);

    test("a chain and its code read as they were started, until the code's expiry by the caller's clock", async () => {
      const { grants } = opened.stores;
      const { grant, code, reference } = await startedChain(opened.stores);
      expect(await grants.grant(grant.chainId, Date.now())).toEqual(grant);
      expect(await grants.code(reference, code.expiresAt - 1)).toEqual({ code, grant, isUsed: false });
      expect(await grants.code(reference, code.expiresAt)).toBeUndefined();
      expect(await grants.grant(grant.chainId, grant.expiresAt - 1)).toEqual(grant);
      expect(await grants.grant(grant.chainId, grant.expiresAt)).toBeUndefined();
      expect(await grants.code(reference, code.expiresAt - MINUTE)).toEqual({ code, grant, isUsed: false });
    });

    test("what nobody started is not found", async () => {
      const { grants } = opened.stores;
      const { grant } = await startedChain(opened.stores);
      const unknown = grantOn(consent());
      for (const chainId of [unknown.chainId, "chain_", "chain_zz", "", grant.chainId.slice(0, -1)]) {
        expect(await grants.grant(chainId, Date.now())).toBeUndefined();
      }
      const reference = referenceOf(grant);
      expect(await grants.code(reference, Date.now())).toBeUndefined();
      expect(await grants.refreshToken(reference, Date.now())).toBeUndefined();
      expect(await grants.redeem(redemptionOf(grant, reference))).toBe("ended");
    });

    test("a redemption brings access token, refresh token and event, and leaves the code used", async () => {
      const { grants, tokens } = opened.stores;
      const { grant, code, reference, redemption } = await redeemedChain(opened.stores);
      const { accessToken, refreshToken, event, now } = redemption;
      expect(await tokens.introspect(accessToken.reference, now)).toEqual(accessToken.token);
      const found = { refreshToken: refreshToken.record, grant };
      expect(await grants.refreshToken(refreshToken.reference, now)).toEqual(found);
      expect(await grants.code(reference, now)).toEqual({ code, grant, isUsed: true });
      expect(await recordedOf(opened.stores, grant, "token.issued", 1)).toEqual([event.id]);
    });

    test("a redemption may bring a JWT and no refresh token: it leaves its event", async () => {
      const { grants, tokens } = opened.stores;
      const { grant, reference } = await startedChain(opened.stores);
      const { accessToken, refreshToken, ...redemption } = redemptionOf(grant, reference);
      expect(await grants.redeem(redemption)).toBe("redeemed");
      expect(await tokens.introspect(accessToken.reference, redemption.now)).toBeUndefined();
      expect(await tokens.isLive(accessToken.token)).toBe(true);
      expect(await grants.refreshToken(refreshToken.reference, redemption.now)).toBeUndefined();
      expect(await recordedOf(opened.stores, grant, "token.issued", 1)).toEqual([redemption.event.id]);
    });

    test("13. a second redemption is refused and ends the chain, with its record", async () => {
      const first = await redeemedChain(opened.stores);
      const second = redemptionOf(first.grant, first.reference);
      expect(await opened.stores.grants.redeem(second)).toBe("reused");
      await expectEnded(opened.stores, first, first.redemption);
      await expectEnded(opened.stores, first, second);
      expect(await opened.stores.grants.redeem(redemptionOf(first.grant, first.reference))).toBe("ended");
      expect(await recordedOf(opened.stores, first.grant, "token.revoked", 1)).toEqual([second.reuseEvent.id]);
      expect(await recordedOf(opened.stores, first.grant, "token.issued", 1)).toEqual([first.redemption.event.id]);
    });

    test("13. of 50 parallel redemptions of a code one succeeds, and the chain is ended", async () => {
      const started = await startedChain(opened.stores);
      const redemptions = Array.from({ length: 50 }, () => redemptionOf(started.grant, started.reference));
      const results = await Promise.all(redemptions.map((one) => opened.stores.grants.redeem(one)));
      expect(results.filter((result) => result === "redeemed")).toHaveLength(1);
      expect(results).toContain("reused");
      for (const redemption of redemptions) await expectEnded(opened.stores, started, redemption);
      const winner = redemptions.filter((_, i) => results[i] === "redeemed").map(({ event }) => event);
      expect(await recordedOf(opened.stores, started.grant, "token.issued", 1)).toEqual(idsOf(winner));
    });

    test("13. the same redemption again, as after a lost answer, is the same and ends nothing", async () => {
      const { grant, redemption } = await redeemedChain(opened.stores);
      expect(await opened.stores.grants.redeem(redemption)).toBe("redeemed");
      const { accessToken, refreshToken, event, now } = redemption;
      expect(await opened.stores.tokens.introspect(accessToken.reference, now)).toEqual(accessToken.token);
      expect(await opened.stores.grants.refreshToken(refreshToken.reference, now)).toBeDefined();
      expect(await recordedOf(opened.stores, grant, "token.issued", 1)).toEqual([event.id]);
    });

    test("13. a used code stays known for the margin after its expiry, and its second use ends the chain", async () => {
      const { grants } = opened.stores;
      const [last, late] = [await redeemedChain(opened.stores), await redeemedChain(opened.stores)];
      const { grant, code, reference, redemption } = last;
      const forgotten = code.expiresAt + EXPIRY_MARGIN;
      for (const now of [code.expiresAt, forgotten - 1]) {
        expect(await grants.code(reference, now)).toEqual({ code, grant, isUsed: true });
        expect(await grants.redeem({ ...redemption, now })).toBe("redeemed");
      }
      expect(await grants.redeem(redemptionOf(grant, reference, forgotten - 1))).toBe("reused");
      await expectEnded(opened.stores, last, redemption);
      const afterwards = late.code.expiresAt + EXPIRY_MARGIN;
      expect(await grants.code(late.reference, afterwards)).toBeUndefined();
      expect(await grants.redeem(redemptionOf(late.grant, late.reference, afterwards))).toBe("ended");
      expect(await grants.grant(late.grant.chainId, afterwards)).toEqual(late.grant);
    });

    test("an expired code is refused and leaves nothing, and so does the code of an expired chain", async () => {
      const { grants, tokens } = opened.stores;
      const now = Date.now();
      const chains = [
        await startedChain(opened.stores, { code: { expiresAt: now } }),
        await startedChain(opened.stores, { grant: { expiresAt: now } }),
      ];
      for (const { grant, reference } of chains) {
        const { accessToken, ...late } = redemptionOf(grant, reference, now);
        expect(await grants.redeem({ ...late, accessToken })).toBe("ended");
        expect(await tokens.introspect(accessToken.reference, now)).toBeUndefined();
        const early = redemptionOf(grant, reference, now - 1);
        expect(await grants.redeem(early)).toBe("redeemed");
      }
    });

    test("18. a consent that is taken back ends every chain on it, and starts no other", async () => {
      const { grants } = opened.stores;
      const first = await redeemedChain(opened.stores);
      const [second, third] = [grantOn(first.consent), grantOn(first.consent)];
      const code = authorizationCode();
      expect(await grants.start(second, code, referenceOf(second))).toBe(true);
      expect(await revokeConsent(opened.stores, first.consent)).toBe(true);
      await expectEnded(opened.stores, first, first.redemption);
      expect(await grants.grant(second.chainId, Date.now())).toBeUndefined();
      const reference = referenceOf(third);
      expect(await grants.start(third, code, reference)).toBe(false);
      expect(await grants.code(reference, Date.now())).toBeUndefined();

      const { subject, clientId } = first.consent;
      const anew = grantOn(await givenConsent(opened.stores, { subject, clientId }));
      expect(await grants.start(anew, code, referenceOf(anew))).toBe(true);
      expect(await grants.grant(first.grant.chainId, Date.now())).toBeUndefined();
    });

    test("18. redemption against the end of the consent: nothing of it is alive afterwards", async () => {
      for (let round = 0; round < 10; round++) {
        const started = await startedChain(opened.stores);
        const redemption = redemptionOf(started.grant, started.reference);
        const redeem = () => opened.stores.grants.redeem(redemption);
        const revoke = () => revokeConsent(opened.stores, started.consent);
        const [first, second] = round % 2 === 0 ? [redeem, revoke] : [revoke, redeem];
        await Promise.all([first(), second()]);
        await expectEnded(opened.stores, started, redemption);
      }
    });

    test("18. start against the end of the consent: a chain that was started is ended", async () => {
      for (let round = 0; round < 10; round++) {
        const given = await givenConsent(opened.stores);
        const grant = grantOn(given);
        const start = opened.stores.grants.start(grant, authorizationCode(), referenceOf(grant));
        await Promise.all([start, revokeConsent(opened.stores, given)]);
        expect(await opened.stores.grants.grant(grant.chainId, Date.now())).toBeUndefined();
      }
    });

    test("18. the end of a chain ends its code, tokens and grant, and leaves the consent's other chains alone", async () => {
      const first = await redeemedChain(opened.stores);
      const { grants, tokens } = opened.stores;
      const other = grantOn(first.consent);
      expect(await grants.start(other, authorizationCode(), referenceOf(other))).toBe(true);
      const { chainId, consentId, expiresAt, organizationId } = first.grant;
      const ending = { what: "chain", lineage: { chainId, consentId }, expiresAt } as const;
      const event = auditEvent({ type: "token.revoked", organizationId });
      expect(await tokens.end({ ...ending, event })).toBe(true);
      expect(await tokens.end({ ...ending, event: auditEvent({ organizationId }) })).toBe(false);
      await expectEnded(opened.stores, first, first.redemption);
      expect(await grants.grant(other.chainId, Date.now())).toEqual(other);
      expect(await recordedOf(opened.stores, first.grant, "token.revoked", 1)).toEqual([event.id]);
    });

    test("chains, used codes and ends survive a restart, and what expired long ago is deleted", async () => {
      const [used, ended] = [await redeemedChain(opened.stores), await redeemedChain(opened.stores)];
      expect(await revokeConsent(opened.stores, ended.consent)).toBe(true);
      const long = Date.now() - 2 * HOUR;
      await startedChain(opened.stores, { grant: { createdAt: long, expiresAt: long }, code: { expiresAt: long } });
      await opened.reopen();
      await opened.housekeep();
      const { grant, code, reference, redemption } = used;
      expect(await opened.stores.grants.code(reference, redemption.now)).toEqual({ code, grant, isUsed: true });
      await expectEnded(opened.stores, ended, ended.redemption);
      expect(await opened.stores.grants.redeem(redemptionOf(grant, reference))).toBe("reused");
      await expectEnded(opened.stores, used, redemption);
    });
  });
}
