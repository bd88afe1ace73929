import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { credentialEvent, identity, passkey, passkeyUse, settings, used } from "../contract/credential-records.ts";
import { type Fault, type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION } from "./support/token-requests.ts";

describe("passkeys, identities and settings whose answer was lost", () => {
  let it: OpenFaultyProduct;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION);
  });
  beforeEach(async () => {
    await it.set();
    await it.counted();
  });
  afterAll(() => it.close());

  const lose = (times: number, ...methods: readonly string[]) =>
    it.set(
      ...methods.map(
        (method): Fault => ({ binding: "REGISTRY", method, how: "lose", error: { retryable: true }, times }),
      ),
    );

  test("a change is asked for once, and what became of it is there to be read", async () => {
    const { passkeys, identities, settings: ofConsole } = it.stores();
    const [one, account, record] = [passkey(), identity(), settings(1)];
    const use = passkeyUse(one);
    const changes = {
      addPasskey: () => passkeys.addPasskey(one, credentialEvent("passkey.added")),
      notePasskeyUse: () => passkeys.notePasskeyUse(use),
      linkIdentity: () => identities.linkIdentity(account, credentialEvent("identity.linked")),
      replaceSettings: () => ofConsole.replaceSettings(record, credentialEvent("settings.changed")),
    };
    await lose(1, ...Object.keys(changes));
    for (const change of Object.values(changes)) await expect(change()).rejects.toThrow("a fault of the test");
    expect(await passkeys.getPasskey(one.credentialId)).toEqual(used(one, use));
    expect(await identities.findIdentity(account)).toEqual(account);
    expect(await ofConsole.readSettings()).toEqual(record);
    const removals = {
      removePasskey: () => passkeys.removePasskey(one.userId, one.credentialId, credentialEvent("passkey.removed")),
      unlinkIdentity: () => identities.unlinkIdentity(account.userId, account, credentialEvent("identity.unlinked")),
    };
    await lose(1, ...Object.keys(removals));
    for (const removal of Object.values(removals)) await expect(removal()).rejects.toThrow("a fault of the test");
    expect(await passkeys.getPasskey(one.credentialId)).toBeUndefined();
    expect(await identities.findIdentity(account)).toBeUndefined();
    const { calls } = await it.counted();
    for (const method of Object.keys({ ...changes, ...removals })) {
      expect(calls.filter((call) => call === `REGISTRY.${method}`)).toHaveLength(1);
    }
  });

  test("reads are made until they are answered", async () => {
    const { passkeys, identities, settings: ofConsole } = it.stores();
    await lose(2, "getPasskey", "listPasskeys", "findIdentity", "listIdentities", "settings");
    const [one, account] = [passkey(), identity()];
    expect(await passkeys.getPasskey(one.credentialId)).toBeUndefined();
    expect(await passkeys.listPasskeys(one.userId)).toEqual([]);
    expect(await identities.findIdentity(account)).toBeUndefined();
    expect(await identities.listIdentities(account.userId)).toEqual([]);
    expect((await ofConsole.readSettings()).values).toBeDefined();
  });
});
