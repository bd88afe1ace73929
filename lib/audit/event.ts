import type { Dependencies } from "../dependencies.ts";
import { ulid } from "../ids.ts";
import type { AuditEvent } from "../stores/audit-log.ts";

/** An audit event of now, with id, time and region filled in. */
export function auditEvent(
  dependencies: Pick<Dependencies, "clock" | "random" | "configuration">,
  fields: Omit<AuditEvent, "id" | "time" | "region">,
): AuditEvent {
  const time = dependencies.clock.now();
  const region = dependencies.configuration().configuration.oidcProvider?.region;
  return { id: ulid(time, dependencies.random), time, ...(region !== undefined && { region }), ...fields };
}
