import { type AuditEventPorts, auditEvent, byAdministrator } from "../audit/event.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { ChangeResult, ChangeTarget } from "../stores/api-clients.ts";
import type { AuditEvent, AuditEventType } from "../stores/audit-log.ts";
import type { ApiClientPorts } from "./ports.ts";

/** An owner or the operator of the embedded store, acting in one organization. The caller has checked that. */
export interface Administrator {
  /** `user_…` or `operator:<login name>`. */
  readonly id: string;
  readonly organizationId: string;
  readonly requestId?: string;
  /** What they are called, as records keep it. */
  readonly name?: string;
}

/** An API client of the administrator's organization; with `expectedRevision` only while that is its revision. */
export type ClientTarget = Omit<ChangeTarget, "organizationId">;

/** The audit event of a change to an API client. */
export function clientEvent(
  dependencies: AuditEventPorts,
  actor: Administrator,
  type: AuditEventType,
  details: Readonly<Record<string, string>>,
  clientName?: string,
): AuditEvent {
  return auditEvent(dependencies, {
    type,
    outcome: "success",
    organizationId: actor.organizationId,
    ...byAdministrator(actor, [details.clientId, clientName]),
    details,
  });
}

/** What the target is called; undefined where it is not there. */
export async function nameOf(
  { stores }: Pick<ApiClientPorts, "stores">,
  { organizationId }: Pick<Administrator, "organizationId">,
  { clientId }: Pick<ClientTarget, "clientId">,
): Promise<string | undefined> {
  return hasClientIdForm(clientId) ? (await stores.apiClients.get(organizationId, clientId))?.name : undefined;
}

/**
 * The target inside the administrator's organization.
 * @throws ProblemError `not_found` for what cannot be a client id; it reaches no store
 */
export function targetOf(actor: Administrator, target: ClientTarget): ChangeTarget {
  if (!hasClientIdForm(target.clientId)) throw unknownClient();
  return { ...target, organizationId: actor.organizationId };
}

/**
 * What a change resulted in.
 * @throws ProblemError `not_found`, `stale`, `conflict`
 */
export function resultOf<T>(result: ChangeResult<T>): T {
  switch (result.outcome) {
    case "done":
      return result.value;
    case "not_found":
      throw unknownClient();
    case "stale":
      throw new ProblemError("stale", `The API client was changed meanwhile; its revision is now ${result.revision}.`);
    case "conflict":
      throw new ProblemError("conflict", "This key belongs, or once belonged, to the API client. Use another key.");
  }
}

/** The same answer if it does not exist and if it belongs to another organization. */
export function unknownClient(): ProblemError {
  return new ProblemError("not_found", "There is no such API client or key pair in this organization.");
}

/** Whether a text has the form of a client id. A text of another form reaches no store. */
export function hasClientIdForm(text: string): boolean {
  return /^client_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
