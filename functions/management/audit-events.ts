import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { AUDIT_EVENT_TYPES } from "../../lib/audit/event.ts";
import { readableOrganization, recordOf, recordsFor } from "../../lib/audit/instance-access.ts";
import { auditDay } from "../../lib/audit/sharding.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { createExports, type ExportFormat, exportAuditEvents } from "../../lib/management/audit-export.ts";
import type { AUDIT_EVENT_OPERATIONS } from "../../lib/management/operations/audit-events.ts";
import { representAuditEvent } from "../../lib/management/representations/audit-events.ts";
import type {
  AuditCountList,
  AuditEventList,
  AuditEvent as ShownAuditEvent,
} from "../../lib/management/schemas/audit-events.ts";
import type { AuditFilter, AuditOutcome } from "../../lib/stores/audit-log.ts";
import type { Env } from "../env.ts";
import { answerJson } from "../middleware/json-body.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { booleanQuery, invalidQuery, refuseUnknownQuery, textQuery, timeQuery } from "../middleware/query.ts";

export const AUDIT_EVENT_ENDPOINTS: Endpoints<typeof AUDIT_EVENT_OPERATIONS> = {
  /**
   * GET: audit records, newest first. As JSON in pages; as JSON Lines or CSV everything that matches, from `cursor` on.
   * `?instance=true` shows the records that belong to no organization, to owners of the first one (D32). Those of the time before there was one follow its own.
   */
  listAuditEvents: (dependencies) => {
    const exports = createExports();
    return async (c, caller) => {
      refuseUnknownQuery(c, PARAMETERS);
      const conditions = readConditions(c);
      const page = pageQuery(c);
      const format = accepts(c, {
        header: "Accept",
        supports: ["application/json", ...EXPORT_FORMATS],
        default: "application/json",
      });
      const instance = booleanQuery(c, "instance");
      const withTotal = booleanQuery(c, "total");
      const records = await recordsFor(dependencies, caller, { instance, ...conditions });
      if (isExportFormat(format)) {
        const read = () => exportAuditEvents(records, format, page.cursor);
        return answerExport(c, format, await exports.one(caller.id, read, c.req.raw.signal));
      }
      const found = await records({ ...page, withTotal });
      const searchedTo = found.searchedTo && { searchedTo: new Date(found.searchedTo).toISOString() };
      return answerJson<AuditEventList>(c, {
        ...shownPage(c, found, representAuditEvent),
        ...(found.total !== undefined && { total: found.total }),
        ...searchedTo,
      });
    };
  },

  /** GET: one record. `?instance=true` as in the list. */
  getAuditEvent: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["instance"]);
    const instance = booleanQuery(c, "instance");
    const event = await recordOf(dependencies, caller, c.req.param("eventId") ?? "", { instance });
    if (event === undefined) throw new ProblemError("not_found", "There is no such audit record here.");
    return answerJson<ShownAuditEvent>(c, representAuditEvent(event));
  },

  /** GET: what is left of records that were deleted by their age, of at most 366 days. */
  listAuditCounts: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["from", "to", "instance"]);
    const to = timeQuery(c, "to") ?? dependencies.clock.now();
    const from = timeQuery(c, "from") ?? Math.max(0, to - 365 * DAY);
    if (to - from > 366 * DAY) throw invalidQuery("from", "must be at most 366 days before `to`");
    const instance = booleanQuery(c, "instance");
    const organizationId = await readableOrganization(dependencies, caller, { instance });
    const days = { from: auditDay(from), to: auditDay(to) };
    const items = await dependencies.stores.auditLog.kept({ organizationId, ...days });
    return answerJson<AuditCountList>(c, { items });
  },
};

const DAY = 86_400_000;

function readConditions(c: Context<Env>): Omit<AuditFilter, "organizationId"> {
  const texts = Object.fromEntries(
    (["type", "actor", "agent", "user", "tool", "requestId"] as const).map(
      (name) => [name, textQuery(c, name)] as const,
    ),
  );
  if (texts.type !== undefined && !AUDIT_EVENT_TYPES.includes(texts.type)) {
    throw invalidQuery("type", `must be one of ${AUDIT_EVENT_TYPES.join(", ")}`);
  }
  const outcome = textQuery(c, "outcome");
  if (outcome !== undefined && !isOutcome(outcome)) {
    throw invalidQuery("outcome", `must be one of ${Object.keys(OUTCOMES).join(", ")}`);
  }
  const q = textQuery(c, "q")?.toLowerCase();
  return definedOnly({ ...texts, outcome, q, from: timeQuery(c, "from"), to: timeQuery(c, "to") });
}

function answerExport(c: Context<Env>, format: ExportFormat, body: ReadableStream<Uint8Array>): Response {
  c.header("Cache-Control", "no-store");
  c.header("Content-Type", format === "text/csv" ? "text/csv; charset=utf-8" : format);
  c.header("Content-Disposition", `attachment; filename="audit-events.${format === "text/csv" ? "csv" : "jsonl"}"`);
  return c.body(body);
}

function definedOnly(values: Readonly<Record<string, unknown>>): Omit<AuditFilter, "organizationId"> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function isOutcome(text: string): text is AuditOutcome {
  return Object.hasOwn(OUTCOMES, text);
}

function isExportFormat(format: string): format is ExportFormat {
  return EXPORT_FORMATS.some((known) => known === format);
}

const PARAMETERS = [
  ...["type", "actor", "agent", "user", "tool", "outcome", "requestId", "q", "from", "to"],
  ...["instance", "total", "limit", "cursor"],
];
const EXPORT_FORMATS = ["application/jsonl", "text/csv"] as const;
const OUTCOMES: Readonly<Record<AuditOutcome, true>> = {
  success: true,
  tool_error: true,
  denied: true,
  upstream_error: true,
  cancelled: true,
  refused: true,
  unknown: true,
};
