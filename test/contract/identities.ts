import { describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import { credentialEvent, identity, newUserId } from "./credential-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";

/** What every implementation of `Identities` does. */
export function identitiesContract(engine: StoreEngine): void {
  describe(`identities on ${engine.name}`, () => {
    const opened = openedStores(engine);
    const link = ({ identities }: Stores, one: ReturnType<typeof identity>) =>
      identities.linkIdentity(one, credentialEvent("identity.linked"));

    test("an account reads back as it was linked, with its event, also for another process", async () => {
      const another = await opened.another();
      const { label: _, ...withoutLabel } = identity();
      const longest = identity({ issuer: `https://${"i".repeat(2100)}.example`, subject: "s".repeat(1100) });
      for (const one of [identity(), withoutLabel, longest]) {
        const event = credentialEvent("identity.linked");
        expect(await opened.stores.identities.linkIdentity(one, event)).toBe(true);
        for (const { identities } of [opened.stores, another]) {
          expect(await identities.findIdentity(one)).toEqual(one);
          expect(await identities.listIdentities(one.userId)).toEqual([one]);
        }
        expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
      }
    });

    test("an account is found by issuer and subject as they are spelled, and by nothing else", async () => {
      const one = identity({ issuer: "https://a.example/b", subject: "c" });
      await link(opened.stores, one);
      const others = [
        { issuer: "https://a.example/b", subject: "C" },
        { issuer: "https://a.example/b/", subject: "c" },
        { issuer: "https://a.example/", subject: "bc" },
        { issuer: "c", subject: "https://a.example/b" },
      ];
      for (const key of others) expect(await opened.stores.identities.findIdentity(key)).toBeUndefined();
      for (const key of others) expect(await link(opened.stores, identity(key))).toBe(true);
      expect(await opened.stores.identities.findIdentity(one)).toEqual(one);
    });

    test("a person's accounts are listed by the age of the link, and no others", async () => {
      const userId = newUserId();
      const [first, second, third] = [1000, 2000, 3000].map((createdAt) => identity({ userId, createdAt }));
      if (first === undefined || second === undefined || third === undefined) throw new Error("three are made");
      for (const one of [second, third, first, identity()]) await link(opened.stores, one);
      expect(await opened.stores.identities.listIdentities(userId)).toEqual([first, second, third]);
      expect(await opened.stores.identities.listIdentities(newUserId())).toEqual([]);
    });

    test("of 50 parallel links of one account one succeeds, whomever with, with one event", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const { subject, userId } = identity();
      const { organizationId } = credentialEvent("identity.linked");
      const attempts = Array.from({ length: 50 }, (_, i) => ({
        // Some of one person, who clicked twice.
        one: identity({ subject, ...(i % 5 === 0 && { userId }) }),
        event: { ...credentialEvent("identity.linked"), organizationId },
      }));
      const results = await Promise.all(
        attempts.map(({ one, event }, i) => (processes[i % 2] as Stores).identities.linkIdentity(one, event)),
      );
      const winners = attempts.filter((_, i) => results[i]);
      expect(winners).toHaveLength(1);
      const winner = winners[0]?.one;
      expect(await opened.stores.identities.findIdentity(identity({ subject }))).toEqual(winner);
      for (const person of [userId, ...attempts.slice(1, 5).map(({ one }) => one.userId)]) {
        const listed = await opened.stores.identities.listIdentities(person);
        expect(listed).toEqual(winner?.userId === person ? [winner] : []);
      }
      expect(await recordedIn(opened.stores, { type: "identity.linked", organizationId }, 1)).toEqual([
        winners[0]?.event.id,
      ]);
    });

    test("an account is unlinked once, with its event, by its person alone, and can be linked again", async () => {
      const [one, other] = [identity(), identity()];
      for (const linked of [one, other]) await link(opened.stores, linked);
      const { identities } = opened.stores;
      const refused = credentialEvent("identity.unlinked");
      const { organizationId } = refused;
      expect(await identities.unlinkIdentity(other.userId, one, refused)).toBe(false);
      expect(await identities.unlinkIdentity(one.userId, identity(), refused)).toBe(false);
      expect(await identities.findIdentity(one)).toEqual(one);
      const attempts = Array.from({ length: 10 }, async () => {
        const event = { ...credentialEvent("identity.unlinked"), organizationId };
        return (await identities.unlinkIdentity(one.userId, one, event)) ? [event.id] : [];
      });
      const ids = (await Promise.all(attempts)).flat();
      expect(ids).toHaveLength(1);
      expect(await identities.findIdentity(one)).toBeUndefined();
      expect(await identities.listIdentities(one.userId)).toEqual([]);
      expect(await identities.listIdentities(other.userId)).toEqual([other]);
      expect(await recordedIn(opened.stores, refused, 1)).toEqual(ids);
      const again = identity({ subject: one.subject });
      expect(await link(opened.stores, again)).toBe(true);
      expect(await identities.findIdentity(one)).toEqual(again);
    });

    test("linked and unlinked accounts survive a restart and what deletes the expired", async () => {
      const [one, unlinked] = [identity({ createdAt: 1 }), identity({ createdAt: 2 })];
      for (const linked of [one, unlinked]) await link(opened.stores, linked);
      const event = credentialEvent("identity.unlinked");
      await opened.stores.identities.unlinkIdentity(unlinked.userId, unlinked, event);
      await opened.reopen();
      await opened.housekeep();
      const { identities } = opened.stores;
      expect(await identities.findIdentity(one)).toEqual(one);
      expect(await identities.listIdentities(one.userId)).toEqual([one]);
      expect(await identities.findIdentity(unlinked)).toBeUndefined();
    });
  });
}
