import type { Passkeys } from "../passkeys.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import { addPasskey, getPasskey, listPasskeys, notePasskeyUse, removePasskey } from "./passkeys.ts";

export function sqlPasskeys(executor: SqlExecutor): Passkeys {
  return {
    addPasskey: (passkey, event) => executor.write((db) => addPasskey(db, localConsequences(db), passkey, event)),
    getPasskey: (credentialId) => executor.readLatest((db) => getPasskey(db, credentialId)),
    listPasskeys: (userId) => executor.readLatest((db) => listPasskeys(db, userId)),
    notePasskeyUse: (use) => executor.write((db) => notePasskeyUse(db, use)),
    removePasskey: (userId, credentialId, event) =>
      executor.write((db) => removePasskey(db, localConsequences(db), userId, credentialId, event)),
  };
}
