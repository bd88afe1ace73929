import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { PersonRecord } from "../../../lib/stores/directory.ts";
import type { Acceptance, Invited } from "../../../lib/stores/invitations.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { endedInvitation, readInvitation } from "./invitation-items.ts";
import { newMembership } from "./member-items.ts";
import { ownerCount, readCountedOrganization } from "./organization-items.ts";
import { newPerson, oneMembershipMore, readPerson } from "./person-items.ts";
import { transact } from "./transact.ts";

export interface AcceptanceRequest {
  readonly secretHash: string;
  readonly now: number;
  readonly invited: Invited;
  readonly event: AuditEvent;
}

/**
 * Decided by the invitation's item, which is deleted for exactly one caller; a record never changes, so what was read of
 * it holds.
 *
 * @throws Error when it is to be accepted by a person who does not exist
 */
export async function acceptInvitation(
  database: Database,
  audit: AuditWriter,
  { secretHash, now, invited, event }: AcceptanceRequest,
): Promise<Acceptance> {
  const invitation = await readInvitation(database, secretHash, now);
  if (invitation === undefined) return "gone";
  const { organizationId, role } = invitation;
  const { userId, email } = await personOf(database, invited);
  if (role === "owner") await readCountedOrganization(database, organizationId);
  const failed = await transact(database, {
    ...endedInvitation(database, invitation),
    ...newMembership(database, { organizationId, userId, role, createdAt: now, email }),
    ...("person" in invited
      ? newPerson(database, invited.person)
      : { person: oneMembershipMore(database, userId), email: undefined }),
    organization: role === "owner" ? ownerCount(database, organizationId, 1) : undefined,
    event: await audit.write(event),
  });
  if (failed.size === 0) return "accepted";
  if (failed.has("invitation")) return "gone";
  if (failed.has("email")) return "email_taken";
  if (failed.has("membership")) return "member_already";
  throw new Error(`an invitation met ${[...failed].join(" and ")}`);
}

async function personOf(database: Database, invited: Invited): Promise<Pick<PersonRecord, "userId" | "email">> {
  if ("person" in invited) return invited.person;
  const person = await readPerson(database, invited.userId);
  if (person === undefined) throw new Error(`there is no person ${invited.userId}`);
  return person;
}
