import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { MembershipRecord, OrganizationRecord, Role } from "../../../lib/stores/directory.ts";
import { personId } from "../../../lib/stores/identities.ts";
import type { MemberChange, MemberRecord, Members, OrganizationChange } from "../../../lib/stores/members.ts";
import type { Page, PageRequest } from "../../../lib/stores/paging.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { type Disconnecting, disconnecting } from "./disconnect.ts";
import { forget } from "./forget.ts";
import { listIdentities } from "./identities.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { forgottenKey, memberListPartition, organizationKey, positionAt, severalOrganizationsKey } from "./keys.ts";
import { changedMembership, endedMembership, newMembership, readMembership } from "./member-items.ts";
import { closeOrganization, ownerCount, readCountedOrganization, readOrganization } from "./organization-items.ts";
import { freedAddress, oneMembershipLess, oneMembershipMore, readMemberOf, readPerson } from "./person-items.ts";
import { decodeCursor, encodeCursor, readRange, readRecord } from "./reads.ts";
import { putNew, transact } from "./writes.ts";

/** A sort key of the organization's list. */
const POSITION = /^\d{16}#[!-~]{1,128}$/;

/** Organizations and their members in the records table. */
export function dynamoMembers(database: Database, audit: AuditWriter): Members {
  return {
    createOrganization: (organization, owner, event) => createOrganization(database, audit, organization, owner, event),
    hasSeveralOrganizations: async () => (await readRecord(database, "records", severalOrganizationsKey)) !== undefined,
    renameOrganization: (change, event) => renameOrganization(database, audit, change, event),
    closeOrganization: (organizationId, at) => closeOrganization(database, organizationId, at),
    listMembers: (organizationId, page) => listMembers(database, organizationId, page),
    changeRole: (member, role, event) => changeRole(database, audit, member, role, event),
    removeMember: (member, event) => removeMember(database, audit, member, event),
  };
}

async function createOrganization(
  database: Database,
  audit: AuditWriter,
  organization: OrganizationRecord,
  userId: string,
  event: AuditEvent,
): Promise<void> {
  const { organizationId, createdAt } = organization;
  const person = await readPerson(database, userId);
  if (person === undefined) throw new Error(`there is no person ${userId}`);
  const { email } = person;
  const failed = await transact(database, {
    organization: putNew(database, organizationKey(organizationId), { ...organization, owners: 1 }),
    ...newMembership(database, { organizationId, userId, role: "owner", createdAt, email }),
    person: oneMembershipMore(database, userId),
    several: { Put: { TableName: database.tables.records, Item: toItem(severalOrganizationsKey, {}) } },
    event: await audit.write(event),
  });
  if (failed.has("person")) throw new Error(`there is no person ${userId}`);
  if (failed.size > 0) throw new Error(`organization ${organizationId} exists`);
}

function renameOrganization(
  database: Database,
  audit: AuditWriter,
  { organizationId, name, expectedRevision }: OrganizationChange,
  event: AuditEvent,
): Promise<OrganizationRecord | "not_found" | "stale"> {
  return untilUncontended<OrganizationRecord | "not_found" | "stale">(database.random, async () => {
    const found = await readOrganization(database, organizationId);
    if (found === undefined) return "not_found";
    if (expectedRevision !== undefined && expectedRevision !== found.revision) return "stale";
    const next = { ...found, name, revision: found.revision + 1 };
    const failed = await transact(database, {
      organization: renaming(database, found, next),
      event: await audit.write(event),
    });
    return failed.size === 0 ? next : undefined;
  });
}

/** An item of a former release has no revision, which reads as the first one. */
function renaming(database: Database, read: OrganizationRecord, next: OrganizationRecord) {
  return {
    Update: {
      TableName: database.tables.records,
      Key: keyAttributes(organizationKey(read.organizationId)),
      UpdateExpression: "SET #name = :name, revision = :next",
      ConditionExpression:
        read.revision === 1
          ? "attribute_not_exists(deletedAt) AND (attribute_not_exists(revision) OR revision = :read)"
          : "attribute_not_exists(deletedAt) AND revision = :read",
      ExpressionAttributeNames: { "#name": "name" },
      ExpressionAttributeValues: {
        ":name": { S: next.name },
        ":next": { N: String(next.revision) },
        ":read": { N: String(read.revision) },
      },
    },
  };
}

async function listMembers(
  database: Database,
  organizationId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<MemberRecord>> {
  if ((await readCountedOrganization(database, organizationId)) === undefined) return { items: [] };
  const after = decodeCursor(cursor, POSITION);
  const found: MemberRecord[] = [];
  const range = {
    table: "records",
    partition: memberListPartition(organizationId),
    direction: "ascending",
    pageSize: limit + 1,
    ...(after !== undefined && { after }),
  } as const;
  for await (const item of readRange(database, range)) {
    found.push(fromItem<MemberRecord>(item));
    if (found.length > limit) break;
  }
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return last === undefined || found.length <= limit
    ? { items }
    : { items, nextCursor: encodeCursor(positionAt(last.createdAt, last.userId)) };
}

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
    const found = (await readMember(database, member))?.membership;
    if (found === undefined) return "not_found";
    if (found.role === role) return "unchanged";
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
  let ended: Disconnecting | undefined;
  const change = await untilUncontended<MemberChange>(database.random, async () => {
    const read = await readMember(database, member);
    if (read === undefined) return "not_found";
    const { membership: found, isClosed } = read;
    const memberOf = await readMemberOf(database, member.userId);
    if (memberOf === undefined) return undefined;
    const { person, memberships } = memberOf;
    isForgotten = memberships === 1;
    const people = (await listIdentities(database, member.userId)).map(personId);
    ended = disconnecting(database, audit, { organizationIds: [member.organizationId], people, at: event.time });
    const failed = await transact(database, {
      ...endedMembership(database, found),
      person: oneMembershipLess(database, member.userId, memberships),
      email: isForgotten ? await freedAddress(database, person) : undefined,
      forgotten: isForgotten
        ? putNew(database, forgottenKey(event.time, member.userId), { userId: member.userId })
        : undefined,
      // Nobody counts the owners of an organization that was deleted.
      organization: found.role === "owner" && !isClosed ? ownerCount(database, member.organizationId, -1) : undefined,
      disconnected: ended.write,
      event: await audit.write(event),
    });
    return outcomeOf(failed);
  });
  if (change === "done") await ended?.carryOut();
  if (change === "done" && isForgotten) await forget(database, member.userId);
  return change;
}

interface ReadMember {
  readonly membership: MembershipRecord;
  readonly isClosed: boolean;
}

async function readMember(database: Database, member: Member): Promise<ReadMember | undefined> {
  const read = await readCountedOrganization(database, member.organizationId);
  const membership = read && (await readMembership(database, member));
  return membership && { membership, isClosed: read.isClosed };
}

/** Undefined when something else than the number of owners was no longer as it was read. */
function outcomeOf(failed: ReadonlySet<string>): MemberChange | undefined {
  if (failed.size === 0) return "done";
  return failed.size === 1 && failed.has("organization") ? "last_owner" : undefined;
}
