import { describe, expect, test } from "vitest";
import { openedStores, type StoreEngine } from "./engine.ts";
import { GRACE, redemptionOf, rotationOf } from "./grant-records.ts";
import { expectEnded, idsOf, recordedOf, redeemedChain, revokeConsent } from "./grant-workings.ts";

/** Families of refresh tokens. */
export function refreshTokensContract(engine: StoreEngine): void {
  describe(`refresh tokens on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const redeemed = async (fields: Parameters<typeof redeemedChain>[1] = {}) => {
      const chain = await redeemedChain(opened.stores, fields);
      return { ...chain, first: chain.redemption.refreshToken };
    };
    const find = (reference: Parameters<typeof opened.stores.grants.refreshToken>[0], now = Date.now()) =>
      opened.stores.grants.refreshToken(reference, now);

    test("a rotation puts a successor in its place and brings an access token, with their event", async () => {
      const { grant, first, redemption } = await redeemed();
      const rotation = rotationOf(grant, first.reference);
      const { successor, accessToken, event, now } = rotation;
      expect(await opened.stores.grants.rotate(rotation)).toEqual({ outcome: "rotated" });
      expect(await find(first.reference, now)).toEqual({ refreshToken: first.record, grant, rotatedAt: now });
      expect(await find(successor.reference, now)).toEqual({ refreshToken: successor.record, grant });
      expect(await opened.stores.tokens.introspect(accessToken.reference, now)).toEqual(accessToken.token);
      const events = await recordedOf(opened.stores, grant, "token.issued", 2);
      expect(events).toEqual(idsOf([redemption.event, event]));
      const next = rotationOf(grant, successor.reference);
      expect(await opened.stores.grants.rotate(next)).toEqual({ outcome: "rotated" });
      expect(await find(next.successor.reference, next.now)).toBeDefined();
    });

    test("a refresh token counts until the millisecond before its expiry, by the caller's clock", async () => {
      const { grant, first } = await redeemed();
      const { expiresAt } = first.record;
      expect(await find(first.reference, expiresAt - 1)).toBeDefined();
      expect(await find(first.reference, expiresAt)).toBeUndefined();
      const late = rotationOf(grant, first.reference, { now: expiresAt });
      expect(await opened.stores.grants.rotate(late)).toEqual({ outcome: "ended" });
      expect(await find(late.successor.reference, expiresAt)).toBeUndefined();
      const early = rotationOf(grant, first.reference, { now: expiresAt - 1 });
      expect(await opened.stores.grants.rotate(early)).toEqual({ outcome: "rotated" });
    });

    test("15. within the grace the old token gets the same successor again, and another access token", async () => {
      const { grants, tokens } = opened.stores;
      const { grant, first } = await redeemed();
      const rotation = rotationOf(grant, first.reference);
      await grants.rotate(rotation);
      const again = rotationOf(grant, first.reference, { now: rotation.now + GRACE - 1 });
      const { sealedSuccessor } = rotation;
      expect(await grants.rotate(again)).toEqual({ outcome: "repeated", sealedSuccessor });
      expect(await find(again.successor.reference)).toBeUndefined();
      expect(await find(rotation.successor.reference)).toBeDefined();
      for (const { accessToken } of [rotation, again]) {
        expect(await tokens.introspect(accessToken.reference, again.now)).toEqual(accessToken.token);
      }
      expect(await recordedOf(opened.stores, grant, "token.issued", 3)).toHaveLength(3);
    });

    test("15. after the grace the old token ends the chain, with its record", async () => {
      const chain = await redeemed();
      const rotation = rotationOf(chain.grant, chain.first.reference);
      await opened.stores.grants.rotate(rotation);
      const late = rotationOf(chain.grant, chain.first.reference, { now: rotation.now + GRACE + 1 });
      expect(await opened.stores.grants.rotate(late)).toEqual({ outcome: "reused" });
      await expectEnded(opened.stores, chain, chain.redemption);
      for (const { successor, accessToken, now } of [rotation, late]) {
        expect(await find(successor.reference, now)).toBeUndefined();
        expect(await opened.stores.tokens.introspect(accessToken.reference, now)).toBeUndefined();
      }
      const successor = rotationOf(chain.grant, rotation.successor.reference);
      expect(await opened.stores.grants.rotate(successor)).toEqual({ outcome: "ended" });
      expect(await recordedOf(opened.stores, chain.grant, "token.revoked", 1)).toEqual([late.reuseEvent.id]);
    });

    test("15. refresh against refresh: of 50 parallel rotations one rotates and the others get its successor", async () => {
      const { grant, first } = await redeemed();
      const rotations = Array.from({ length: 50 }, () => rotationOf(grant, first.reference));
      const results = await Promise.all(rotations.map((one) => opened.stores.grants.rotate(one)));
      const winners = rotations.filter((_, i) => results[i]?.outcome === "rotated");
      expect(winners).toHaveLength(1);
      const [winner] = winners;
      const repeated = results.filter(({ outcome }) => outcome === "repeated");
      expect(repeated).toHaveLength(49);
      for (const result of repeated) expect(result).toMatchObject({ sealedSuccessor: winner?.sealedSuccessor });
      const found = await Promise.all(rotations.map(({ successor }) => find(successor.reference)));
      expect(found.filter((one) => one !== undefined)).toHaveLength(1);
      const active = rotations.map(({ accessToken, now }) =>
        opened.stores.tokens.introspect(accessToken.reference, now),
      );
      expect((await Promise.all(active)).filter((token) => token !== undefined)).toHaveLength(50);
    });

    test("15. of 50 parallel rotations without grace one rotates, and the chain is ended", async () => {
      const chain = await redeemed();
      const { now } = chain.redemption;
      const rotations = Array.from({ length: 50 }, () =>
        rotationOf(chain.grant, chain.first.reference, { now, grace: 0 }),
      );
      const results = await Promise.all(rotations.map((one) => opened.stores.grants.rotate(one)));
      const outcomes = results.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "rotated")).toHaveLength(1);
      expect(outcomes).toContain("reused");
      expect(outcomes).not.toContain("repeated");
      for (const { successor, accessToken } of rotations) {
        expect(await find(successor.reference)).toBeUndefined();
        expect(await opened.stores.tokens.introspect(accessToken.reference, now)).toBeUndefined();
      }
    });

    test("15. the same rotation again, as after a lost answer, is the same, also after the grace", async () => {
      const { grant, first, redemption } = await redeemed();
      const rotation = rotationOf(grant, first.reference, { grace: 0 });
      for (let i = 0; i < 3; i++) expect(await opened.stores.grants.rotate(rotation)).toEqual({ outcome: "rotated" });
      expect(await find(rotation.successor.reference)).toBeDefined();
      const events = await recordedOf(opened.stores, grant, "token.issued", 2);
      expect(events).toEqual(idsOf([redemption.event, rotation.event]));
    });

    test("18. refresh against the end of the consent: nothing of it is alive afterwards", async () => {
      for (let round = 0; round < 10; round++) {
        const chain = await redeemed();
        const rotation = rotationOf(chain.grant, chain.first.reference);
        const rotate = () => opened.stores.grants.rotate(rotation);
        const revoke = () => revokeConsent(opened.stores, chain.consent);
        const [first, second] = round % 2 === 0 ? [rotate, revoke] : [revoke, rotate];
        await Promise.all([first(), second()]);
        await expectEnded(opened.stores, chain, chain.redemption);
        expect(await find(rotation.successor.reference)).toBeUndefined();
        expect(await opened.stores.tokens.introspect(rotation.accessToken.reference, rotation.now)).toBeUndefined();
      }
    });

    test("13. refresh against another redemption of the code: nothing of the chain is alive afterwards", async () => {
      for (let round = 0; round < 10; round++) {
        const chain = await redeemed();
        const rotation = rotationOf(chain.grant, chain.first.reference);
        const replay = redemptionOf(chain.grant, chain.reference);
        const [, replayed] = await Promise.all([
          opened.stores.grants.rotate(rotation),
          opened.stores.grants.redeem(replay),
        ]);
        expect(replayed).toBe("reused");
        await expectEnded(opened.stores, chain, chain.redemption);
        expect(await find(rotation.successor.reference)).toBeUndefined();
        expect(await opened.stores.tokens.introspect(rotation.accessToken.reference, rotation.now)).toBeUndefined();
      }
    });

    test("rotations survive a restart: the old token is known, and its successor is the same", async () => {
      const { grant, first } = await redeemed();
      const rotation = rotationOf(grant, first.reference);
      await opened.stores.grants.rotate(rotation);
      await opened.reopen();
      await opened.housekeep();
      expect(await find(rotation.successor.reference)).toEqual({ refreshToken: rotation.successor.record, grant });
      const { sealedSuccessor } = rotation;
      const again = rotationOf(grant, first.reference, { now: rotation.now });
      expect(await opened.stores.grants.rotate(again)).toEqual({ outcome: "repeated", sealedSuccessor });
    });
  });
}
