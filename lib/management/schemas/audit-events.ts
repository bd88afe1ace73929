import { AUDIT_EVENT_TYPES } from "../../audit/event.ts";
import type { AuditEventType } from "../../stores/audit-log.ts";
import { listOf, pageOf, type Shape, TIME, TOTAL } from "./common.ts";

export const AUDIT_EVENT_TYPE = {
  title: "AuditEventType",
  enum: AUDIT_EVENT_TYPES as readonly AuditEventType[],
} as const;

export const AUDIT_OUTCOME = {
  title: "AuditOutcome",
  description: "`unknown`: the call is open, or the process that made it died.",
  enum: ["success", "tool_error", "denied", "upstream_error", "cancelled", "refused", "unknown"],
} as const;

/** One fact, as it was written; the time in ISO 8601. */
export const AUDIT_EVENT = {
  title: "AuditEvent",
  type: "object",
  properties: {
    id: { type: "string", description: "A ULID." },
    time: TIME,
    type: AUDIT_EVENT_TYPE,
    organizationId: { type: "string", description: "Absent on records that belong to the instance." },
    outcome: AUDIT_OUTCOME,
    actor: { type: "string", description: "Who did it: `client_…`, `user_…`, or `operator:<login name>`." },
    agent: { type: "string", description: "The acting API client or agent." },
    user: { type: "string", description: "The person it acts for." },
    actChain: { type: "array", items: { type: "string" } },
    app: { type: "string" },
    tool: { type: "string" },
    reason: { type: "string", description: "A short, stable code or sentence." },
    durationMs: { type: "number" },
    requestId: { type: "string" },
    region: { type: "string" },
    configRevision: {
      type: "integer",
      minimum: 1,
      description:
        "The published revision of the configuration that decided. Absent: the configuration came with the instance.",
    },
    argumentsDigest: { type: "string", description: "SHA-256 of the canonical JSON of a call's arguments, base64url." },
    names: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "What those with these ids were called when the record was written. They choose these texts.",
    },
    details: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "What is particular to the type, for example `clientId`, `keyPairId`, `sessionId`.",
    },
    count: {
      type: "integer",
      minimum: 1,
      description: "How many refusals of a kind the record stands for. Absent: one fact.",
    },
    since: { ...TIME, description: "With `count`: when the first of them came." },
  },
  required: ["id", "time", "type", "outcome"],
  additionalProperties: false,
} as const;

const PAGE = pageOf("AuditEventList", AUDIT_EVENT);

export const AUDIT_EVENT_LIST = {
  ...PAGE,
  properties: {
    ...PAGE.properties,
    total: TOTAL,
    searchedTo: {
      ...TIME,
      description: "Where a search ended before the page was full: `nextCursor` goes on with older records.",
    },
  },
} as const;

/** What is left of records that were deleted by their age (D158). */
export const AUDIT_COUNT_LIST = listOf("AuditCountList", {
  title: "AuditCount",
  type: "object",
  properties: {
    day: { type: "string", format: "date", description: "In UTC." },
    type: AUDIT_EVENT_TYPE,
    outcome: AUDIT_OUTCOME,
    count: { type: "integer", minimum: 1 },
  },
  required: ["day", "type", "outcome", "count"],
  additionalProperties: false,
});

export type AuditCountList = Shape<typeof AUDIT_COUNT_LIST>;
export type AuditEvent = Shape<typeof AUDIT_EVENT>;
export type AuditEventList = Shape<typeof AUDIT_EVENT_LIST>;
