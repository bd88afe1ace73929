import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { MembershipRecord, Role } from "../../../lib/stores/directory.ts";
import type { MemberRecord } from "../../../lib/stores/members.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { memberListKey, membershipKey, membershipPartition } from "./keys.ts";
import { readRange, readRecord } from "./reads.ts";
import { putNew } from "./writes.ts";

const PAGE_SIZE = 100;

/** A membership is two items, one among those of its person and one among those of its organization. */
export function newMembership(database: Database, member: MemberRecord) {
  const { email: _, ...membership } = member;
  return {
    membership: putNew(database, membershipKey(member.userId, member.organizationId), membership),
    listing: listingOf(database, member),
  };
}

export function listingOf(database: Database, member: MemberRecord): TransactWriteItem {
  const Item = toItem(memberListKey(member.organizationId, member.createdAt, member.userId), member);
  return { Put: { TableName: database.tables.records, Item } };
}

export function readMembership(
  database: Database,
  { userId, organizationId }: Pick<MembershipRecord, "userId" | "organizationId">,
): Promise<MembershipRecord | undefined> {
  return readRecord<MembershipRecord>(database, "records", membershipKey(userId, organizationId));
}

/** Oldest first. */
export async function membershipsOf(database: Database, userId: string): Promise<readonly MembershipRecord[]> {
  const partition = membershipPartition(userId);
  const found: MembershipRecord[] = [];
  for await (const item of readRange(database, {
    table: "records",
    partition,
    direction: "ascending",
    pageSize: PAGE_SIZE,
  })) {
    found.push(fromItem<MembershipRecord>(item));
  }
  return found.sort((one, other) => one.createdAt - other.createdAt);
}

/** The conditions fail when the membership is no longer the one that was read. */
export function changedMembership(database: Database, read: MembershipRecord, role: Role) {
  const { organizationId, userId, createdAt } = read;
  const change = {
    TableName: database.tables.records,
    UpdateExpression: "SET #role = :next",
    ConditionExpression: "#role = :read",
    ExpressionAttributeNames: { "#role": "role" },
    ExpressionAttributeValues: { ":next": { S: role }, ":read": { S: read.role } },
  };
  return {
    membership: { Update: { ...change, Key: keyAttributes(membershipKey(userId, organizationId)) } },
    listing: { Update: { ...change, Key: keyAttributes(memberListKey(organizationId, createdAt, userId)) } },
  };
}

export function endedMembership(database: Database, read: MembershipRecord) {
  const { organizationId, userId, createdAt } = read;
  const TableName = database.tables.records;
  return {
    membership: {
      Delete: {
        TableName,
        Key: keyAttributes(membershipKey(userId, organizationId)),
        ConditionExpression: "#role = :read",
        ExpressionAttributeNames: { "#role": "role" },
        ExpressionAttributeValues: { ":read": { S: read.role } },
      },
    },
    listing: { Delete: { TableName, Key: keyAttributes(memberListKey(organizationId, createdAt, userId)) } },
  };
}
