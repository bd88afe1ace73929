import { describe, expect, test } from "vitest";
import { used } from "../credential-records.ts";
import type { Remains } from "./grants.ts";
import { callsOf } from "./journal.ts";

/** What people signed in with and set is there as a whole or not at all. */
export function killedCredentialsContract(name: string, { journals, stores, expectEvent }: Remains): void {
  describe(`passkeys on ${name}`, () => {
    test("each passkey is there as it was last used, with its event, or was removed with another, or never was", async () => {
      const uses = new Map(
        callsOf(journals, "passkeys", "notePasskeyUse").map((call) => [call.args[0].credentialId, call] as const),
      );
      const removals = new Map(
        callsOf(journals, "passkeys", "removePasskey").map((call) => [call.args[1], call] as const),
      );
      for (const { args, acknowledged } of callsOf(journals, "passkeys", "addPasskey")) {
        const [one, event] = args;
        const [use, removal] = [uses.get(one.credentialId), removals.get(one.credentialId)];
        const found = await stores().passkeys.getPasskey(one.credentialId);
        const possible = [
          ...(acknowledged === undefined || removal !== undefined ? [undefined] : []),
          ...(use?.acknowledged === undefined && removal?.acknowledged === undefined ? [one] : []),
          ...(use === undefined ? [] : [used(one, use.args[0])]),
        ];
        expect(possible).toContainEqual(found);
        expect(await stores().passkeys.listPasskeys(one.userId)).toEqual(found === undefined ? [] : [found]);
        await expectEvent(event, found !== undefined || removal !== undefined);
        if (removal !== undefined) await expectEvent(removal.args[2], found === undefined);
      }
    });
  });

  describe(`identities on ${name}`, () => {
    test("each account is linked with its event, or was unlinked with another, or never was linked", async () => {
      const removals = new Map(
        callsOf(journals, "identities", "unlinkIdentity").map((call) => [call.args[1].subject, call] as const),
      );
      for (const { args, acknowledged } of callsOf(journals, "identities", "linkIdentity")) {
        const [one, event] = args;
        const removal = removals.get(one.subject);
        const found = await stores().identities.findIdentity(one);
        const possible = [
          ...(acknowledged === undefined || removal !== undefined ? [undefined] : []),
          ...(removal?.acknowledged === undefined ? [one] : []),
        ];
        expect(possible).toContainEqual(found);
        expect(await stores().identities.listIdentities(one.userId)).toEqual(found === undefined ? [] : [found]);
        await expectEvent(event, found !== undefined || removal !== undefined);
        if (removal !== undefined) await expectEvent(removal.args[2], found === undefined);
      }
    });
  });

  describe(`settings on ${name}`, () => {
    test("each change of the settings took place as a whole, with its event, and none that was acknowledged is lost", async () => {
      const calls = callsOf(journals, "settings", "replaceSettings");
      const last = await stores().settings.readSettings();
      const ofRevision = Map.groupBy(calls, ({ args: [record] }) => record.revision);
      for (const [revision, group] of ofRevision) {
        // Whoever came next named the change that it found.
        const kept = ofRevision.get(revision + 1)?.[0]?.args[0].values.after ?? last.updatedBy;
        const placed = group.filter(({ args }) => args[0].updatedBy === kept);
        expect(placed).toHaveLength(revision <= last.revision ? 1 : 0);
        for (const call of group) {
          const isPlaced = placed.includes(call);
          if (call.acknowledged !== undefined) expect([call.acknowledged.value, isPlaced]).toEqual([true, true]);
          await expectEvent(call.args[1], isPlaced);
          if (isPlaced && revision === last.revision) expect(last).toEqual(call.args[0]);
        }
      }
    });
  });
}
