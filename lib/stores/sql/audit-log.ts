import type { AuditCompletion, AuditEvent } from "../audit-log.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";

/** Writes a finished record. Idempotent by id. */
export function appendAuditEvent(db: SqlDatabase, event: AuditEvent): void {
  insert(db, event, false);
}

/** Writes the intent: the outcome reads `unknown` until `completeAuditEvent` (D27). Idempotent by id. */
export function beginAuditEvent(db: SqlDatabase, event: AuditEvent): void {
  insert(db, { ...event, outcome: "unknown" }, true);
}

/** Completes an open record; one that is complete or was never begun stays as it is. */
export function completeAuditEvent(db: SqlDatabase, id: string, completion: AuditCompletion): void {
  const { outcome, reason, durationMs } = completion;
  const change = { outcome, ...(reason !== undefined && { reason }), ...(durationMs !== undefined && { durationMs }) };
  db.run(
    "UPDATE audit_events SET outcome = ?, record = json_patch(record, ?), is_open = 0 WHERE id = ? AND is_open = 1",
    outcome,
    JSON.stringify(change),
    id,
  );
}

function insert(db: SqlDatabase, event: AuditEvent, isOpen: boolean): void {
  db.run(
    `INSERT INTO audit_events (id, organization_id, time, type, outcome, agent, user, tool, record, is_open, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    event.id,
    event.organizationId ?? "",
    event.time,
    event.type,
    event.outcome,
    event.agent ?? null,
    event.user ?? null,
    event.tool ?? null,
    JSON.stringify(event),
    isOpen ? 1 : 0,
    RECORD_SCHEMA,
  );
}
