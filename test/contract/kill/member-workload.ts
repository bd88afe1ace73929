import type { AuditEventType } from "../../../lib/stores/audit-log.ts";
import type { PersonRecord } from "../../../lib/stores/directory.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { createdFirstOwner, createdInvitation, createdOrganization, memberEvent, person } from "../member-records.ts";

/** Of whoever owns the organizations here, also for a writer that finds another's data. */
const OWNER = "owner@example.com";

/** An organization with four invitations: one stays, one is revoked, one makes an owner, and one somebody who goes again. */
export async function manageMembers(stores: Stores): Promise<void> {
  const { members, invitations } = stores;
  const { organizationId } = await createdOrganization(stores, await ownerIn(stores));
  const invite = () => createdInvitation(stores, organizationId);
  const [, revoked, promoting, passing] = await Promise.all([invite(), invite(), invite(), invite()]);
  const event = (type: AuditEventType) => memberEvent(type, organizationId);
  const join = async (secretHash: string): Promise<PersonRecord> => {
    const one = person();
    await invitations.acceptInvitation(secretHash, Date.now(), { person: one }, event("member.added"));
    return one;
  };
  const [promoted, removed] = await Promise.all([
    join(promoting.secretHash),
    join(passing.secretHash),
    invitations.revokeInvitation(organizationId, revoked.invitationId, event("invitation.revoked")),
  ]);
  await Promise.all([
    members.changeRole({ organizationId, userId: promoted.userId }, "owner", event("member.role_changed")),
    members.removeMember({ organizationId, userId: removed.userId }, event("member.removed")),
  ]);
}

async function ownerIn(stores: Stores): Promise<PersonRecord> {
  return (await stores.directory.findPersonByEmail(OWNER)) ?? createdFirstOwner(stores, { email: OWNER });
}
