import type { Administrator } from "../api-clients/client-event.ts";
import { auditEvent, byAdministrator, type Called, named } from "../audit/event.ts";
import { causeOf } from "../logging/cause.ts";
import type { AuditEvent, AuditEventType } from "../stores/audit-log.ts";
import type { DirectoryPorts } from "./ports.ts";

/** The audit event of a change to an organization or its members. */
export function directoryEvent(
  dependencies: DirectoryPorts,
  actor: Administrator,
  type: AuditEventType,
  more: Pick<AuditEvent, "user" | "details"> = {},
  ...about: readonly Called[]
): AuditEvent {
  const { organizationId } = actor;
  return auditEvent(dependencies, {
    type,
    outcome: "success",
    organizationId,
    ...byAdministrator(actor, ...about),
    ...more,
  });
}

/** A person who changes something about themself, and the request. */
export interface ActingPerson {
  readonly userId: string;
  readonly requestId: string;
}

interface PersonEvents {
  /** The record in the organization that the person joined first. It becomes durable together with the change. */
  readonly event: AuditEvent;
  /** Writes the records of the other organizations. Call it after the change is durable. */
  readonly recordElsewhere: () => Promise<void>;
}

/** The records of a person's change of their own data: one in each organization of the person. */
export async function personEvents(
  dependencies: DirectoryPorts,
  { userId, requestId }: ActingPerson,
  fields: Pick<AuditEvent, "type" | "outcome" | "reason" | "details">,
): Promise<PersonEvents> {
  const { directory, auditLog } = dependencies.stores;
  const write = fields.outcome === "refused" ? dependencies.refusals.record : auditLog.append;
  const [memberships, person] = await Promise.all([directory.memberships(userId), directory.getPerson(userId)]);
  const eventIn = (organizationId?: string) =>
    auditEvent(dependencies, {
      ...fields,
      ...{ actor: userId, user: userId, requestId, ...named([userId, person?.email]) },
      ...(organizationId !== undefined && { organizationId }),
    });
  const [first, ...others] = memberships.map(({ organizationId }) => organizationId);
  return {
    event: eventIn(first),
    recordElsewhere: async () => {
      await Promise.all(others.map((organizationId) => write(eventIn(organizationId)))).catch((cause) =>
        dependencies.logger.error("a change could not be recorded in all organizations", {
          type: fields.type,
          requestId,
          cause: causeOf(cause),
        }),
      );
    },
  };
}
