import { beforeEach, describe, expect, test } from "vitest";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { credentialEvent, settings } from "./credential-records.ts";
import { type OpenStores, openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";

/** What every implementation of `Settings` does. */
export function settingsContract(engine: StoreEngine): void {
  describe(`settings on ${engine.name}`, () => {
    let open: OpenStores;
    let stores: Stores;
    beforeEach(async () => {
      open = await engine.open();
      stores = open.stores;
      return () => open.close();
    });

    test("at first nothing is set; then settings read back as each change left them, with its event", async () => {
      expect(await stores.settings.readSettings()).toEqual({ revision: 0, values: {} });
      const first = settings(1);
      const second = settings(2, { values: { enabled: false, list: [null, 0.5, {}], name: "ü \u{1F916}" } });
      for (const record of [first, second, settings(3, { values: {} })]) {
        const event = settingsChanged();
        expect(await stores.settings.replaceSettings(record, event)).toBe(true);
        expect(await stores.settings.readSettings()).toEqual(record);
        expect(await recordedIn(stores, event, 1)).toEqual([event.id]);
      }
    });

    test("a record of another revision than the next changes nothing and records nothing", async () => {
      const record = settings(1);
      const refused = settingsChanged();
      const replace = (revision: number) => stores.settings.replaceSettings(settings(revision), refused);
      for (const revision of [0, 2, 3]) expect(await replace(revision)).toBe(false);
      expect(await stores.settings.readSettings()).toEqual({ revision: 0, values: {} });
      const event = { ...settingsChanged(), organizationId: refused.organizationId };
      expect(await stores.settings.replaceSettings(record, event)).toBe(true);
      for (const revision of [0, 1, 3]) expect(await replace(revision)).toBe(false);
      expect(await stores.settings.readSettings()).toEqual(record);
      expect(await recordedIn(stores, refused, 1)).toEqual([event.id]);
    });

    test("of 50 parallel writers of one revision, of two processes, one counts, with one event", async () => {
      const processes = [stores, await open.another()] as const;
      const { organizationId } = settingsChanged();
      const ids: string[] = [];
      for (let revision = 1; revision <= 3; revision++) {
        const changes: readonly { record: ReturnType<typeof settings>; event: AuditEvent }[] = Array.from(
          { length: 50 },
          () => ({ record: settings(revision), event: { ...settingsChanged(), organizationId } }),
        );
        const results = await Promise.all(
          changes.map(({ record, event }, i) => (processes[i % 2] as Stores).settings.replaceSettings(record, event)),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
        const winner = changes[results.indexOf(true)];
        ids.push(...(winner === undefined ? [] : [winner.event.id]));
        for (const process of processes) expect(await process.settings.readSettings()).toEqual(winner?.record);
      }
      const found = await recordedIn(stores, { type: "settings.changed", organizationId }, ids.length);
      expect([...found].sort()).toEqual(ids.sort());
    });
  });

  describe(`restarts of settings on ${engine.name}`, () => {
    const opened = openedStores(engine);

    describe(`settings on ${engine.name}`, () => {
      test("settings survive a restart and what deletes the expired, and so does their revision", async () => {
        const record = settings(1, { updatedAt: 1 });
        expect(await opened.stores.settings.replaceSettings(record, settingsChanged())).toBe(true);
        await opened.reopen();
        await opened.housekeep();
        expect(await opened.stores.settings.readSettings()).toEqual(record);
        expect(await opened.stores.settings.replaceSettings(settings(1), settingsChanged())).toBe(false);
      });
    });
  });
}

function settingsChanged() {
  return credentialEvent("settings.changed");
}
