import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { MembershipRecord, Role } from "../../../lib/stores/directory.ts";
import type { MemberChange } from "../../../lib/stores/members.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { forget } from "./forget.ts";
import { keyAttributes } from "./items.ts";
import { emailKey, forgottenKey } from "./keys.ts";
import { changedMembership, endedMembership, readMembership } from "./member-items.ts";
import { ownerCount, readCountedOrganization } from "./organization-items.ts";
import { oneMembershipLess, readMemberOf } from "./person-items.ts";
import { putNew } from "./put-new.ts";
import { transact } from "./transact.ts";

type Member = Pick<MembershipRecord, "organizationId" | "userId">;

/** Decided by the role that was read and by the number of owners: whichever change is second meets what the first left. */
export function changeRole(
  database: Database,
  audit: AuditWriter,
  member: Member,
  role: Role,
  event: AuditEvent,
): Promise<MemberChange> {
  return untilUncontended<MemberChange>(database.random, async () => {
    const found = await readMember(database, member);
    if (found === undefined) return "not_found";
    if (found.role === role) return "done";
    const failed = await transact(database, {
      ...changedMembership(database, found, role),
      organization: ownerCount(database, member.organizationId, role === "owner" ? 1 : -1),
      event: await audit.write(event),
    });
    return outcomeOf(failed);
  });
}

/**
 * The last membership takes person and address along at once. What else is theirs follows, and where this process ends
 * before, the next sweep sees to it.
 */
export async function removeMember(
  database: Database,
  audit: AuditWriter,
  member: Member,
  event: AuditEvent,
): Promise<MemberChange> {
  let isForgotten = false;
  const change = await untilUncontended<MemberChange>(database.random, async () => {
    const found = await readMember(database, member);
    if (found === undefined) return "not_found";
    const memberOf = await readMemberOf(database, member.userId);
    if (memberOf === undefined) return undefined;
    const { person, memberships } = memberOf;
    isForgotten = memberships === 1;
    const failed = await transact(database, {
      ...endedMembership(database, found),
      person: oneMembershipLess(database, member.userId, memberships),
      email: isForgotten ? freed(database, person.email) : undefined,
      forgotten: isForgotten
        ? putNew(database, forgottenKey(event.time, member.userId), { userId: member.userId })
        : undefined,
      organization: found.role === "owner" ? ownerCount(database, member.organizationId, -1) : undefined,
      event: await audit.write(event),
    });
    return outcomeOf(failed);
  });
  if (change === "done" && isForgotten) await forget(database, member.userId);
  return change;
}

async function readMember(database: Database, member: Member): Promise<MembershipRecord | undefined> {
  const organization = await readCountedOrganization(database, member.organizationId);
  return organization && readMembership(database, member);
}

/** Undefined when something else than the number of owners was no longer as it was read. */
function outcomeOf(failed: ReadonlySet<string>): MemberChange | undefined {
  if (failed.size === 0) return "done";
  return failed.size === 1 && failed.has("organization") ? "last_owner" : undefined;
}

function freed(database: Database, email: string) {
  return { Delete: { TableName: database.tables.records, Key: keyAttributes(emailKey(email)) } };
}
