import { isUlid, smallestUlid, ulidTime } from "../../kernel/ids.ts";
import {
  type AUDIT_LOG,
  type AuditCompletion,
  type AuditEvent,
  type AuditFilter,
  type AuditPage,
  type AuditPageRequest,
  MAX_AUDIT_TOTAL,
  mentions,
} from "../audit-log.ts";
import { pageOf, type Total } from "../paging.ts";
import { keptAuditCounts } from "./audit-retention.ts";
import { tallyAuditEvents } from "./audit-sums.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlValue } from "./database.ts";
import { latest, type SqlOperations, snapshot, write } from "./operations.ts";

export const sqlAuditLog: SqlOperations<typeof AUDIT_LOG> = {
  begin: write(beginAuditEvent),
  complete: write((db, { id }, completion) => completeAuditEvent(db, id, completion)),
  append: write(appendAuditEvent),
  query: snapshot(queryAuditEvents),
  tally: snapshot(tallyAuditEvents),
  kept: latest(keptAuditCounts),
};

/** Writes a record: an intent that was written with another change (`unknown`) is open, any other is finished. Idempotent by id. */
export function appendAuditEvent(db: SqlDatabase, event: AuditEvent): void {
  insert(db, event, event.outcome === "unknown");
}

/** Writes the intent: the outcome reads `unknown` until `completeAuditEvent` (D27). Idempotent by id. */
export function beginAuditEvent(db: SqlDatabase, event: AuditEvent): void {
  insert(db, { ...event, outcome: "unknown" }, true);
}

/** Completes an open record; one that is complete or was never begun stays as it is. */
export function completeAuditEvent(db: SqlDatabase, id: string, completion: AuditCompletion): void {
  const { outcome, reason, durationMs, details } = completion;
  const change = {
    outcome,
    ...(reason !== undefined && { reason }),
    ...(durationMs !== undefined && { durationMs }),
    ...(details !== undefined && { details }),
  };
  db.run(
    "UPDATE audit_events SET outcome = ?, record = json_patch(record, ?), is_open = 0 WHERE id = ? AND is_open = 1",
    outcome,
    JSON.stringify(change),
    id,
  );
}

function insert(db: SqlDatabase, event: AuditEvent, isOpen: boolean): void {
  db.run(
    `INSERT INTO audit_events (id, organization_id, time, type, outcome, agent, user, tool, record, is_open, schema, count)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
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
    event.count ?? 1,
  );
}

/** Records that one query looks at: whatever it looks for, and however many there are, it takes some ten milliseconds. */
export const MAX_EXAMINED = 10_000;

/**
 * Newest first. The cursor is the id of the last record looked at, so that pages of several databases can be merged; where
 * few records match, a page may be short, or empty, and not the last.
 */
export function queryAuditEvents(db: SqlDatabase, filter: AuditFilter, page: AuditPageRequest): AuditPage {
  const within = rangeOf(filter, page.cursor);
  const wanted = conditionsOf(filter);
  const floor = wanted.conditions.length === 0 ? undefined : lastExamined(db, within);
  const all = joined(within, wanted, floor === undefined ? NONE : { conditions: ["id >= ?"], parameters: [floor] });
  const isCounted = page.withTotal === true && page.cursor === undefined;
  // What has a text is looked at once, for the page and for the total.
  const isLookedThrough = isCounted && filter.q !== undefined;
  const newest = newestOf(db, all, filter.q, isLookedThrough ? MAX_AUDIT_TOTAL + 1 : page.limit + 1);
  const found = pageOf(newest, page.limit, (event) => event.id);
  const count = isCounted && (isLookedThrough ? newest.length : countUpTo(db, all, MAX_AUDIT_TOTAL + 1));
  const total = count !== false && { total: totalOf(count, floor === undefined) };
  if (found.nextCursor !== undefined || floor === undefined) return { ...found, ...total };
  return { ...found, nextCursor: floor, searchedTo: ulidTime(floor) ?? 0, ...total };
}

function totalOf(count: number, isWhole: boolean): Total {
  return { count: Math.min(count, MAX_AUDIT_TOTAL), isExact: isWhole && count <= MAX_AUDIT_TOTAL };
}

/** Without conditions from the index alone. */
function countUpTo(db: SqlDatabase, { conditions, parameters }: Where, most: number): number {
  const some = `SELECT 1 FROM audit_events WHERE ${conditions.join(" AND ")} LIMIT ?`;
  return Number(db.all(`SELECT COUNT(*) AS count FROM (${some})`, ...parameters, most)[0]?.count);
}

/** Case is ours to compare: SQLite knows that of A to Z alone. So some are read and looked at until there are enough. */
function newestOf(db: SqlDatabase, where: Where, text: string | undefined, limit: number): readonly AuditEvent[] {
  const found: AuditEvent[] = [];
  for (let last: string | undefined; ; ) {
    const { conditions, parameters } = joined(where, given([["id < ?", last]]));
    const rows = db.all(
      `SELECT record FROM audit_events WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT ?`,
      ...[...parameters, limit],
    );
    const events = rows.map((row) => JSON.parse(String(row.record)) as AuditEvent);
    found.push(...(text === undefined ? events : events.filter((event) => mentions(event, text))));
    if (rows.length < limit || found.length >= limit) return found.slice(0, limit);
    last = events.at(-1)?.id;
  }
}

interface Where {
  readonly conditions: readonly string[];
  readonly parameters: readonly SqlValue[];
}

const NONE: Where = { conditions: [], parameters: [] };

/** What the index on organization and id decides alone. An id begins with the record's time. */
function rangeOf(
  { organizationId, from, to }: Pick<AuditFilter, "organizationId" | "from" | "to">,
  cursor: string | undefined,
): Where {
  return given([
    ["organization_id = ?", organizationId ?? ""],
    ["id < ?", cursor !== undefined && isUlid(cursor) ? cursor : undefined],
    ["id >= ?", from === undefined ? undefined : smallestUlid(asUlidTime(from))],
    ["id < ?", to === undefined ? undefined : smallestUlid(asUlidTime(to))],
  ]);
}

function conditionsOf(filter: AuditFilter): Where {
  return given([
    ["type = ?", filter.type],
    ["json_extract(record, '$.actor') = ?", filter.actor],
    ["agent = ?", filter.agent],
    ["user = ?", filter.user],
    ["tool = ?", filter.tool],
    ["outcome = ?", filter.outcome],
    ["json_extract(record, '$.requestId') = ?", filter.requestId],
    ...(filter.q === undefined ? [] : [textCondition(filter.q)]),
  ]);
}

/** True of every record that mentions the text; of others, too. No LIKE: in Durable Objects its patterns have at most 50 bytes. */
function textCondition(text: string): readonly [string, SqlValue] {
  const isAscii = /^[ -~]*$/.test(text);
  return ["instr(lower(record), ?) > 0", isAscii ? JSON.stringify(text).slice(1, -1) : ""];
}

function given(all: readonly (readonly [condition: string, value: SqlValue | undefined])[]): Where {
  const some = all.filter((entry): entry is readonly [string, SqlValue] => entry[1] !== undefined);
  return { conditions: some.map(([condition]) => condition), parameters: some.map(([, value]) => value) };
}

function joined(...parts: readonly Where[]): Where {
  return {
    conditions: parts.flatMap(({ conditions }) => conditions),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

/** The id of the last record that one query looks at; undefined when there are no more than that. Read from the index alone. */
function lastExamined(db: SqlDatabase, { conditions, parameters }: Where): string | undefined {
  const rows = db.all(
    `SELECT id FROM audit_events WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT 2 OFFSET ?`,
    ...parameters,
    MAX_EXAMINED - 1,
  );
  return rows.length < 2 ? undefined : String(rows[0]?.id);
}

/** ULIDs hold 48 bits of milliseconds. */
function asUlidTime(time: number): number {
  return Math.min(Math.max(0, Math.trunc(time)), 2 ** 48 - 1);
}
