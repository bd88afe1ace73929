import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { ApiClientRecord, ChangeResult, ChangeTarget } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { clientKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { transact } from "./transact.ts";

/** What to do with a client as it was read: answer without a change, write its next state, or remove it. */
export type ClientDecision<T> =
  | { readonly kind: "answer"; readonly result: ChangeResult<T> }
  | {
      readonly kind: "write";
      /** The next state; its revision is assigned here. */
      readonly next: ApiClientRecord;
      readonly writes?: readonly TransactWriteItem[];
      readonly value: (written: ApiClientRecord) => T;
    }
  | { readonly kind: "remove"; readonly writes: readonly TransactWriteItem[]; readonly value: () => T };

/**
 * Reads the client, lets `decide` look at it, and writes the decision together with its audit event on the condition that
 * the revision is still the one read; otherwise reads and decides again.
 */
export function changeClient<T>(
  database: Database,
  audit: AuditWriter,
  target: ChangeTarget,
  event: AuditEvent,
  decide: (record: ApiClientRecord) => ClientDecision<T>,
): Promise<ChangeResult<T>> {
  return untilUncontended<ChangeResult<T>>(database.random, async () => {
    const record = await readRecord<ApiClientRecord>(database, "records", clientKey(target.clientId));
    if (record === undefined || record.organizationId !== target.organizationId) return { outcome: "not_found" };
    const decision = decide(record);
    if (decision.kind === "answer") return decision.result;
    const next = decision.kind === "write" ? { ...decision.next, revision: record.revision + 1 } : undefined;
    const further = (decision.writes ?? []).map((write, index) => [`further${index}`, write] as const);
    const failed = await transact(database, {
      client: clientWrite(database, record, next),
      event: await audit.write(event),
      ...Object.fromEntries(further),
    });
    if (failed.size > 0) return undefined;
    return { outcome: "done", value: decision.kind === "write" ? decision.value(next ?? record) : decision.value() };
  });
}

/** The refusal of a caller that saw another revision. */
export function unlessStale(
  record: ApiClientRecord,
  target: ChangeTarget,
): Extract<ClientDecision<never>, { kind: "answer" }> | undefined {
  const { expectedRevision } = target;
  if (expectedRevision === undefined || expectedRevision === record.revision) return undefined;
  return { kind: "answer", result: { outcome: "stale", revision: record.revision } };
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
