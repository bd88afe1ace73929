import { type TransactWriteItem, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { MembershipRecord, OrganizationRecord } from "../../../lib/stores/directory.ts";
import type { Database } from "./database.ts";
import { keyAttributes } from "./items.ts";
import { firstOwnerKey, membershipKey, organizationKey } from "./keys.ts";
import { listingOf } from "./member-items.ts";
import { readPerson } from "./person-items.ts";
import { readRecord } from "./reads.ts";
import { conditional, transact } from "./writes.ts";

/**
 * Releases that knew one organization with one owner wrote neither `revision` nor `owners`, how many owners there are, and
 * listed no members.
 */
interface ItemOfOrganization extends Omit<OrganizationRecord, "revision"> {
  readonly revision?: number;
  readonly owners?: number;
  /** Milliseconds since the epoch; absent: it was not deleted. A release before leaves it as it is. */
  readonly deletedAt?: number;
}

export interface CountedOrganization {
  readonly organization: OrganizationRecord;
  readonly isClosed: boolean;
}

export async function readOrganization(
  database: Database,
  organizationId: string,
): Promise<OrganizationRecord | undefined> {
  const item = await readItem(database, organizationId);
  return item === undefined || item.deletedAt !== undefined ? undefined : recordOf(item);
}

/** Also one that was deleted, its owners counted and its members listed, also where a former release made it. */
export async function readCountedOrganization(
  database: Database,
  organizationId: string,
): Promise<CountedOrganization | undefined> {
  const item = await readItem(database, organizationId);
  if (item !== undefined && item.owners === undefined) await countFirstOwner(database, organizationId);
  return item && { organization: recordOf(item), isClosed: item.deletedAt !== undefined };
}

/** Makes a transaction fail once the organization was deleted, so that of the two one is first. */
export function unlessClosed(database: Database, organizationId: string): TransactWriteItem {
  return {
    ConditionCheck: {
      TableName: database.tables.records,
      Key: keyAttributes(organizationKey(organizationId)),
      ConditionExpression: "attribute_not_exists(deletedAt)",
    },
  };
}

/** Nothing where it was deleted before, or where there is none. */
export async function closeOrganization(database: Database, organizationId: string, at: number): Promise<void> {
  await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.records,
        Key: keyAttributes(organizationKey(organizationId)),
        UpdateExpression: "SET deletedAt = :at",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(deletedAt)",
        ExpressionAttributeValues: { ":at": { N: String(at) } },
      }),
    ),
  );
}

/** Counts an owner more or one less. Its condition fails when that would leave none, and when the organization was deleted. */
export function ownerCount(database: Database, organizationId: string, change: 1 | -1): TransactWriteItem {
  return {
    Update: {
      TableName: database.tables.records,
      Key: keyAttributes(organizationKey(organizationId)),
      UpdateExpression: "ADD owners :change",
      ConditionExpression: change === 1 ? "attribute_exists(pk) AND attribute_not_exists(deletedAt)" : "owners > :one",
      ExpressionAttributeValues: {
        ":change": { N: String(change) },
        ...(change === -1 && { ":one": { N: "1" } }),
      },
    },
  };
}

/** The one member of a former release's organization is the first owner, unless an operator made it and it has none yet. */
async function countFirstOwner(database: Database, organizationId: string): Promise<void> {
  const first = await readRecord<{ organizationId: string; userId: string }>(database, "records", firstOwnerKey);
  if (first?.organizationId !== organizationId) return;
  const key = membershipKey(first.userId, organizationId);
  const [membership, person] = await Promise.all([
    readRecord<MembershipRecord>(database, "records", key),
    readPerson(database, first.userId),
  ]);
  if (membership === undefined || person === undefined) return;
  // Where a condition fails, somebody else has counted meanwhile.
  await transact(database, {
    organization: {
      Update: {
        TableName: database.tables.records,
        Key: keyAttributes(organizationKey(organizationId)),
        UpdateExpression: "SET owners = :one",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(owners)",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      },
    },
    listing: listingOf(database, { ...membership, email: person.email }),
  });
}

function readItem(database: Database, organizationId: string): Promise<ItemOfOrganization | undefined> {
  return readRecord<ItemOfOrganization>(database, "records", organizationKey(organizationId));
}

function recordOf({ organizationId, name, createdAt, revision = 1 }: ItemOfOrganization): OrganizationRecord {
  return { organizationId, name, createdAt, revision };
}
