import { describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import {
  DEFINITION_BYTES,
  DEFINITIONS_AT_ONCE,
  PINS_BYTES,
  type PinnedDefinition,
  type PinnedTool,
  type PinsKey,
  type PinsRecord,
} from "../../lib/stores/pins.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { credentialEvent } from "./credential-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";
import { newOrganizationId } from "./records.ts";

/** What every implementation of `Pins` does. */
export function pinsContract(engine: StoreEngine): void {
  describe(`pins of ${engine.name}`, () => {
    const opened = openedStores(engine);
    const pins = () => opened.stores.pins;

    describe(`pins on ${engine.name}`, () => {
      test("74. at first nothing is pinned; then pins read back as each change left them, with its events", async () => {
        const key = newKey();
        expect(await pins().readPins(key)).toEqual({ revision: 0, tools: [] });
        const records = [
          record(1, { firstAt: 5, tools: [tool("ü/\u{1F916} __proto__"), tool("__proto__")] }),
          record(2, { firstAt: 5, tools: [{ ...tool("held"), held: [{ digest: "d", at: 7, bytes: 2 }] }] }),
          record(3),
        ];
        for (const pinned of records) {
          const events = Array.from({ length: 3 }, () => event(key));
          expect(await pins().replacePins(key, pinned, events)).toBe(true);
          expect(await pins().readPins(key)).toEqual(pinned);
          const recorded = await recordedIn(opened.stores, { type: "tool.held", ...key }, 3 * pinned.revision);
          expect(recorded).toEqual(expect.arrayContaining(events.map(({ id }) => id)));
        }
      });

      test("74. a record of another revision than the next changes nothing and records nothing", async () => {
        const key = newKey();
        for (const revision of [0, 2, 3])
          expect(await pins().replacePins(key, record(revision), [event(key)])).toBe(false);
        const counted = event(key);
        expect(await pins().replacePins(key, record(1), [counted])).toBe(true);
        for (const revision of [0, 1, 3])
          expect(await pins().replacePins(key, record(revision), [event(key)])).toBe(false);
        expect(await pins().readPins(key)).toEqual(record(1));
        expect(await recordedIn(opened.stores, { type: "tool.held", ...key }, 1)).toEqual([counted.id]);
      });

      test("74. of 50 parallel writers of one revision, of two processes, one counts, with its events", async () => {
        const processes = [opened.stores, await opened.another()] as const;
        const key = newKey();
        const changes = Array.from({ length: 50 }, (_, number) => ({
          record: record(1, { tools: [tool(String(number))] }),
          events: [event(key), event(key)],
        }));
        const results = await Promise.all(
          changes.map(({ record: pinned, events }, i) =>
            (processes[i % 2] as Stores).pins.replacePins(key, pinned, events),
          ),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
        const winner = changes[results.indexOf(true)];
        for (const process of processes) expect(await process.pins.readPins(key)).toEqual(winner?.record);
        const recorded = await recordedIn(opened.stores, { type: "tool.held", ...key }, 2);
        expect([...recorded].sort()).toEqual(winner?.events.map(({ id }) => id).sort());
      });

      test("74. pins of one app are no other's, and none of another organization's", async () => {
        const key = newKey();
        const others = [
          { ...key, app: "other" },
          { ...newKey(), app: key.app },
          { organizationId: "", app: key.app },
        ];
        const [text] = texts(1);
        await pins().replacePins(key, record(1, { tools: [tool("mine")] }), []);
        await pins().keepDefinitions(key, texts(1));
        for (const other of others) {
          expect(await pins().readPins(other)).toEqual({ revision: 0, tools: [] });
          expect(await pins().definitions(other, [text?.digest ?? ""])).toEqual([]);
          await pins().dropDefinitions(other, [text?.digest ?? ""]);
        }
        expect(await pins().definitions(key, [text?.digest ?? ""])).toEqual([text]);
      });

      test("74. definitions are kept once and dropped, as many at once as are handed over", async () => {
        const key = newKey();
        const all = texts(DEFINITIONS_AT_ONCE);
        const digests = all.map(({ digest }) => digest);
        await pins().keepDefinitions(key, all);
        await pins().keepDefinitions(key, all.slice(0, 2));
        expect(sorted(await pins().definitions(key, [...digests, "none"]))).toEqual(sorted(all));
        await pins().dropDefinitions(key, [...digests.slice(1), "none"]);
        await pins().dropDefinitions(key, digests.slice(1));
        expect(await pins().definitions(key, digests)).toEqual(all.slice(0, 1));
        expect(await pins().definitions(key, [])).toEqual([]);
      });

      test("74. the longest record and the longest definition have room", async () => {
        const key = newKey();
        const long = record(1, { tools: [tool("ü".repeat((PINS_BYTES - 500) / 2))] });
        expect(
          await pins().replacePins(
            key,
            long,
            Array.from({ length: 20 }, () => event(key)),
          ),
        ).toBe(true);
        expect(await pins().readPins(key)).toEqual(long);
        const text = "\u{1F916}".repeat(DEFINITION_BYTES / 4);
        const definition = { digest: sha256base64url(text), text };
        await pins().keepDefinitions(key, [definition]);
        expect(await pins().definitions(key, [definition.digest])).toEqual([definition]);
      });

      test("pins and definitions survive a restart and what deletes the expired", async () => {
        const key = newKey();
        const pinned = record(1, { firstAt: 1, tools: [tool("kept")] });
        const [text] = texts(1);
        await pins().keepDefinitions(key, texts(1));
        expect(await pins().replacePins(key, pinned, [])).toBe(true);
        await opened.reopen();
        await opened.housekeep();
        expect(await pins().readPins(key)).toEqual(pinned);
        expect(await pins().definitions(key, [text?.digest ?? ""])).toEqual([text]);
        expect(await pins().replacePins(key, record(1), [])).toBe(false);
      });
    });
  });
}

function newKey(): PinsKey {
  return { organizationId: newOrganizationId(), app: "ledger" };
}

function record(revision: number, fields: Partial<PinsRecord> = {}): PinsRecord {
  return { revision, tools: [], ...fields };
}

function tool(name: string): PinnedTool {
  const approved = [{ digest: sha256base64url(name), at: 1, by: "user_1", bytes: 10 }];
  return { tool: name, approved, held: [], changes: 0 };
}

function texts(count: number): readonly PinnedDefinition[] {
  return Array.from({ length: count }, (_, number) => {
    const text = JSON.stringify({ name: `tool ü ${number}` });
    return { digest: sha256base64url(text), text };
  });
}

function sorted(definitions: readonly PinnedDefinition[]): readonly PinnedDefinition[] {
  return [...definitions].sort((one, other) => (one.digest < other.digest ? -1 : 1));
}

function event({ organizationId }: PinsKey) {
  return { ...credentialEvent("tool.held"), organizationId };
}
