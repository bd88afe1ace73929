import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";
import { causeOf } from "../logging/cause.ts";
import type { AuditEvent } from "../stores/audit-log.ts";

/** A person who changes something about themself, and in which request. */
export interface ActingPerson {
  readonly userId: string;
  readonly requestId: string;
}

export interface PersonEvents {
  /** Becomes durable together with the change: in the organization that the person joined first. */
  readonly event: AuditEvent;
  /** The same in the person's other organizations; to be called once the change is made, which nothing takes back any more. */
  readonly recordElsewhere: () => Promise<void>;
}

/** The records of a change that a person makes about themself: one in each organization the person belongs to. */
export async function personEvents(
  dependencies: Dependencies,
  { userId, requestId }: ActingPerson,
  fields: Pick<AuditEvent, "type" | "outcome" | "reason" | "details">,
): Promise<PersonEvents> {
  const { directory, auditLog } = dependencies.stores;
  const memberships = await directory.memberships(userId);
  const eventIn = (organizationId?: string) =>
    auditEvent(dependencies, {
      ...fields,
      ...{ actor: userId, user: userId, requestId },
      ...(organizationId !== undefined && { organizationId }),
    });
  const [first, ...others] = memberships.map(({ organizationId }) => organizationId);
  return {
    event: eventIn(first),
    recordElsewhere: async () => {
      await Promise.all(others.map((organizationId) => auditLog.append(eventIn(organizationId)))).catch((cause) =>
        dependencies.logger.error("a change could not be recorded in all organizations", {
          type: fields.type,
          requestId,
          cause: causeOf(cause),
        }),
      );
    },
  };
}
