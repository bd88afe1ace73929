import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { OrganizationRecord } from "../../../lib/stores/directory.ts";
import type { MemberRecord, Members, OrganizationChange } from "../../../lib/stores/members.ts";
import type { Page, PageRequest } from "../../../lib/stores/paging.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes } from "./items.ts";
import { memberListPartition, organizationKey, positionAt } from "./keys.ts";
import { changeRole, removeMember } from "./member-change.ts";
import { newMembership } from "./member-items.ts";
import { readCountedOrganization, readOrganization } from "./organization-items.ts";
import { oneMembershipMore, readPerson } from "./person-items.ts";
import { putNew } from "./put-new.ts";
import { readRange } from "./reads.ts";
import { transact } from "./transact.ts";

/** A sort key of the organization's list. */
const POSITION = /^\d{16}#[!-~]{1,128}$/;

/** Organizations and their members in the records table. */
export function dynamoMembers(database: Database, audit: AuditWriter): Members {
  return {
    createOrganization: (organization, owner, event) => createOrganization(database, audit, organization, owner, event),
    renameOrganization: (change, event) => renameOrganization(database, audit, change, event),
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
        read.revision === 1 ? "attribute_not_exists(revision) OR revision = :read" : "revision = :read",
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
