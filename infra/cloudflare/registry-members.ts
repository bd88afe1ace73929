import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { MembershipRecord, OrganizationRecord, Role } from "../../lib/stores/directory.ts";
import type { Acceptance, InvitationRecord, Invited } from "../../lib/stores/invitations.ts";
import type { MemberChange, MemberRecord, OrganizationChange } from "../../lib/stores/members.ts";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  listInvitations,
  revokeInvitation,
} from "../../lib/stores/sql/invitations.ts";
import {
  changeRole,
  createOrganization,
  listMembers,
  removeMember,
  renameOrganization,
} from "../../lib/stores/sql/members.ts";
import { announce } from "./announce.ts";
import { RegistryDirectory } from "./registry-directory.ts";

type Member = Pick<MembershipRecord, "organizationId" | "userId">;

/** The registry's further organizations, members and invitations. */
export abstract class RegistryMembers extends RegistryDirectory {
  createOrganization(organization: OrganizationRecord, owner: string, event: AuditEvent): Promise<void> {
    return announce(this.state, undefined, (consequences) =>
      createOrganization(this.state.db, consequences, organization, owner, event),
    );
  }

  renameOrganization(
    change: OrganizationChange,
    event: AuditEvent,
  ): Promise<OrganizationRecord | "not_found" | "stale"> {
    return announce(this.state, undefined, (consequences) =>
      renameOrganization(this.state.db, consequences, change, event),
    );
  }

  listMembers(organizationId: string, page: PageRequest): Page<MemberRecord> {
    return listMembers(this.state.db, organizationId, page);
  }

  changeRole(member: Member, role: Role, event: AuditEvent): Promise<MemberChange> {
    return announce(this.state, undefined, (consequences) =>
      changeRole(this.state.db, consequences, member, role, event),
    );
  }

  removeMember(member: Member, event: AuditEvent): Promise<MemberChange> {
    return announce(this.state, undefined, (consequences) => removeMember(this.state.db, consequences, member, event));
  }

  /** The alarm that this sets for the event also finds when the invitation expires. */
  createInvitation(invitation: InvitationRecord, event: AuditEvent): Promise<void> {
    return announce(this.state, undefined, (consequences) =>
      createInvitation(this.state.db, consequences, invitation, event),
    );
  }

  listInvitations(organizationId: string, now: number): readonly InvitationRecord[] {
    return listInvitations(this.state.db, organizationId, now);
  }

  findInvitation(secretHash: string, now: number): InvitationRecord | undefined {
    return findInvitation(this.state.db, secretHash, now);
  }

  revokeInvitation(organizationId: string, invitationId: string, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      revokeInvitation(this.state.db, consequences, organizationId, invitationId, event),
    );
  }

  acceptInvitation(secretHash: string, now: number, invited: Invited, event: AuditEvent): Promise<Acceptance> {
    return announce(this.state, undefined, (consequences) =>
      acceptInvitation(this.state.db, consequences, secretHash, now, invited, event),
    );
  }
}
