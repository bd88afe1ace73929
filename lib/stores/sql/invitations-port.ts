import type { Invitations } from "../invitations.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  listInvitations,
  revokeInvitation,
} from "./invitations.ts";

export function sqlInvitations(executor: SqlExecutor): Invitations {
  return {
    createInvitation: (invitation, event) =>
      executor.write((db) => createInvitation(db, localConsequences(db), invitation, event)),
    listInvitations: (organizationId, now) => executor.read((db) => listInvitations(db, organizationId, now)),
    findInvitation: (secretHash, now) => executor.readLatest((db) => findInvitation(db, secretHash, now)),
    revokeInvitation: (organizationId, invitationId, event) =>
      executor.write((db) => revokeInvitation(db, localConsequences(db), organizationId, invitationId, event)),
    acceptInvitation: (secretHash, now, invited, event) =>
      executor.write((db) => acceptInvitation(db, localConsequences(db), secretHash, now, invited, event)),
  };
}
