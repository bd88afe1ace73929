import { auditEvent } from "../audit/event.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { ConsentRecord } from "../stores/grants.ts";
import { organizationOf } from "./clients/find-client.ts";
import type { AuthorizationServerPorts } from "./ports.ts";

/** The owner who administers, of one organization. */
export interface ConsentAdministrator {
  readonly id: string;
  readonly organizationId: string;
  readonly requestId: string;
}

/** The person and the client of a consent, as audit records and tokens name them. */
export interface ConsentParties {
  /** `user_…` */
  readonly user: string;
  readonly client: string;
}

/**
 * The consent of a person to a client of the administrator's organization.
 * @throws ProblemError `not_found`
 */
export async function shownConsent(
  dependencies: AuthorizationServerPorts,
  administrator: Pick<ConsentAdministrator, "organizationId">,
  { user, client }: ConsentParties,
): Promise<ConsentRecord> {
  const consent = await dependencies.stores.grants.consent(user, client);
  if (consent === undefined) throw unknownConsent();
  if ((await ownerOf(client, dependencies)) !== administrator.organizationId) throw unknownConsent();
  return consent;
}

/**
 * Revokes a consent on behalf of the person. Every token that depends on it ends, on every instance.
 *
 * @param endConnections ends the person's accounts at providers that serve this client alone (D220). First, so that the whole can be
 *   repeated where it broke off; and once more, for what the person connected meanwhile.
 * @throws ProblemError `not_found`
 */
export async function revokeConsent(
  dependencies: AuthorizationServerPorts,
  administrator: ConsentAdministrator,
  parties: ConsentParties,
  endConnections: () => Promise<void>,
): Promise<void> {
  const { consentId } = await shownConsent(dependencies, administrator, parties);
  await endConnections();
  const { user, client } = parties;
  const event = auditEvent(dependencies, {
    type: "consent.revoked",
    organizationId: administrator.organizationId,
    outcome: "success",
    actor: administrator.id,
    agent: client,
    user,
    requestId: administrator.requestId,
    details: { consentId },
  });
  if (!(await dependencies.stores.grants.revokeConsent(user, client, event))) throw unknownConsent();
  await endConnections();
}

/** The organization of the app. Dynamic clients and unknown clients belong to the first organization. */
async function ownerOf(clientId: string, dependencies: AuthorizationServerPorts): Promise<string | undefined> {
  const { apps } = dependencies.configuration().configuration;
  const app = apps.find((candidate) => candidate.type === "oidc" && candidate.clientID === clientId);
  return organizationOf(app ?? {}, dependencies);
}

/** The same answer if the consent does not exist and if it belongs to another organization. */
function unknownConsent(): ProblemError {
  return new ProblemError("not_found", "This person allowed this client nothing, or not in this organization.");
}
