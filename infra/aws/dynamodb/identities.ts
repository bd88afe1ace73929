import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { type Identities, type IdentityKey, type IdentityRecord, personId } from "../../../lib/stores/identities.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { disconnecting } from "./disconnect.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { identityKey, identityListKey, identityListPartition } from "./keys.ts";
import { membershipsOf } from "./member-items.ts";
import { readRange, readRecord } from "./reads.ts";
import { putNew, transact } from "./writes.ts";

/** DynamoDB reads so many at a time; few people have more than a handful. */
const PAGE_SIZE = 100;

/** People's accounts at connectors in the records table. A record never changes: it is there twice, by account and by person. */
export function dynamoIdentities(database: Database, audit: AuditWriter): Identities {
  return {
    linkIdentity: (identity, event) => linkIdentity(database, audit, identity, event),
    findIdentity: (key) => readRecord<IdentityRecord>(database, "records", identityKey(key)),
    listIdentities: (userId) => listIdentities(database, userId),
    unlinkIdentity: (userId, key, event) => unlinkIdentity(database, audit, userId, key, event),
  };
}

async function linkIdentity(
  database: Database,
  audit: AuditWriter,
  identity: IdentityRecord,
  event: AuditEvent,
): Promise<boolean> {
  const failed = await transact(database, {
    identity: putNew(database, identityKey(identity), identity),
    listing: {
      Put: { TableName: database.tables.records, Item: toItem(identityListKey(identity.userId, identity), identity) },
    },
    event: await audit.write(event),
  });
  return failed.size === 0;
}

export async function listIdentities(database: Database, userId: string): Promise<readonly IdentityRecord[]> {
  const range = { table: "records", direction: "ascending", pageSize: PAGE_SIZE } as const;
  const found: IdentityRecord[] = [];
  for await (const item of readRange(database, { ...range, partition: identityListPartition(userId) })) {
    found.push(fromItem<IdentityRecord>(item));
  }
  return found.sort((one, other) => one.createdAt - other.createdAt);
}

async function unlinkIdentity(
  database: Database,
  audit: AuditWriter,
  userId: string,
  key: IdentityKey,
  event: AuditEvent,
): Promise<boolean> {
  const TableName = database.tables.records;
  const organizationIds = (await membershipsOf(database, userId)).map(({ organizationId }) => organizationId);
  const ended = disconnecting(database, audit, { organizationIds, people: [personId(key)], at: event.time });
  const failed = await transact(database, {
    identity: {
      Delete: {
        TableName,
        Key: keyAttributes(identityKey(key)),
        ConditionExpression: "userId = :userId",
        ExpressionAttributeValues: { ":userId": { S: userId } },
      },
    },
    listing: { Delete: { TableName, Key: keyAttributes(identityListKey(userId, key)) } },
    disconnected: ended.write,
    event: await audit.write(event),
  });
  if (failed.size > 0) return false;
  await ended.carryOut();
  return true;
}
