import { describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { APART, createLimiter } from "../../lib/limits/create-limiter.ts";
import type { Limiter, LimitTerms } from "../../lib/limits/limiter.ts";
import type { Lease, LeaseRequest } from "../../lib/stores/limits.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { openedStores, type StoreEngine } from "./engine.ts";

/** Noon of a day in the middle of a month, UTC. */
const NOON = Date.UTC(2030, 5, 15, 12);
const DAY = 86_400_000;
/** `COUNTERSIGN_ROUNDS` repeats what instances do beside each other. */
const ROUNDS = Number(process.env.COUNTERSIGN_ROUNDS ?? 1);

/** What every implementation of `LimitCounts` does. */
export function limitsContract(engine: StoreEngine): void {
  describe(`limits of ${engine.name}`, () => {
    const opened = openedStores(engine);
    const request = (fields: Partial<LeaseRequest> = {}): LeaseRequest => ({
      key: sha256base64url(crypto.randomUUID()),
      rate: { quota: 10, period: 1_000, burst: 10 },
      amount: 1,
      wanted: 1,
      now: NOON,
      ...fields,
    });
    const lease = (one: LeaseRequest, stores: Stores = opened.stores): Promise<Lease> => stores.limits.lease(one);

    describe(`limits on ${engine.name}`, () => {
      test("51. a rate is let through up to its burst, then as it is earned again, and never more", async () => {
        const one = request();
        for (let left = 9; left >= 0; left--) {
          expect(await lease(one)).toEqual({ granted: 1, left, wait: 0, fullAt: NOON + (10 - left) * 100 });
        }
        expect(await lease(one)).toEqual({ granted: 0, left: 0, wait: 100, fullAt: NOON + 1_000 });
        expect(await lease({ ...one, amount: 3 })).toMatchObject({ granted: 0, wait: 300 });
        expect(await lease({ ...one, now: NOON + 99 })).toMatchObject({ granted: 0, wait: 1 });
        expect(await lease({ ...one, now: NOON + 100 })).toMatchObject({ granted: 1, left: 0 });
        expect(await lease({ ...one, now: NOON + 60_000 })).toMatchObject({ granted: 1, left: 9 });
        expect(await lease(request({ amount: 11, wanted: 11 }))).toMatchObject({ granted: 0, left: 10 });
      });

      test.each(["day", "month"] as const)(
        "51. a quota of a %s is let through once in it, and anew in the next",
        async (calendar) => {
          const one = request({ calendar, rate: { quota: 3, period: DAY, burst: 3 } });
          const end = calendar === "day" ? Date.UTC(2030, 5, 16) : Date.UTC(2030, 6, 1);
          for (const left of [2, 1, 0]) expect(await lease(one)).toEqual({ granted: 1, left, wait: 0, fullAt: end });
          expect(await lease(one)).toEqual({ granted: 0, left: 0, wait: end - NOON, fullAt: end });
          expect(await lease({ ...one, now: end - 1 })).toMatchObject({ granted: 0, wait: 1 });
          expect(await lease({ ...one, now: end })).toMatchObject({ granted: 1, left: 2 });
        },
      );

      test("51. what is wanted beyond the need is a hundredth of what is left at most", async () => {
        const one = request({ calendar: "day", rate: { quota: 1_000, period: DAY, burst: 1_000 }, wanted: 10 });
        expect(await lease(one)).toMatchObject({ granted: 10, left: 990 });
        const many = { ...one, amount: 900, wanted: 900 };
        expect(await lease(many)).toMatchObject({ granted: 900, left: 90 });
        expect((await lease({ ...one, wanted: 1 })).granted).toBe(1);
      });

      test.each([
        ["a rate", undefined],
        ["a quota", "day"],
      ] as const)("51. %s gives a hundredth of what is left from its first lease on", async (_, calendar) => {
        const one = request({ rate: { quota: 1_000, period: DAY, burst: 1_000 }, ...(calendar && { calendar }) });
        const wanted = { ...one, wanted: 500 };
        expect(await lease(wanted)).toMatchObject({ granted: 10, left: 990 });
        expect(await lease(wanted)).toMatchObject({ granted: 9, left: 981 });
        expect(await lease({ ...one, amount: 781, wanted: 781 })).toMatchObject({ granted: 781, left: 200 });
        expect(await lease(wanted)).toMatchObject({ granted: 2, left: 198 });
        expect(await lease(wanted)).toMatchObject({ granted: 1, left: 197 });
        expect(await lease({ ...one, amount: 198, wanted: 198 })).toMatchObject({ granted: 0, left: 197 });
      });

      test.each([
        ["a rate", undefined],
        ["a quota", "day"],
      ] as const)("51. %s grants no more than all of it, also where nothing is counted yet", async (_, calendar) => {
        const one = request({ rate: { quota: 5, period: DAY, burst: 5 }, ...(calendar && { calendar }) });
        expect(await lease({ ...one, amount: 6, wanted: 6 })).toMatchObject({ granted: 0, left: 5 });
        expect(await lease({ ...one, amount: 5, wanted: 9 })).toMatchObject({ granted: 5, left: 0 });
      });

      test("51. a quota that is lowered below what is used has nothing left, and goes on where it is raised", async () => {
        const one = request({ calendar: "day", rate: { quota: 3, period: DAY, burst: 3 }, amount: 3, wanted: 3 });
        expect((await lease(one)).granted).toBe(3);
        const other = (quota: number) => ({ ...one, amount: 1, wanted: 1, rate: { ...one.rate, quota, burst: quota } });
        expect(await lease(other(2))).toMatchObject({ granted: 0, left: 0 });
        expect(await lease(other(4))).toMatchObject({ granted: 1, left: 0 });
      });

      test.each([7, 30_000, 100_000])(
        "51. a rate of %i a second is counted without a fraction too many",
        async (quota) => {
          const one = request({ rate: { quota, period: 1_000, burst: 30 }, now: NOON + 7 });
          let granted = 0;
          for (let call = 0; call < 32; call++) granted += (await lease(one)).granted;
          expect(granted).toBe(30);
        },
      );

      test.each([
        ["a rate", undefined],
        ["a quota", "day"],
      ] as const)("51. of 50 parallel leases by two processes %s grants what is there", async (_, calendar) => {
        const one = request({ rate: { quota: 20, period: DAY, burst: 20 }, ...(calendar && { calendar }) });
        const processes = [opened.stores, await opened.another()] as const;
        const leases = await Promise.all(Array.from({ length: 50 }, (_, i) => lease(one, processes[i % 2])));
        expect(leases.reduce((sum, { granted }) => sum + granted, 0)).toBe(20);
      });

      const HOLDERS = [
        ["less than ten fewer", false, 990],
        ["exactly as many where that is asked for", true, 1_000],
      ] as const;

      test.each(HOLDERS)(
        "51. 50 instances under steady load let 1,000 through of 1,000, %s",
        { timeout: 120_000 },
        async (_, exact, atLeast) => {
          const other = await opened.another();
          for (let round = 0; round < ROUNDS; round++) {
            const clock = { at: NOON, now: () => clock.at };
            const instances = Array.from({ length: 50 }, (_, i) =>
              createLimiter(
                { stores: i % 2 === 0 ? opened.stores : other, clock, logger: { warn: () => undefined } },
                APART,
              ),
            );
            const terms: LimitTerms = {
              ...{ name: `daily ${crypto.randomUUID()}`, quota: 1_000, period: DAY, burst: 1_000 },
              ...{ calendar: "day", exact, unavailable: "deny" },
            };
            const take = async (limiter: Limiter) => limiter.take([{ terms, key: "client/a", amount: 1 }]);
            let granted = 0;
            let last = 1;
            // Until nothing is left, and nobody holds a lease.
            while (last > 0) {
              const verdicts = await Promise.all(instances.map(take));
              last = verdicts.filter(({ outcome }) => outcome === "granted").length;
              granted += last;
              clock.at += 100;
            }
            expect(granted).toBeLessThanOrEqual(1_000);
            expect(granted).toBeGreaterThanOrEqual(atLeast);
          }
        },
      );

      test("51. a clock that is behind is granted nothing anew", async () => {
        const one = request();
        for (let taken = 0; taken < 10; taken++) await lease(one);
        const behind = { ...one, now: NOON - 60_000 };
        expect((await lease(behind)).granted).toBe(0);
        expect((await lease({ ...one, now: NOON + 1_000 })).granted).toBe(1);
      });
    });
  });

  describe(`restarts of limits on ${engine.name}`, () => {
    const opened = openedStores(engine);

    describe(`limits on ${engine.name}`, () => {
      test("51. counts survive a restart and what deletes the expired", async () => {
        const now = Date.now();
        const one: LeaseRequest = {
          key: sha256base64url(crypto.randomUUID()),
          rate: { quota: 1, period: DAY, burst: 1 },
          amount: 1,
          wanted: 1,
          now,
        };
        expect((await opened.stores.limits.lease(one)).granted).toBe(1);
        await opened.reopen();
        await opened.housekeep();
        expect(await opened.stores.limits.lease(one)).toMatchObject({ granted: 0, wait: DAY });
      });
    });
  });
}
