import { uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import type { AuditEvent, AuditEventType } from "../../lib/stores/audit-log.ts";
import type { OrganizationRecord, PersonRecord, Role } from "../../lib/stores/directory.ts";
import type { InvitationRecord, Invited } from "../../lib/stores/invitations.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { newUserId } from "./credential-records.ts";
import { auditEvent, MINUTE, newOrganizationId } from "./records.ts";

export function organization(fields: Partial<OrganizationRecord> = {}): OrganizationRecord {
  return {
    organizationId: newOrganizationId(),
    name: "Bücherei \u{1F4DA}",
    createdAt: Date.now(),
    revision: 1,
    ...fields,
  };
}

export function person(fields: Partial<PersonRecord> = {}): PersonRecord {
  const userId = newUserId();
  return { userId, email: `${userId}@example.com`, createdAt: Date.now(), ...fields };
}

export function invitation(organizationId: string, fields: Partial<InvitationRecord> = {}): InvitationRecord {
  const createdAt = fields.createdAt ?? Date.now();
  return {
    invitationId: `inv_${uuid(random)}`,
    secretHash: uuid(random),
    organizationId,
    email: `${uuid(random)}@example.com`,
    role: "member",
    invitedBy: newUserId(),
    createdAt,
    expiresAt: createdAt + 60 * MINUTE,
    ...fields,
  };
}

export function memberEvent(
  type: AuditEventType,
  organizationId: string,
): AuditEvent & { readonly organizationId: string } {
  return { ...auditEvent({ type, organizationId }), organizationId };
}

/** The region's first owner, whom every further organization here begins with. */
export async function createdFirstOwner(
  { directory }: Stores,
  fields: Partial<PersonRecord> = {},
): Promise<PersonRecord> {
  const first = { organization: organization(), person: person(fields) };
  const event = memberEvent("member.added", first.organization.organizationId);
  if (!(await directory.createFirstOwner(first, event))) throw new Error("there is an owner");
  return first.person;
}

/** An organization of the owner's. */
export async function createdOrganization(
  { members }: Stores,
  owner: PersonRecord,
  fields: Partial<OrganizationRecord> = {},
): Promise<OrganizationRecord> {
  const made = organization(fields);
  await members.createOrganization(made, owner.userId, memberEvent("organization.created", made.organizationId));
  return made;
}

export async function createdInvitation(
  { invitations }: Stores,
  organizationId: string,
  fields: Partial<InvitationRecord> = {},
): Promise<InvitationRecord> {
  const made = invitation(organizationId, fields);
  await invitations.createInvitation(made, memberEvent("member.invited", organizationId));
  return made;
}

/** Somebody joins the organization: by default a person who is new. */
export async function joined(
  stores: Stores,
  organizationId: string,
  role: Role = "member",
  who: PersonRecord = person(),
  now = Date.now(),
): Promise<PersonRecord> {
  const { secretHash } = await createdInvitation(stores, organizationId, { role });
  const isKnown = (await stores.directory.getPerson(who.userId)) !== undefined;
  const invited: Invited = isKnown ? { userId: who.userId } : { person: who };
  const event = memberEvent("member.added", organizationId);
  const acceptance = await stores.invitations.acceptInvitation(secretHash, now, invited, event);
  if (acceptance !== "accepted") throw new Error(`the invitation is ${acceptance}`);
  return who;
}
