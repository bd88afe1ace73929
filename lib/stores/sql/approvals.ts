import {
  type APPROVALS,
  type ApprovalDecision,
  type ApprovalFilter,
  type ApprovalRecord,
  type ApprovalUse,
  approvalAt,
  approvalCaller,
  approvalExpired,
  consumed,
  decided,
  type EndedTask,
  forgottenAt,
  isLive,
  listedApproval,
  MOST_LIVE,
  MOST_OF_CALLER,
  type RequestedApproval,
  withdrawn,
  withOutcome,
} from "../approvals.ts";
import type { AuditEvent } from "../audit-log.ts";
import { EXPIRY_MARGIN } from "../expiry-margin.ts";
import { type Page, type PageRequest, pageOf } from "../paging.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow, type SqlValue } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, write } from "./operations.ts";

export const sqlApprovals: SqlOperations<typeof APPROVALS> = {
  requestApproval: change(requestApproval, (result) => result.outcome === "waits" && result.isNew),
  approval: latest(readApproval),
  liveApproval: latest(liveApproval),
  listApprovals: latest(listApprovals),
  decideApproval: change(decideApproval, (record) => record !== undefined),
  consumeApproval: change(consumeApproval, (isConsumed) => isConsumed),
  withdrawApproval: change(withdrawApproval, (isWithdrawn) => isWithdrawn),
  keepOutcome: write(keepOutcome),
};

/**
 * Ends at most `limit` approvals that were live until before `EXPIRY_MARGIN`, each with the record of its expiry. True when there may
 * be more.
 */
export function expireApprovals(db: SqlDatabase, effects: Effects, now: number, limit: number): boolean {
  return db.transaction(() => {
    const rows = db.all(
      "SELECT record FROM approvals WHERE state IN ('pending', 'approved') AND expires_at <= ? ORDER BY expires_at LIMIT ?",
      now - EXPIRY_MARGIN,
      limit,
    );
    for (const record of rows.map(recordOf)) {
      put(db, approvalAt(record, now));
      effects.event(approvalExpired(record));
    }
    return rows.length === limit;
  });
}

function requestApproval(
  db: SqlDatabase,
  effects: Effects,
  record: ApprovalRecord,
  event: AuditEvent,
): RequestedApproval {
  const { organizationId, digest, requestedAt: now } = record;
  return db.transaction(() => {
    const live = liveApproval(db, organizationId, digest, now);
    if (live !== undefined) return { outcome: "waits", approval: live, isNew: false };
    const caller = approvalCaller(record);
    const [counted] = db.all(
      `SELECT COUNT(*) AS live, COALESCE(SUM(caller = ?), 0) AS own FROM approvals
       WHERE organization_id = ? AND live_until > ?`,
      caller,
      organizationId,
      now,
    );
    if (Number(counted?.own) >= MOST_OF_CALLER) return { outcome: "too_many", of: "caller" };
    if (Number(counted?.live) >= MOST_LIVE) return { outcome: "too_many", of: "organization" };
    put(db, record);
    effects.event(event);
    return { outcome: "waits", approval: record, isNew: true };
  });
}

function liveApproval(
  db: SqlDatabase,
  organizationId: string,
  digest: string,
  now: number,
): ApprovalRecord | undefined {
  return db
    .all("SELECT record FROM approvals WHERE organization_id = ? AND digest = ?", organizationId, digest)
    .map(recordOf)
    .find((record) => isLive(record, now));
}

function readApproval(db: SqlDatabase, approvalId: string, now: number): ApprovalRecord | undefined {
  const record = stored(db, approvalId);
  return record && approvalAt(record, now);
}

function listApprovals(
  db: SqlDatabase,
  { organizationId, state, now }: ApprovalFilter,
  { limit, cursor }: PageRequest,
): Page<ApprovalRecord> {
  const wanted = conditionOf(state, now);
  const rows = db.all(
    `SELECT record FROM approvals WHERE organization_id = ?${cursor === undefined ? "" : " AND approval_id < ?"}${wanted.condition}
     ORDER BY approval_id DESC LIMIT ?`,
    organizationId,
    ...(cursor === undefined ? [] : [cursor]),
    ...wanted.parameters,
    limit + 1,
  );
  const found = rows.map((row) => listedApproval(approvalAt(recordOf(row), now)));
  return pageOf(found, limit, ({ approvalId }) => approvalId);
}

function conditionOf(
  state: ApprovalFilter["state"],
  now: number,
): { readonly condition: string; readonly parameters: readonly SqlValue[] } {
  switch (state) {
    case undefined:
      return { condition: "", parameters: [] };
    case "pending":
    case "approved":
      return { condition: " AND state = ? AND live_until > ?", parameters: [state, now] };
    case "expired":
      return {
        condition: " AND (state = 'expired' OR (state IN ('pending', 'approved') AND live_until <= ?))",
        parameters: [now],
      };
    default:
      return { condition: " AND state = ?", parameters: [state] };
  }
}

function decideApproval(
  db: SqlDatabase,
  effects: Effects,
  decision: ApprovalDecision,
  event: AuditEvent,
): ApprovalRecord | undefined {
  return db.transaction(() => {
    const next = decided(stored(db, decision.approvalId), decision);
    if (next === undefined) return undefined;
    put(db, next);
    effects.event(event);
    return next;
  });
}

function consumeApproval(
  db: SqlDatabase,
  effects: Effects,
  use: ApprovalUse,
  intent: AuditEvent,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const next = consumed(stored(db, use.approvalId), use, intent.id);
    if (next === undefined) return false;
    put(db, next);
    effects.event({ ...intent, outcome: "unknown" });
    effects.event(event);
    return true;
  });
}

function withdrawApproval(
  db: SqlDatabase,
  effects: Effects,
  approvalId: string,
  now: number,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const next = withdrawn(stored(db, approvalId), now);
    if (next === undefined) return false;
    put(db, next);
    effects.event(event);
    return true;
  });
}

function keepOutcome(db: SqlDatabase, approvalId: string, outcome: string, state: EndedTask): void {
  db.transaction(() => {
    const next = withOutcome(stored(db, approvalId), outcome, state);
    if (next !== undefined) put(db, next);
  });
}

function stored(db: SqlDatabase, approvalId: string): ApprovalRecord | undefined {
  return db.all("SELECT record FROM approvals WHERE approval_id = ?", approvalId).map(recordOf)[0];
}

/** One that is used up is live no more; one that was refused is, for a while. */
function put(db: SqlDatabase, record: ApprovalRecord): void {
  const { approvalId, organizationId, digest, state, expiresAt } = record;
  const waits = state === "pending" || state === "approved";
  db.run(
    `INSERT INTO approvals (approval_id, organization_id, digest, caller, state, live_until, expires_at, record, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (approval_id) DO UPDATE SET state = excluded.state, live_until = excluded.live_until,
       expires_at = excluded.expires_at, record = excluded.record, schema = excluded.schema`,
    approvalId,
    organizationId,
    digest,
    approvalCaller(record),
    state,
    waits || state === "refused" ? expiresAt : 0,
    waits ? expiresAt : forgottenAt(record),
    JSON.stringify(record),
    RECORD_SCHEMA,
  );
}

function recordOf(row: SqlRow): ApprovalRecord {
  return JSON.parse(String(row.record)) as ApprovalRecord;
}
