import type { AUDIT_EVENT_OPERATIONS } from "../operations/audit-events.ts";
import {
  AUDIT_COUNT_LIST,
  AUDIT_EVENT,
  AUDIT_EVENT_LIST,
  AUDIT_EVENT_TYPE,
  AUDIT_OUTCOME,
} from "../schemas/audit-events.ts";
import type { Documentation } from "./documentation.ts";
import { PAGE, type Parameter, pathParameter, textQueryParameter } from "./documentation.ts";

const INSTANCE: Parameter = {
  name: "instance",
  in: "query",
  schema: { type: "boolean", default: false },
  description:
    "The records that belong to no organization, for owners of the first one. Without it they get those of the time before it, after its own.",
};

const WITH_TOTAL: Parameter = {
  name: "total",
  in: "query",
  schema: { type: "boolean", default: false },
  description: "Count the records that match, too: `total` of the first page of the JSON list.",
};

const FILTERS: readonly Parameter[] = [
  { name: "type", in: "query", schema: AUDIT_EVENT_TYPE },
  textQueryParameter("actor", "Who did it."),
  textQueryParameter("agent", "The acting API client or agent."),
  textQueryParameter("user", "The person it acts for."),
  textQueryParameter("tool", "The tool's name."),
  { name: "outcome", in: "query", schema: AUDIT_OUTCOME },
  textQueryParameter("requestId", "The request's id, as `X-Request-Id` of its answer has it."),
  textQueryParameter(
    "q",
    "A part of a tool's or app's name, an outcome, reason or scope, an id, or a name that records keep, in any case.",
  ),
  { ...textQueryParameter("from", "A time or date in ISO 8601, included."), schema: { type: "string" } },
  { ...textQueryParameter("to", "A time or date in ISO 8601, not included."), schema: { type: "string" } },
  INSTANCE,
];

export const AUDIT_EVENT_DOCUMENTATION = {
  listAuditEvents: {
    summary: "Audit records",
    description:
      "As JSON in pages. As `application/jsonl` or `text/csv` everything that matches, from `cursor` on, as a download.",
    parameters: [...FILTERS, WITH_TOTAL, ...PAGE],
    answers: [
      {
        status: 200,
        description: "Newest first.",
        schema: AUDIT_EVENT_LIST,
        alternatives: {
          "application/jsonl": { type: "string", description: "A record a line, each as in `items`." },
          "text/csv": { type: "string" },
        },
      },
    ],
    problems: ["too_many_requests"],
  },
  getAuditEvent: {
    summary: "One audit record",
    parameters: [pathParameter("eventId", "The record's id."), INSTANCE],
    answers: [{ status: 200, description: "The record.", schema: AUDIT_EVENT }],
    problems: ["not_found"],
  },
  listAuditCounts: {
    summary: "How many audit records there were that were deleted by their age",
    parameters: [
      {
        ...textQueryParameter("from", "The first day, a date or time; by default 365 days before `to`."),
        schema: { type: "string" },
      },
      {
        ...textQueryParameter("to", "The last day, at most 366 days later; by default today."),
        schema: { type: "string" },
      },
      INSTANCE,
    ],
    answers: [{ status: 200, description: "In order of days.", schema: AUDIT_COUNT_LIST }],
  },
} as const satisfies Documentation<typeof AUDIT_EVENT_OPERATIONS>;
