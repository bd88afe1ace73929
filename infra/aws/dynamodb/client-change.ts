import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Decision } from "../../../lib/api-clients/changes.ts";
import type { ApiClientRecord, ChangeResult, ChangeTarget } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import { readClient, toClientItem } from "./client-items.ts";
import type { Database } from "./database.ts";
import { keyAttributes } from "./items.ts";
import { clientKey, clientListKey, clientUsesKey, type ItemKey } from "./keys.ts";
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
    const found = await readClient(database, clientId);
    if (found?.organizationId !== organizationId) return { outcome: "not_found" };
    const decision = decide(found);
    if (decision.kind === "answer") return decision.result;
    const tombstones = decision.tombstones.map((tombstone, index) => [
      `tombstone${index}`,
      tombstoneWrite(database, tombstone),
    ]);
    const isRemoved = decision.kind === "remove";
    const failed = await transact(database, {
      client: clientWrite(database, found, isRemoved ? undefined : decision.next),
      listing: isRemoved ? removal(database, clientListKey(organizationId, found.createdAt, clientId)) : undefined,
      uses: isRemoved ? removal(database, clientUsesKey(clientId)) : undefined,
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
  return next === undefined
    ? { Delete: { TableName, Key: keyAttributes(clientKey(read.clientId)), ...unchanged } }
    : { Put: { TableName, Item: toClientItem(next), ...unchanged } };
}

function removal(database: Database, key: ItemKey): TransactWriteItem {
  return { Delete: { TableName: database.tables.records, Key: keyAttributes(key) } };
}
