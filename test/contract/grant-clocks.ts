import { beforeAll, describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { interaction, redemptionOf, rotationOf } from "./grant-records.ts";
import { expectEnded, redeemedChain, revokeConsent, startedChain } from "./grant-workings.ts";
import { auditEvent, MINUTE } from "./records.ts";

/** What people start, by two processes with clocks a minute behind and a minute ahead. */
export function grantClocksContract(engine: StoreEngine): void {
  describe(`grants by clocks a minute off on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let behind: Process;
    let ahead: Process;
    beforeAll(async () => {
      behind = { stores: await opened.another(-MINUTE), now: () => Date.now() - MINUTE };
      ahead = { stores: await opened.another(MINUTE), now: () => Date.now() + MINUTE };
    });
    const eachWay = () =>
      [
        [ahead, behind],
        [behind, ahead],
      ] as const;

    describe(`interactions on ${engine.name}`, () => {
      test("14. an interaction that has expired for one clock is ended by the other, once", async () => {
        const one = interaction({ expiresAt: Date.now() });
        await ahead.stores.grants.begin(one);
        const finish = ({ stores, now }: Process) => stores.grants.finish(one.interactionHash, 1, now());
        expect(await ahead.stores.grants.interaction(one.interactionHash, ahead.now())).toBeUndefined();
        expect(await finish(ahead)).toBe(false);
        expect(await finish(behind)).toBe(true);
        expect(await finish(behind)).toBe(false);
      });
    });

    describe(`authorization codes on ${engine.name}`, () => {
      test("13. a code that has expired for one clock is redeemed by the other, once", async () => {
        const { grant, reference } = await startedChain(ahead.stores, { code: { expiresAt: Date.now() } });
        const redeem = ({ stores, now }: Process) => stores.grants.redeem(redemptionOf(grant, reference, now()));
        expect(await redeem(ahead)).toBe("ended");
        expect(await redeem(behind)).toBe("redeemed");
        expect(await redeem(behind)).toBe("reused");
      });

      test("13. of 50 redemptions by both clocks one succeeds, and the chain is ended for both", async () => {
        const chain = await startedChain(behind.stores, { code: { expiresAt: Date.now() + 5 * MINUTE } });
        const redemptions = Array.from({ length: 50 }, (_, i) => {
          const { stores, now } = i % 2 === 0 ? behind : ahead;
          const redemption = redemptionOf(chain.grant, chain.reference, now());
          return { redemption, result: stores.grants.redeem(redemption) };
        });
        const results = await Promise.all(redemptions.map(({ result }) => result));
        expect(results.filter((result) => result === "redeemed")).toHaveLength(1);
        for (const { redemption } of redemptions) await expectEnded(behind.stores, chain, redemption);
      });

      test("18. a consent that one clock took back is over for the other, whichever is ahead", async () => {
        for (const [ender, other] of eachWay()) {
          const chain = await redeemedChain(other.stores);
          expect(await revokeConsent(ender.stores, chain.consent)).toBe(true);
          await expectEnded(other.stores, chain, chain.redemption);
        }
      });

      test("18. a chain that one clock ended is over for the other, whichever is ahead", async () => {
        for (const [ender, other] of eachWay()) {
          const chain = await redeemedChain(other.stores);
          const { chainId, expiresAt } = chain.grant;
          const ending = { what: "chain", lineage: { chainId }, expiresAt, event: auditEvent() } as const;
          expect(await ender.stores.tokens.end(ending)).toBe(true);
          await expectEnded(other.stores, chain, chain.redemption);
        }
      });
    });

    describe(`refresh tokens on ${engine.name}`, () => {
      test("15. a refresh token that the clock ahead rotated is within its grace for the one behind", async () => {
        const { grant, redemption } = await redeemedChain(behind.stores);
        const { reference } = redemption.refreshToken;
        const rotation = rotationOf(grant, reference, { now: ahead.now() });
        expect(await ahead.stores.grants.rotate(rotation)).toEqual({ outcome: "rotated" });
        const again = rotationOf(grant, reference, { now: behind.now() });
        const { sealedSuccessor } = rotation;
        expect(await behind.stores.grants.rotate(again)).toEqual({ outcome: "repeated", sealedSuccessor });
      });

      test("15. of 50 rotations by both clocks one rotates", async () => {
        const { grant, redemption } = await redeemedChain(behind.stores);
        const { reference } = redemption.refreshToken;
        const results = await Promise.all(
          Array.from({ length: 50 }, (_, i) => {
            const { stores, now } = i % 2 === 0 ? behind : ahead;
            return stores.grants.rotate(rotationOf(grant, reference, { now: now(), grace: 5 * MINUTE }));
          }),
        );
        expect(results.filter(({ outcome }) => outcome === "rotated")).toHaveLength(1);
        expect(results.filter(({ outcome }) => outcome === "repeated")).toHaveLength(49);
      });
    });
  });
}

interface Process {
  readonly stores: Stores;
  now(): number;
}
