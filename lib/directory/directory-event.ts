import type { Administrator } from "../api-clients/client-event.ts";
import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";
import type { AuditEvent, AuditEventType } from "../stores/audit-log.ts";

/** The audit event of a change to an organization or to who belongs to it. */
export function directoryEvent(
  dependencies: Dependencies,
  actor: Administrator,
  type: AuditEventType,
  more: Pick<AuditEvent, "user" | "details"> = {},
): AuditEvent {
  const { id, organizationId, requestId } = actor;
  return auditEvent(dependencies, {
    type,
    outcome: "success",
    organizationId,
    actor: id,
    ...(requestId !== undefined && { requestId }),
    ...more,
  });
}
