import type { AuditEvent } from "./audit-log.ts";
import type { MembershipRecord, OrganizationRecord, PersonRecord, Role } from "./directory.ts";
import { once, type Port, read, write } from "./operations.ts";
import type { Page, PageRequest } from "./paging.ts";

/** A member as the others of the organization see it. */
export interface MemberRecord extends MembershipRecord {
  readonly email: string;
}

/**
 * A change to an organization or its members. `unchanged`: it is so already, and nothing is recorded; stores of releases before say
 * `done`. `last_owner`: it would leave the organization without one.
 */
export type MemberChange = "done" | "unchanged" | "not_found" | "last_owner";

export interface OrganizationChange {
  readonly organizationId: string;
  readonly name: string;
  /** Refused as stale when the record has another revision; absent: whatever it is. */
  readonly expectedRevision?: number;
}

/** Organizations beyond the first, and who belongs to them. Linearizable. An event becomes durable together with its change. */
export const MEMBERS = {
  /** Creates an organization with a person, who exists, as its owner. */
  createOrganization:
    once<(organization: OrganizationRecord, owner: PersonRecord["userId"], event: AuditEvent) => void>(),
  /** Whether there is an organization beyond the first. */
  hasSeveralOrganizations: read<() => boolean>(),
  /** The organization after the change, or why there was none. */
  renameOrganization:
    once<(change: OrganizationChange, event: AuditEvent) => OrganizationRecord | "not_found" | "stale">(),
  /**
   * From now on nobody reads, renames, is invited into or joins the organization, gets an API client in it or makes one of its id.
   * Its record stays. Members and what else is left are there to be removed; its last owner can be. Without an event: what ended the
   * organization has one. The same again changes nothing. Never for the first organization.
   */
  closeOrganization: write<(organizationId: string, at: number) => void>(),
  /** Oldest first. */
  listMembers: read<(organizationId: string, page: PageRequest) => Page<MemberRecord>>(),
  /** A role that the member has already is `unchanged`. */
  changeRole:
    once<
      (member: Pick<MembershipRecord, "organizationId" | "userId">, role: Role, event: AuditEvent) => MemberChange
    >(),
  /**
   * A person without any membership left is forgotten: with passkeys, identities, sign-in links and browser sessions, so
   * that the address can be invited again.
   */
  removeMember:
    once<(member: Pick<MembershipRecord, "organizationId" | "userId">, event: AuditEvent) => MemberChange>(),
};

export type Members = Port<typeof MEMBERS>;
