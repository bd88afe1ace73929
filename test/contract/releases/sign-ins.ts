import { beforeEach, describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import { consent, interaction, redemptionOf, registeredClient, rotationOf, signingKey } from "../grant-records.ts";
import { expectEnded, givenConsent, redeemedChain, revokeConsent, startedChain } from "../grant-workings.ts";
import { apiClient, auditEvent } from "../records.ts";
import type { Releases, ReleasesEngine } from "./engine.ts";

/** The release before this one knows nothing of sign-ins: what this one stored of them is there again after a way back. */
export function signInReleasesContract(engine: ReleasesEngine): void {
  describe(`sign-ins and two releases on ${engine.name}`, () => {
    let releases: Releases;
    beforeEach(async () => {
      releases = await engine.open();
      return () => releases.close();
    });

    /** This release on data of the one before it, which writes once more on `back`. */
    const upgraded = async () => {
      const write = async () => (await releases.previous()).createClient(previousClient());
      await write();
      const stores = await releases.current();
      const back = async () => {
        await write();
        return releases.current();
      };
      return { stores, back };
    };

    describe(`authorization codes on ${engine.name}`, () => {
      test("consents, chains and interactions of this release are there again after the one before it has written", async () => {
        const { stores, back } = await upgraded();
        const one = interaction();
        await stores.grants.begin(one);
        const given = await givenConsent(stores);
        const [started, used, ended] = [
          await startedChain(stores),
          await redeemedChain(stores),
          await redeemedChain(stores),
        ];
        expect(await revokeConsent(stores, ended.consent)).toBe(true);

        const again = await back();
        expect(await again.grants.interaction(one.interactionHash, Date.now())).toEqual(one);
        expect(await again.grants.consent(given.subject, given.clientId)).toEqual(given);
        expect(await again.grants.consent(given.subject, consent().clientId)).toBeUndefined();
        expect(await again.grants.redeem(redemptionOf(started.grant, started.reference))).toBe("redeemed");
        const rotation = rotationOf(used.grant, used.redemption.refreshToken.reference);
        expect(await again.grants.rotate(rotation)).toEqual({ outcome: "rotated" });
        await expectEnded(again, ended, ended.redemption);
      });
    });

    describe(`registered clients on ${engine.name}`, () => {
      test("registrations of this release are there again after the one before it has written", async () => {
        const { stores, back } = await upgraded();
        const record = registeredClient();
        await stores.registeredClients.create(record, auditEvent({ type: "client.registered" }));
        expect(await (await back()).registeredClients.get(record.clientId)).toEqual(record);
      });
    });

    describe(`signing keys on ${engine.name}`, () => {
      test("keys of this release are there again after the one before it has written", async () => {
        const { stores, back } = await upgraded();
        expect(await stores.signingKeys.read()).toEqual({ revision: 0, keys: [] });
        const keys = [signingKey()];
        expect(await stores.signingKeys.replace(0, keys, auditEvent({ type: "signing_keys.changed" }))).toBe(true);
        expect(await (await back()).signingKeys.read()).toEqual({ revision: 1, keys });
      });
    });
  });
}

function previousClient(): Omit<ApiClientRecord, "grantRevision"> {
  const { grantRevision: _, ...client } = apiClient();
  return client;
}
