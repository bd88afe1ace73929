import { PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { AuditEvent, AuditLog } from "../../../lib/stores/audit-log.ts";
import { toAttribute } from "./attributes.ts";
import { auditEventKey } from "./audit-keys.ts";
import { queryAuditLog } from "./audit-query.ts";
import { tallyAuditLog } from "./audit-tally.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { conditional } from "./conditional.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";

/** The audit log in its own table. Records that wait for their completion carry `open`. */
export function dynamoAuditLog(database: Database, audit: AuditWriter): AuditLog {
  return {
    begin: (event) => putOnce(database, audit, event, { ...event, outcome: "unknown", open: true }),
    append: (event) => putOnce(database, audit, event, event),
    complete: (event, completion) => complete(database, event, completion),
    query: (filter, page) => queryAuditLog(database, filter, page),
    tally: (request) => tallyAuditLog(database, request),
  };
}

async function putOnce(database: Database, audit: AuditWriter, event: AuditEvent, record: object): Promise<void> {
  await audit.noteDay(event);
  await conditional(database, () =>
    database.client.send(
      new PutItemCommand({
        TableName: database.tables.audit,
        Item: toItem(auditEventKey(event), record),
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    ),
  );
}

async function complete(
  database: Database,
  event: Parameters<AuditLog["complete"]>[0],
  completion: Parameters<AuditLog["complete"]>[1],
): Promise<void> {
  const { outcome, reason, durationMs } = completion;
  const fields = Object.entries({ outcome, reason, durationMs }).filter(([, value]) => value !== undefined);
  await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.audit,
        Key: keyAttributes(auditEventKey(event)),
        UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`).join(", ")} REMOVE #open`,
        ConditionExpression: "attribute_exists(#open)",
        ExpressionAttributeNames: {
          "#open": "open",
          ...Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
        },
        ExpressionAttributeValues: Object.fromEntries(fields.map(([name, value]) => [`:${name}`, toAttribute(value)])),
      }),
    ),
  );
}
