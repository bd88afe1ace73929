import { type TransactWriteItem, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { hex } from "../../../lib/kernel/encoding.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Directory, FirstOwner, OrganizationRecord, SignInLinkRecord } from "../../../lib/stores/directory.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { browserSessions } from "./browser-sessions.ts";
import type { Database } from "./database.ts";
import { fromItem, type Item, keyAttributes, toItem } from "./items.ts";
import {
  emailKey,
  firstOrganizationKey,
  firstOwnerKey,
  type ItemKey,
  linkKey,
  linkListKey,
  organizationKey,
} from "./keys.ts";
import { membershipsOf, newMembership } from "./member-items.ts";
import { readOrganization } from "./organization-items.ts";
import { heldAddress, newPerson, readPerson } from "./person-items.ts";
import { readRecord } from "./reads.ts";
import { conditional, putNew, transact } from "./writes.ts";

/** Organizations and people in the records table, browser sessions in the sessions table. */
export function dynamoDirectory(database: Database, audit: AuditWriter): Directory {
  return {
    createFirstOrganization: (first, event) => createFirstOrganization(database, audit, first, event),
    createFirstOwner: (first, event) => createFirstOwner(database, audit, first, event),
    getOrganization: (organizationId) => readOrganization(database, organizationId),
    getPerson: (userId) => readPerson(database, userId),
    async firstOrganization() {
      const first = await readRecord<{ organizationId: string }>(database, "records", firstOrganizationKey);
      return first && readOrganization(database, first.organizationId);
    },
    async findPersonByEmail(email) {
      const reserved = await readRecord<{ userId: string }>(database, "records", emailKey(email));
      return reserved && readPerson(database, reserved.userId);
    },
    memberships: (userId) => membershipsOf(database, userId),
    ...signInLinks(database, audit),
    ...browserSessions(database),
  };
}

/** Decided by the item that names the oldest organization. */
export async function createFirstOrganization(
  database: Database,
  audit: AuditWriter,
  organization: OrganizationRecord,
  event: AuditEvent,
): Promise<boolean> {
  const { organizationId } = organization;
  const failed = await transact(database, {
    first: putNew(database, firstOrganizationKey, { organizationId }),
    organization: putNew(database, organizationKey(organizationId), organization),
    event: await audit.write(event),
  });
  return failed.size === 0;
}

/** Decided by the item that exists from the first owner on. */
export async function createFirstOwner(
  database: Database,
  audit: AuditWriter,
  { organization, person }: FirstOwner,
  event: AuditEvent,
): Promise<boolean> {
  const { organizationId } = organization;
  const { userId, email, createdAt } = person;
  const failed = await transact(database, {
    owner: putNew(database, firstOwnerKey, { organizationId, userId }),
    first: setUnlessPresent(database, firstOrganizationKey, { organizationId }, {}),
    organization: setUnlessPresent(
      database,
      organizationKey(organizationId),
      { organizationId, createdAt: organization.createdAt, revision: organization.revision },
      { name: organization.name, owners: 1 },
    ),
    person: newPerson(database, person),
    email: heldAddress(database, person),
    ...newMembership(database, { organizationId, userId, role: "owner", createdAt, email }),
    event: await audit.write(event),
  });
  if (failed.has("owner")) return false;
  if (failed.size > 0) throw new Error(`the first owner's ${[...failed].join(" and ")} existed before the owner`);
  return true;
}

/** Creates the item, or changes an existing one: attributes of `once` keep their values, those of `always` get new ones. */
function setUnlessPresent(database: Database, key: ItemKey, once: object, always: object): TransactWriteItem {
  const { pk, sk, v, ...attributes } = toItem(key, { ...once, ...always });
  const assignments = Object.keys(attributes).map((name) =>
    name in once ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`,
  );
  return {
    Update: {
      TableName: database.tables.records,
      Key: keyAttributes(key),
      UpdateExpression: `SET v = :v, ${assignments.join(", ")}`,
      ExpressionAttributeNames: Object.fromEntries(Object.keys(attributes).map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...(v !== undefined && { ":v": v }),
        ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value])),
      },
    },
  };
}

/** One-time sign-in links in the records table. The first nonce in the item names the one caller who gets it. */
function signInLinks(
  database: Database,
  audit: AuditWriter,
): Pick<Directory, "createSignInLink" | "consumeSignInLink"> {
  const TableName = database.tables.records;
  return {
    async createSignInLink(link, event) {
      await transact(database, {
        link: { Put: { TableName, Item: toItem(linkKey(link.secretHash), link, link.expiresAt) } },
        listing: { Put: { TableName, Item: toItem(linkListKey(link.userId, link.secretHash), {}, link.expiresAt) } },
        event: event && (await audit.write(event)),
      });
    },
    async consumeSignInLink(secretHash, now) {
      // When the SDK repeats a write whose answer was lost, the condition fails on our own nonce, which tells.
      const nonce = hex(database.random.bytes(16));
      const result = await conditional(database, () =>
        database.client.send(
          new UpdateItemCommand({
            TableName,
            Key: keyAttributes(linkKey(secretHash)),
            UpdateExpression: "SET nonce = :nonce",
            ConditionExpression: "expiresAt > :now AND attribute_not_exists(nonce)",
            ExpressionAttributeValues: { ":now": { N: String(now) }, ":nonce": { S: nonce } },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      const item = result.met ? result.output.Attributes : result.failure.Item;
      return item?.nonce?.S === nonce ? linkIn(item) : undefined;
    },
  };
}

function linkIn({ nonce, ...item }: Item): SignInLinkRecord {
  return fromItem<SignInLinkRecord>(item);
}
