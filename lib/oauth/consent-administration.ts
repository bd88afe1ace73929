import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";
import { ProblemError } from "../problem.ts";
import type { ConsentRecord } from "../stores/grants.ts";
import { organizationOf } from "./clients/organization.ts";

/** The owner who administers, of one organization. */
export interface ConsentAdministrator {
  readonly id: string;
  readonly organizationId: string;
  readonly requestId: string;
}

/** The two that a consent is between, as audit records and tokens name them. */
export interface ConsentParties {
  /** `user_…` */
  readonly user: string;
  readonly client: string;
}

/**
 * What a person allowed a client of the administrator's organization.
 * @throws ProblemError `not_found`
 */
export async function shownConsent(
  dependencies: Dependencies,
  administrator: Pick<ConsentAdministrator, "organizationId">,
  { user, client }: ConsentParties,
): Promise<ConsentRecord> {
  const consent = await dependencies.stores.grants.consent(user, client);
  if (consent === undefined) throw unknownConsent();
  if ((await ownerOf(client, dependencies)) !== administrator.organizationId) throw unknownConsent();
  return consent;
}

/**
 * Takes it back in the person's stead: every token that rests on it is over, on every instance.
 * @throws ProblemError `not_found`
 */
export async function revokeConsent(
  dependencies: Dependencies,
  administrator: ConsentAdministrator,
  parties: ConsentParties,
): Promise<void> {
  const { consentId } = await shownConsent(dependencies, administrator, parties);
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
}

/** Of the app; of a client that came by itself, or is not known any more, the first organization takes care. */
async function ownerOf(clientId: string, dependencies: Dependencies): Promise<string | undefined> {
  const { apps } = dependencies.configuration().configuration;
  const app = apps.find((candidate) => candidate.type === "oidc" && candidate.clientID === clientId);
  return organizationOf(app ?? {}, dependencies);
}

/** One answer for what is not there, and what is not this organization's. */
function unknownConsent(): ProblemError {
  return new ProblemError("not_found", "This person allowed this client nothing, or not in this organization.");
}
