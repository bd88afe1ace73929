import { describe, expect, test } from "vitest";
import { openedStores, type StoreEngine } from "./engine.ts";
import { interaction } from "./grant-records.ts";
import { MINUTE } from "./records.ts";

/** Sign-ins under way. */
export function interactionsContract(engine: StoreEngine): void {
  describe(`interactions on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const begun = async (fields: Parameters<typeof interaction>[0] = {}) => {
      const first = interaction(fields);
      await opened.stores.grants.begin(first);
      return first;
    };
    const find = (interactionHash: string, now = Date.now()) => opened.stores.grants.interaction(interactionHash, now);

    test("an interaction reads as it was begun, until the millisecond before its expiry, by the caller's clock", async () => {
      const first = await begun();
      const { interactionHash, expiresAt } = first;
      expect(await find(interactionHash, expiresAt - 1)).toEqual(first);
      expect(await find(interactionHash, expiresAt)).toBeUndefined();
      expect(await find(interactionHash, expiresAt - MINUTE)).toEqual(first);
      expect(await find(interaction().interactionHash)).toBeUndefined();
    });

    test("14. a step takes the place of the one before it, and no other", async () => {
      const { grants } = opened.stores;
      const first = await begun();
      const second = { ...first, revision: 2, content: { step: "sign-in" }, expiresAt: first.expiresAt + MINUTE };
      expect(await grants.advance({ ...first, revision: 3 }, Date.now())).toBe(false);
      expect(await grants.advance(second, Date.now())).toBe(true);
      expect(await grants.advance({ ...second, content: { step: "late" } }, Date.now())).toBe(false);
      expect(await find(first.interactionHash)).toEqual(second);
      expect(await grants.finish(first.interactionHash, 1, Date.now())).toBe(false);
      expect(await grants.finish(first.interactionHash, 2, Date.now())).toBe(true);
      expect(await find(first.interactionHash)).toBeUndefined();
      expect(await grants.finish(first.interactionHash, 2, Date.now())).toBe(false);
      expect(await grants.advance({ ...second, revision: 3 }, Date.now())).toBe(false);
    });

    test("an expired interaction is neither advanced nor finished", async () => {
      const { grants } = opened.stores;
      const first = await begun();
      const { interactionHash, expiresAt } = first;
      expect(await grants.advance({ ...first, revision: 2, expiresAt: expiresAt + MINUTE }, expiresAt)).toBe(false);
      expect(await grants.finish(interactionHash, 1, expiresAt)).toBe(false);
      expect(await find(interactionHash, expiresAt - 1)).toEqual(first);
    });

    test("14. of 50 parallel steps one is taken", async () => {
      const first = await begun();
      const steps = Array.from({ length: 50 }, (_, step) => ({ ...first, revision: 2, content: { step } }));
      const taken = await Promise.all(steps.map((step) => opened.stores.grants.advance(step, Date.now())));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await find(first.interactionHash)).toEqual(steps[taken.indexOf(true)]);
    });

    test("14. of 50 parallel ends of an interaction one ends it", async () => {
      const { interactionHash } = await begun();
      const ends = Array.from({ length: 50 }, () => opened.stores.grants.finish(interactionHash, 1, Date.now()));
      expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(1);
      expect(await find(interactionHash)).toBeUndefined();
    });

    test("interactions survive a restart, and what ended stays ended", async () => {
      const [kept, ended] = [await begun(), await begun()];
      const next = { ...kept, revision: 2, content: { step: "callback", nested: [{ a: null }] } };
      expect(await opened.stores.grants.advance(next, Date.now())).toBe(true);
      expect(await opened.stores.grants.finish(ended.interactionHash, 1, Date.now())).toBe(true);
      await opened.reopen();
      expect(await find(kept.interactionHash)).toEqual(next);
      expect(await find(ended.interactionHash)).toBeUndefined();
    });

    test("interactions that expired long ago are deleted, and others kept", async () => {
      const [old, live] = [await begun({ expiresAt: Date.now() - 60 * MINUTE }), await begun()];
      expect(await find(old.interactionHash, old.expiresAt - 1)).toEqual(old);
      await opened.housekeep();
      expect(await find(live.interactionHash)).toEqual(live);
    });
  });
}
