import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { type ExportFormat, exportAuditEvents } from "../../lib/audit/export.ts";
import { representAuditEvent } from "../../lib/audit/representation.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { ProblemError } from "../../lib/problem.ts";
import type { AuditFilter, AuditOutcome } from "../../lib/stores/audit-log.ts";
import type { Endpoint, Env } from "../env.ts";
import { authenticateCaller, type Caller } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { booleanQuery, invalidQuery, pageQuery, textQuery, timeQuery } from "../middleware/query.ts";

/**
 * GET: audit records, newest first. As JSON in pages; as JSON Lines or CSV everything that matches, from `cursor` on.
 * `?instance=true` shows the records that belong to no organization, to owners of the first one (D32).
 */
export const listAuditEvents: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticateCaller(dependencies, c, { role: "member", scope: "audit:read" });
  const filter = await readFilter(dependencies, c, caller);
  const page = pageQuery(c);
  const { auditLog } = dependencies.stores;
  const format = accepts(c, { header: "Accept", supports: FORMATS, default: "application/json" });
  if (format !== "application/json") {
    return answerExport(c, format, await exportAuditEvents(auditLog, filter, format as ExportFormat, page.cursor));
  }
  const found = await auditLog.query(filter, page);
  return answerJson(c, { ...found, items: found.items.map(representAuditEvent) });
};

async function readFilter(dependencies: Dependencies, c: Context<Env>, caller: Caller): Promise<AuditFilter> {
  const texts = Object.fromEntries(
    (["type", "agent", "user", "tool"] as const).map((name) => [name, textQuery(c, name)] as const),
  );
  const outcome = textQuery(c, "outcome");
  if (outcome !== undefined && !isOutcome(outcome)) {
    throw invalidQuery("outcome", `must be one of ${Object.keys(OUTCOMES).join(", ")}`);
  }
  const from = timeQuery(c, "from");
  const to = timeQuery(c, "to");
  const instance = booleanQuery(c, "instance");
  if (instance) await requireInstanceOwner(dependencies, caller);
  return {
    organizationId: instance ? undefined : caller.organizationId,
    ...definedOnly({ ...texts, outcome, from, to }),
  };
}

async function requireInstanceOwner(dependencies: Dependencies, caller: Caller): Promise<void> {
  const first = await dependencies.stores.directory.firstOrganization();
  const isOwner = caller.kind === "person" && caller.role === "owner";
  if (isOwner && first?.organizationId === caller.organizationId) return;
  throw new ProblemError("forbidden", "Only owners of the first organization see the records of the instance.");
}

function answerExport(c: Context<Env>, format: string, body: ReadableStream<Uint8Array>): Response {
  c.header("Cache-Control", "no-store");
  c.header("Content-Type", format === "text/csv" ? "text/csv; charset=utf-8" : format);
  c.header("Content-Disposition", `attachment; filename="audit-events.${format === "text/csv" ? "csv" : "jsonl"}"`);
  return c.body(body);
}

function definedOnly(values: Readonly<Record<string, unknown>>): Partial<AuditFilter> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function isOutcome(text: string): text is AuditOutcome {
  return Object.hasOwn(OUTCOMES, text);
}

const FORMATS = ["application/json", "application/jsonl", "text/csv"];
const OUTCOMES: Readonly<Record<AuditOutcome, true>> = {
  success: true,
  tool_error: true,
  denied: true,
  upstream_error: true,
  cancelled: true,
  refused: true,
  unknown: true,
};
