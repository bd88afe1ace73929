import { describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import { creationThatFails, OTHERS, recorded, settleBesides, sortedIds, type Write } from "./beside-failure.ts";
import { identity, newUserId, passkey, settings } from "./credential-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { auditEvent, newOrganizationId } from "./records.ts";

/** The same for what people sign in with and set: a write beside them fails and undoes only itself. */
export function failingCredentialsContract(engine: StoreEngine): void {
  describe(`failing writes of credentials on ${engine.name}`, () => {
    const opened = openedStores(engine);
    /** Expects the writes, each of which leaves an event, to be recorded after one among them has failed. */
    const expectKept = async (organizationId: string, writes: readonly Write[]) => {
      const failing = await creationThatFails(opened.stores, newOrganizationId());
      const events = await settleBesides(writes, failing, opened);
      expect(await recorded(opened.stores, organizationId, writes.length)).toEqual(sortedIds(events));
    };

    describe(`passkeys on ${engine.name}`, () => {
      test("passkeys that are added beside a failing write are kept", async () => {
        const [userId, organizationId] = [newUserId(), newOrganizationId()];
        const added = Array.from({ length: OTHERS }, (_, i) => passkey({ userId, createdAt: i }));
        const writes = added.map((one) => {
          const event = auditEvent({ type: "passkey.added", organizationId });
          return { event, write: ({ passkeys }: Stores) => passkeys.addPasskey(one, event) };
        });
        await expectKept(organizationId, writes);
        expect(await opened.stores.passkeys.listPasskeys(userId)).toEqual(added);
      });
    });

    describe(`identities on ${engine.name}`, () => {
      test("accounts that are linked beside a failing write are kept", async () => {
        const [userId, organizationId] = [newUserId(), newOrganizationId()];
        const linked = Array.from({ length: OTHERS }, (_, i) => identity({ userId, createdAt: i }));
        const writes = linked.map((one) => {
          const event = auditEvent({ type: "identity.linked", organizationId });
          return { event, write: ({ identities }: Stores) => identities.linkIdentity(one, event) };
        });
        await expectKept(organizationId, writes);
        expect(await opened.stores.identities.listIdentities(userId)).toEqual(linked);
      });
    });

    describe(`settings on ${engine.name}`, () => {
      test("settings that are changed beside a failing write are kept", async () => {
        const organizationId = newOrganizationId();
        const record = settings(1);
        const [changed, other] = [auditEvent({ organizationId }), auditEvent({ organizationId })];
        await expectKept(organizationId, [
          { event: changed, write: (stores) => stores.settings.replaceSettings(record, changed) },
          { event: other, write: ({ auditLog }) => auditLog.append(other) },
        ]);
        expect(await opened.stores.settings.readSettings()).toEqual(record);
      });
    });
  });
}
