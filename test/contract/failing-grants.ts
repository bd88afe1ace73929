import { describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import { creationThatFails, OTHERS, recorded, settleBesides, sortedIds } from "./beside-failure.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import {
  authorizationCode,
  grantOn,
  redemptionOf,
  referenceOf,
  registeredClient,
  signingKey,
} from "./grant-records.ts";
import { recordedOf, redeemedChain, startedChain } from "./grant-workings.ts";
import { auditEvent, newOrganizationId } from "./records.ts";

/** The same for what sign-ins leave: one of many writes at a time fails and undoes only itself. */
export function failingGrantsContract(engine: StoreEngine): void {
  describe(`failing writes of sign-ins on ${engine.name}`, () => {
    const opened = openedStores(engine);

    describe(`authorization codes on ${engine.name}`, () => {
      test("of many redemptions at a time one that brings a token that exists fails, uses no code, and the others are kept", async () => {
        const taken = await redeemedChain(opened.stores);
        const [grant, reference] = [grantOn(taken.consent), referenceOf(taken.grant)];
        expect(await opened.stores.grants.start(grant, authorizationCode(), reference)).toBe(true);
        const chains = await Promise.all(Array.from({ length: OTHERS }, () => startedChain(opened.stores)));
        const redemptions = chains.map((chain) => redemptionOf(chain.grant, chain.reference));
        const fresh = redemptionOf(grant, reference);
        const { token } = fresh.accessToken;
        const accessToken = { reference: taken.redemption.accessToken.reference, token };
        await settleBesides(
          redemptions.map((redemption) => ({ write: ({ grants }: Stores) => grants.redeem(redemption) })),
          ({ grants }) => grants.redeem({ ...fresh, accessToken }),
          opened,
        );
        const { grants, tokens } = opened.stores;
        for (const redemption of [taken.redemption, ...redemptions]) {
          const { accessToken: one, refreshToken, now } = redemption;
          expect(await tokens.introspect(one.reference, now)).toEqual(one.token);
          expect(await grants.refreshToken(refreshToken.reference, now)).toBeDefined();
        }
        expect(await grants.refreshToken(fresh.refreshToken.reference, fresh.now)).toBeUndefined();
        expect(await grants.code(reference, fresh.now)).toMatchObject({ isUsed: false });
        const again = redemptionOf(grant, reference);
        expect(await grants.redeem(again)).toBe("redeemed");
        expect(await recordedOf(opened.stores, grant, "token.issued", 1)).toEqual([again.event.id]);
      });
    });

    describe(`registered clients on ${engine.name}`, () => {
      test("of many registrations at a time one of an id that exists fails, leaves nothing, and the others are kept", async () => {
        const organizationId = newOrganizationId();
        const event = () => auditEvent({ type: "client.registered", organizationId });
        const [taken, ...others] = Array.from({ length: OTHERS + 1 }, () => registeredClient());
        if (taken === undefined) throw new Error("one is there");
        await opened.stores.registeredClients.create(taken, auditEvent());
        const again = { ...taken, metadata: { client_name: "Another" }, createdAt: taken.createdAt + 1 };
        const events = await settleBesides(
          others.map((record) => {
            const own = event();
            return { event: own, write: ({ registeredClients }: Stores) => registeredClients.create(record, own) };
          }),
          ({ registeredClients }) => registeredClients.create(again, event()),
          opened,
        );
        for (const record of [taken, ...others]) {
          expect(await opened.stores.registeredClients.get(record.clientId)).toEqual(record);
        }
        expect(await recorded(opened.stores, organizationId, OTHERS)).toEqual(sortedIds(events));
      });
    });

    describe(`signing keys on ${engine.name}`, () => {
      test("a set of keys that is put in place beside a failing write is kept", async () => {
        const { revision } = await opened.stores.signingKeys.read();
        const keys = [signingKey(), signingKey({ retiresAt: 5, removedAt: 6 })];
        const organizationId = newOrganizationId();
        const event = auditEvent({ type: "signing_keys.changed", organizationId });
        const replace = ({ signingKeys }: Stores) => signingKeys.replace(revision, keys, event);
        const failing = await creationThatFails(opened.stores, newOrganizationId());
        const append = (one: ReturnType<typeof auditEvent>) => ({
          write: ({ auditLog }: Stores) => auditLog.append(one),
        });
        await settleBesides([{ write: replace }, append(auditEvent())], failing, opened);
        expect(await opened.stores.signingKeys.read()).toEqual({ revision: revision + 1, keys });
        expect(await recorded(opened.stores, organizationId, 1)).toEqual([event.id]);
      });
    });
  });
}
