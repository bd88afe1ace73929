import type { AuditEvent } from "./audit-log.ts";
import type { PersonRecord, Role } from "./directory.ts";
import { once, type Port, read } from "./operations.ts";

/** An invitation into an organization, for whoever holds its secret: only the secret's hash is kept. */
export interface InvitationRecord {
  /** `inv_<uuid>`. */
  readonly invitationId: string;
  readonly secretHash: string;
  readonly organizationId: string;
  /** Lower-cased: the address of the person that it makes. */
  readonly email: string;
  readonly role: Role;
  /** `user_…` of the owner who made it. */
  readonly invitedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Who accepts: somebody new, made together with the membership, or a person who exists. */
export type Invited = { readonly person: PersonRecord } | { readonly userId: string };

/**
 * `gone`: unknown, used, revoked or expired, or its organization was deleted. `member_already`: the invitation stays.
 */
export type Acceptance = "accepted" | "gone" | "member_already";

/** Linearizable. An event becomes durable together with its change. */
export const INVITATIONS = {
  /** False, and nothing is written, where the organization was deleted. */
  createInvitation: once<(invitation: InvitationRecord, event: AuditEvent) => boolean>(),
  /** Open ones that have not expired at `now`, newest first, 200 at most. */
  listInvitations: read<(organizationId: string, now: number) => readonly InvitationRecord[]>(),
  findInvitation: read<(secretHash: string, now: number) => InvitationRecord | undefined>(),
  /** False when there is no such invitation in the organization that is open at the time of the event. */
  revokeInvitation: once<(organizationId: string, invitationId: string, event: AuditEvent) => boolean>(),
  /** Uses the invitation up, for exactly one caller; membership, and person where new, exist from then on. */
  acceptInvitation: once<(secretHash: string, now: number, invited: Invited, event: AuditEvent) => Acceptance>(),
};

export type Invitations = Port<typeof INVITATIONS>;
