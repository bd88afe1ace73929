import type { Members } from "../members.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import { changeRole, createOrganization, listMembers, removeMember, renameOrganization } from "./members.ts";

export function sqlMembers(executor: SqlExecutor): Members {
  return {
    createOrganization: (organization, owner, event) =>
      executor.write((db) => createOrganization(db, localConsequences(db), organization, owner, event)),
    renameOrganization: (change, event) =>
      executor.write((db) => renameOrganization(db, localConsequences(db), change, event)),
    listMembers: (organizationId, page) => executor.read((db) => listMembers(db, organizationId, page)),
    changeRole: (member, role, event) =>
      executor.write((db) => changeRole(db, localConsequences(db), member, role, event)),
    removeMember: (member, event) => executor.write((db) => removeMember(db, localConsequences(db), member, event)),
  };
}
