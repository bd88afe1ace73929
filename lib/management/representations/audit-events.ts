import type { AuditEvent } from "../../stores/audit-log.ts";
import type { AuditEvent as ShownAuditEvent } from "../schemas/audit-events.ts";

/** An audit record as the management API shows it: times as ISO 8601 in UTC, everything else as it was written. */
export function representAuditEvent({ time, since, ...event }: AuditEvent): ShownAuditEvent {
  const shown = { ...event, time: new Date(time).toISOString() };
  return since === undefined ? shown : { ...shown, since: new Date(since).toISOString() };
}
