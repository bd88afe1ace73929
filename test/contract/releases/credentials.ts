import { beforeEach, describe, expect, test } from "vitest";
import { credentialEvent, identity, passkey, passkeyUse, settings, used } from "../credential-records.ts";
import { apiClient } from "../records.ts";
import type { Releases, ReleasesEngine } from "./engine.ts";

/** The release before this one knows nothing of what people sign in with here: it is there again after a way back. */
export function credentialReleasesContract(engine: ReleasesEngine): void {
  describe(`credentials and two releases on ${engine.name}`, () => {
    let releases: Releases;
    beforeEach(async () => {
      releases = await engine.open();
      return () => releases.close();
    });

    /** This release on data of the one before it, which writes once more on `back`. */
    const upgraded = async () => {
      const { grantRevision: _, ...client } = apiClient();
      await (await releases.previous()).createClient(client);
      const stores = await releases.current();
      const back = async () => {
        const { grantRevision: _, ...other } = apiClient();
        await (await releases.previous()).createClient(other);
        return releases.current();
      };
      return { stores, back };
    };

    describe(`passkeys on ${engine.name}`, () => {
      test("passkeys of this release are there again after the one before it has written", async () => {
        const { stores, back } = await upgraded();
        const one = passkey();
        const use = passkeyUse(one);
        expect(await stores.passkeys.addPasskey(one, credentialEvent("passkey.added"))).toBe(true);
        expect(await stores.passkeys.notePasskeyUse(use)).toBe(true);
        expect(await (await back()).passkeys.listPasskeys(one.userId)).toEqual([used(one, use)]);
      });
    });

    describe(`identities on ${engine.name}`, () => {
      test("linked accounts of this release are there again after the one before it has written", async () => {
        const { stores, back } = await upgraded();
        const one = identity();
        expect(await stores.identities.linkIdentity(one, credentialEvent("identity.linked"))).toBe(true);
        expect(await (await back()).identities.findIdentity(one)).toEqual(one);
      });
    });

    describe(`settings on ${engine.name}`, () => {
      test("settings of this release are there again after the one before it has written", async () => {
        const { stores, back } = await upgraded();
        expect(await stores.settings.readSettings()).toEqual({ revision: 0, values: {} });
        const record = settings(1);
        expect(await stores.settings.replaceSettings(record, credentialEvent("settings.changed"))).toBe(true);
        expect(await (await back()).settings.readSettings()).toEqual(record);
      });
    });
  });
}
