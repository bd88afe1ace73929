import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { FirstOwner, OrganizationRecord } from "../../../lib/stores/directory.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { firstOrganizationKey, firstOwnerKey, type ItemKey, organizationKey } from "./keys.ts";
import { newMembership } from "./member-items.ts";
import { newPerson } from "./person-items.ts";
import { putNew } from "./put-new.ts";
import { transact } from "./transact.ts";

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
    ...newPerson(database, person),
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
