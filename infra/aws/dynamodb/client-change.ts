import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Decision } from "../../../lib/api-clients/changes.ts";
import type { ApiClientRecord, ChangeResult, ChangeTarget } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { clientKey, clientListKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { tombstoneWrite } from "./tombstones.ts";
import { transact } from "./transact.ts";

/**
 * Reads the client, lets `decide` look at it, and writes the decision together with its audit event on the condition that
 * the revision is still the one read; otherwise reads and decides again.
 */
export function changeClient<T>(
  database: Database,
  audit: AuditWriter,
  { organizationId, clientId }: ChangeTarget,
  event: AuditEvent,
  decide: (found: ApiClientRecord) => Decision<T>,
): Promise<ChangeResult<T>> {
  return untilUncontended<ChangeResult<T>>(database.random, async () => {
    const found = await readRecord<ApiClientRecord>(database, "records", clientKey(clientId));
    if (found?.organizationId !== organizationId) return { outcome: "not_found" };
    const decision = decide(found);
    if (decision.kind === "answer") return decision.result;
    const tombstones = decision.tombstones.map((id, index) => [`tombstone${index}`, tombstoneWrite(database, id)]);
    const failed = await transact(database, {
      client: clientWrite(database, found, decision.kind === "write" ? decision.next : undefined),
      listing: decision.kind === "remove" ? listingRemoval(database, found) : undefined,
      event: await audit.write(event),
      ...Object.fromEntries(tombstones),
    });
    return failed.size > 0 ? undefined : { outcome: "done", value: decision.value };
  });
}

function clientWrite(database: Database, read: ApiClientRecord, next: ApiClientRecord | undefined): TransactWriteItem {
  const TableName = database.tables.records;
  const unchanged = {
    ConditionExpression: "revision = :read",
    ExpressionAttributeValues: { ":read": { N: String(read.revision) } },
  };
  const key = clientKey(read.clientId);
  return next === undefined
    ? { Delete: { TableName, Key: keyAttributes(key), ...unchanged } }
    : { Put: { TableName, Item: toItem(key, next), ...unchanged } };
}

function listingRemoval(database: Database, record: ApiClientRecord): TransactWriteItem {
  const key = clientListKey(record.organizationId, record.createdAt, record.clientId);
  return { Delete: { TableName: database.tables.records, Key: keyAttributes(key) } };
}
