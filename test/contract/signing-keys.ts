import { beforeEach, describe, expect, test } from "vitest";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenStores, openedStores, type StoreEngine } from "./engine.ts";
import { signingKey } from "./grant-records.ts";
import { auditEvent, MINUTE } from "./records.ts";

/** What every implementation of `SigningKeys` does. */
export function signingKeysContract(engine: StoreEngine): void {
  describe(`signing keys on ${engine.name}`, () => {
    let open: OpenStores;
    let stores: Stores;
    beforeEach(async () => {
      open = await engine.open();
      stores = open.stores;
      return () => open.close();
    });

    const recorded = async (atLeast: number): Promise<readonly AuditEvent[]> => {
      const filter = { organizationId: undefined, type: "signing_keys.changed" };
      const { items } = await eventually(
        () => stores.auditLog.query(filter, { limit: 100 }),
        (page) => page.items.length >= atLeast,
      );
      return items;
    };

    test("at first there are no keys", async () => {
      expect(await stores.signingKeys.read()).toEqual({ revision: 0, keys: [] });
    });

    test("keys read back as they were put there, at a revision that each change counts up, with its event", async () => {
      const [first, second] = [keysChanged(), keysChanged()];
      const old = signingKey();
      expect(await stores.signingKeys.replace(0, [old], first)).toBe(true);
      expect(await stores.signingKeys.read()).toEqual({ revision: 1, keys: [old] });
      const retired = { ...old, retiresAt: old.signsFrom + MINUTE, removedAt: old.signsFrom + 2 * MINUTE };
      const keys = [retired, signingKey()];
      expect(await stores.signingKeys.replace(1, keys, second)).toBe(true);
      expect(await stores.signingKeys.read()).toEqual({ revision: 2, keys });
      expect(await stores.signingKeys.replace(2, [], keysChanged())).toBe(true);
      expect(await stores.signingKeys.read()).toEqual({ revision: 3, keys: [] });
      expect(await recorded(3)).toEqual(expect.arrayContaining([first, second]));
    });

    test("a change of another revision changes nothing and records nothing", async () => {
      const keys = [signingKey()];
      const event = keysChanged();
      expect(await stores.signingKeys.replace(1, [signingKey()], keysChanged())).toBe(false);
      expect(await stores.signingKeys.read()).toEqual({ revision: 0, keys: [] });
      expect(await stores.signingKeys.replace(0, keys, event)).toBe(true);
      for (const revision of [0, 2, 7]) {
        expect(await stores.signingKeys.replace(revision, [signingKey()], keysChanged())).toBe(false);
      }
      expect(await stores.signingKeys.read()).toEqual({ revision: 1, keys });
      expect(await recorded(1)).toEqual([event]);
    });

    test("of 50 parallel changes of one revision, of two processes, one counts, with one event", async () => {
      const processes = [stores, await open.another()];
      const events: AuditEvent[] = [];
      for (let revision = 0; revision < 3; revision++) {
        const changes = Array.from({ length: 50 }, () => ({
          keys: [signingKey(), signingKey()],
          event: keysChanged(),
        }));
        const results = await Promise.all(
          changes.map(({ keys, event }, i) => processes[i % 2]?.signingKeys.replace(revision, keys, event)),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
        const winner = changes[results.indexOf(true)];
        if (winner !== undefined) events.push(winner.event);
        for (const { signingKeys } of processes) {
          expect(await signingKeys.read()).toEqual({ revision: revision + 1, keys: winner?.keys });
        }
      }
      const ids = (await recorded(events.length)).map(({ id }) => id);
      expect(ids.sort()).toEqual(events.map(({ id }) => id).sort());
    });
  });

  describe(`restarts of signing keys on ${engine.name}`, () => {
    const opened = openedStores(engine);

    describe(`signing keys on ${engine.name}`, () => {
      test("keys survive a restart and what deletes the expired, and so does their revision", async () => {
        const keys = [signingKey({ publishedAt: 0 })];
        expect(await opened.stores.signingKeys.replace(0, keys, keysChanged())).toBe(true);
        await opened.reopen();
        await opened.housekeep();
        expect(await opened.stores.signingKeys.read()).toEqual({ revision: 1, keys });
        expect(await opened.stores.signingKeys.replace(0, [], keysChanged())).toBe(false);
      });
    });
  });
}

function keysChanged(): AuditEvent {
  return auditEvent({ type: "signing_keys.changed" });
}
