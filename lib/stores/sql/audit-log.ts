import { isUlid } from "../../ids.ts";
import type { AuditCompletion, AuditEvent, AuditFilter } from "../audit-log.ts";
import type { Page, PageRequest } from "../paging.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlValue } from "./database.ts";
import { pageOf } from "./paging.ts";

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

/** Newest first. The cursor is the id of the last record shown, so that pages of several databases can be merged. */
export function queryAuditEvents(db: SqlDatabase, filter: AuditFilter, page: PageRequest): Page<AuditEvent> {
  const { conditions, parameters } = where(filter, page.cursor);
  const rows = db.all(
    `SELECT record FROM audit_events WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT ?`,
    ...parameters,
    page.limit + 1,
  );
  const events = rows.map((row) => JSON.parse(String(row.record)) as AuditEvent);
  return pageOf(events, page.limit, (event) => event.id);
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

function where(filter: AuditFilter, cursor: string | undefined): { conditions: string[]; parameters: SqlValue[] } {
  const conditions = ["organization_id = ?"];
  const parameters: SqlValue[] = [filter.organizationId ?? ""];
  const add = (condition: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    parameters.push(value);
  };
  add("type = ?", filter.type);
  add("agent = ?", filter.agent);
  add("user = ?", filter.user);
  add("tool = ?", filter.tool);
  add("outcome = ?", filter.outcome);
  add("time >= ?", filter.from);
  add("time < ?", filter.to);
  add("id < ?", cursor !== undefined && isUlid(cursor) ? cursor : undefined);
  return { conditions, parameters };
}
