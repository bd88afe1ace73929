import type { Stores } from "../../../lib/stores/stores.ts";
import { credentialEvent, identity, passkey, passkeyUse, settings } from "../credential-records.ts";

/** What people sign in with and set, each to be called again and again. Every person is known by one thing only. */
export const credentials: readonly ((stores: Stores) => Promise<void>)[] = [keepPasskeys, linkAccounts, changeSettings];

/** Two passkeys: one is used, the other one removed. */
async function keepPasskeys({ passkeys }: Stores): Promise<void> {
  const [kept, removed] = [passkey(), passkey()];
  for (const one of [kept, removed]) await passkeys.addPasskey(one, credentialEvent("passkey.added"));
  await passkeys.notePasskeyUse(passkeyUse(kept));
  await passkeys.removePasskey(removed.userId, removed.credentialId, credentialEvent("passkey.removed"));
}

/** Two accounts: one is unlinked again. */
async function linkAccounts({ identities }: Stores): Promise<void> {
  const [kept, unlinked] = [identity(), identity()];
  for (const one of [kept, unlinked]) await identities.linkIdentity(one, credentialEvent("identity.linked"));
  await identities.unlinkIdentity(unlinked.userId, unlinked, credentialEvent("identity.unlinked"));
}

/** Each change names the one before it. */
async function changeSettings(stores: Stores): Promise<void> {
  const { revision, updatedBy } = await stores.settings.readSettings();
  const record = settings(revision + 1, { values: { after: updatedBy ?? "nothing" } });
  await stores.settings.replaceSettings(record, credentialEvent("settings.changed"));
}
