import type { Identities } from "../identities.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import { findIdentity, linkIdentity, listIdentities, unlinkIdentity } from "./identities.ts";

export function sqlIdentities(executor: SqlExecutor): Identities {
  return {
    linkIdentity: (identity, event) => executor.write((db) => linkIdentity(db, localConsequences(db), identity, event)),
    findIdentity: (key) => executor.readLatest((db) => findIdentity(db, key)),
    listIdentities: (userId) => executor.readLatest((db) => listIdentities(db, userId)),
    unlinkIdentity: (userId, key, event) =>
      executor.write((db) => unlinkIdentity(db, localConsequences(db), userId, key, event)),
  };
}
