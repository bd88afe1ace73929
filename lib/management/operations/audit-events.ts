import type { Operation } from "./operation.ts";

export const AUDIT_EVENT_OPERATIONS = [
  {
    operationId: "listAuditEvents",
    method: "get",
    path: "/api/v1/audit-events",
    access: { role: "member", scope: "audit:read" },
  },
  {
    operationId: "getAuditEvent",
    method: "get",
    path: "/api/v1/audit-events/{eventId}",
    access: { role: "member", scope: "audit:read" },
  },
  {
    operationId: "listAuditCounts",
    method: "get",
    path: "/api/v1/audit-counts",
    access: { role: "member", scope: "audit:read" },
  },
] as const satisfies readonly Operation[];
