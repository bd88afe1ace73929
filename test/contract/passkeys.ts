import { describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import { credentialEvent, newUserId, passkey, passkeyUse, used } from "./credential-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";

/** What every implementation of `Passkeys` does. */
export function passkeysContract(engine: StoreEngine): void {
  describe(`passkeys on ${engine.name}`, () => {
    const opened = openedStores(engine);
    const add = ({ passkeys }: Stores, one: ReturnType<typeof passkey>) =>
      passkeys.addPasskey(one, credentialEvent("passkey.added"));

    test("a passkey reads back as it was added, with its event, also for another process", async () => {
      const another = await opened.another();
      // WebAuthn Level 3 §5.1: a credential id has up to 1023 bytes.
      const longest = passkey({
        credentialId: "x".repeat(1364),
        transports: [],
        counter: 4_294_967_295,
        lastUsedAt: 7,
      });
      for (const one of [passkey(), longest]) {
        const event = credentialEvent("passkey.added");
        expect(await opened.stores.passkeys.addPasskey(one, event)).toBe(true);
        for (const { passkeys } of [opened.stores, another]) {
          expect(await passkeys.getPasskey(one.credentialId)).toEqual(one);
          expect(await passkeys.listPasskeys(one.userId)).toEqual([one]);
        }
        expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
      }
      expect(await another.passkeys.getPasskey(passkey().credentialId)).toBeUndefined();
    });

    test("a person's passkeys are listed by their age, and no others", async () => {
      const userId = newUserId();
      const [first, second, third] = [1000, 2000, 3000].map((createdAt) => passkey({ userId, createdAt }));
      if (first === undefined || second === undefined || third === undefined) throw new Error("three are made");
      for (const one of [second, third, first, passkey()]) await add(opened.stores, one);
      expect(await opened.stores.passkeys.listPasskeys(userId)).toEqual([first, second, third]);
      expect(await opened.stores.passkeys.listPasskeys(newUserId())).toEqual([]);
    });

    test("of 50 parallel additions of one credential id one succeeds, whoever they are for, with one event", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const { credentialId } = passkey();
      const event = credentialEvent("passkey.added");
      const attempts = Array.from({ length: 50 }, () => ({
        one: passkey({ credentialId }),
        event: { ...credentialEvent("passkey.added"), organizationId: event.organizationId },
      }));
      const results = await Promise.all(
        attempts.map((attempt, i) => (processes[i % 2] as Stores).passkeys.addPasskey(attempt.one, attempt.event)),
      );
      const winners = attempts.filter((_, i) => results[i]);
      expect(winners).toHaveLength(1);
      expect(await opened.stores.passkeys.getPasskey(credentialId)).toEqual(winners[0]?.one);
      for (const { one } of attempts.slice(0, 5)) {
        const listed = await opened.stores.passkeys.listPasskeys(one.userId);
        expect(listed).toEqual(winners[0]?.one === one ? [one] : []);
      }
      expect(await recordedIn(opened.stores, event, 1)).toEqual([winners[0]?.event.id]);
    });

    test("a use is noted when it was checked against the present counter, else changes nothing", async () => {
      const one = passkey({ counter: 7 });
      await add(opened.stores, one);
      const use = passkeyUse(one, { counter: 9 });
      for (const formerCounter of [6, 8, 9]) {
        expect(await opened.stores.passkeys.notePasskeyUse({ ...use, formerCounter })).toBe(false);
      }
      expect(await opened.stores.passkeys.getPasskey(one.credentialId)).toEqual(one);
      expect(await opened.stores.passkeys.notePasskeyUse(use)).toBe(true);
      expect(await opened.stores.passkeys.notePasskeyUse(use)).toBe(false);
      const after = used(one, use);
      expect(await opened.stores.passkeys.getPasskey(one.credentialId)).toEqual(after);
      const next = passkeyUse(after, { backedUp: false });
      expect(await opened.stores.passkeys.notePasskeyUse(next)).toBe(true);
      expect(await opened.stores.passkeys.listPasskeys(one.userId)).toEqual([used(after, next)]);
    });

    test("of 50 parallel uses of one counter, of two processes, one counts", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const one = passkey();
      await add(opened.stores, one);
      const uses = Array.from({ length: 50 }, (_, i) => passkeyUse(one, { counter: i + 1 }));
      const results = await Promise.all(
        uses.map((use, i) => (processes[i % 2] as Stores).passkeys.notePasskeyUse(use)),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const winner = uses[results.indexOf(true)];
      const found = await opened.stores.passkeys.getPasskey(one.credentialId);
      expect(found).toEqual(winner && used(one, winner));
    });

    test("50 parallel uses of an authenticator without a counter all count", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const one = passkey();
      await add(opened.stores, one);
      const use = passkeyUse(one, { counter: 0 });
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => (processes[i % 2] as Stores).passkeys.notePasskeyUse(use)),
      );
      expect(results).toEqual(Array.from({ length: 50 }, () => true));
      expect(await opened.stores.passkeys.getPasskey(one.credentialId)).toEqual(used(one, use));
    });

    test("a passkey that was removed is gone, with its event, for its person alone, and its id can be added again", async () => {
      const [one, other] = [passkey(), passkey()];
      for (const added of [one, other]) await add(opened.stores, added);
      const { passkeys } = opened.stores;
      const refused = credentialEvent("passkey.removed");
      const removed = { ...credentialEvent("passkey.removed"), organizationId: refused.organizationId };
      expect(await passkeys.removePasskey(other.userId, one.credentialId, refused)).toBe(false);
      expect(await passkeys.removePasskey(one.userId, passkey().credentialId, refused)).toBe(false);
      expect(await passkeys.getPasskey(one.credentialId)).toEqual(one);
      expect(await passkeys.removePasskey(one.userId, one.credentialId, removed)).toBe(true);
      expect(await passkeys.removePasskey(one.userId, one.credentialId, refused)).toBe(false);
      expect(await passkeys.getPasskey(one.credentialId)).toBeUndefined();
      expect(await passkeys.listPasskeys(one.userId)).toEqual([]);
      expect(await passkeys.listPasskeys(other.userId)).toEqual([other]);
      expect(await recordedIn(opened.stores, removed, 1)).toEqual([removed.id]);
      const again = passkey({ credentialId: one.credentialId });
      expect(await add(opened.stores, again)).toBe(true);
      expect(await passkeys.getPasskey(one.credentialId)).toEqual(again);
    });

    test("use against removal: of 50 parallel removals one counts, and no use brings the passkey back", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const one = passkey();
      await add(opened.stores, one);
      const use = passkeyUse(one, { counter: 0 });
      const event = credentialEvent("passkey.removed");
      const attempts = Array.from({ length: 50 }, async (_, i) => {
        const { passkeys } = processes[i % 2] as Stores;
        await passkeys.notePasskeyUse(use);
        const own = { ...credentialEvent("passkey.removed"), organizationId: event.organizationId };
        const isRemoved = await passkeys.removePasskey(one.userId, one.credentialId, own);
        expect(await passkeys.notePasskeyUse(use)).toBe(false);
        return isRemoved ? [own.id] : [];
      });
      const ids = (await Promise.all(attempts)).flat();
      expect(ids).toHaveLength(1);
      expect(await opened.stores.passkeys.getPasskey(one.credentialId)).toBeUndefined();
      expect(await opened.stores.passkeys.listPasskeys(one.userId)).toEqual([]);
      expect(await recordedIn(opened.stores, event, 1)).toEqual(ids);
    });

    test("passkeys, their uses and removals survive a restart and what deletes the expired", async () => {
      const [one, removed] = [passkey({ createdAt: 1 }), passkey({ createdAt: 2 })];
      for (const added of [one, removed]) await add(opened.stores, added);
      const use = passkeyUse(one);
      await opened.stores.passkeys.notePasskeyUse(use);
      await opened.stores.passkeys.removePasskey(
        removed.userId,
        removed.credentialId,
        credentialEvent("passkey.removed"),
      );
      await opened.reopen();
      await opened.housekeep();
      const { passkeys } = opened.stores;
      expect(await passkeys.getPasskey(one.credentialId)).toEqual(used(one, use));
      expect(await passkeys.notePasskeyUse(use)).toBe(false);
      expect(await passkeys.getPasskey(removed.credentialId)).toBeUndefined();
    });
  });
}
