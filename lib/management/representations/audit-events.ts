import type { AuditEvent } from "../../stores/audit-log.ts";
import type { AuditEvent as ShownAuditEvent } from "../schemas/audit-events.ts";

/** An audit record as the management API shows it: the time as ISO 8601 in UTC, everything else as it was written. */
export function representAuditEvent(event: AuditEvent): ShownAuditEvent {
  return { ...event, time: new Date(event.time).toISOString() };
}
