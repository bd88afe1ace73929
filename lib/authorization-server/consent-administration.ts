import { auditEvent, byAdministrator } from "../audit/event.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { ConsentClients, ConsentRecord } from "../stores/grants.ts";
import { personId } from "../stores/identities.ts";
import type { Page, PageRequest } from "../stores/paging.ts";
import type { ClientMetadata } from "./clients/client-metadata.ts";
import { appClient, organizationOf } from "./clients/find-client.ts";
import type { AuthorizationServerPorts } from "./ports.ts";

/** A member of an organization, who administers there. */
export interface ConsentAdministrator {
  /** `user_…` of the directory. */
  readonly id: string;
  readonly organizationId: string;
  /** Owners reach what others gave to clients of the organization as well. */
  readonly isOwner: boolean;
  readonly requestId: string;
  readonly name?: string;
}

/** The person and the client of a consent, as audit records and tokens name them. */
export interface ConsentParties {
  /** `user_…` */
  readonly user: string;
  readonly client: string;
}

/** What is known of a client without asking it: the words of a client that registered itself are its own. */
export interface ConsentClient {
  /** Absent: nobody knows the client any more, or its metadata document has the name. */
  readonly name?: string;
  /** Where it gets what people allowed; of a client with a metadata document, where that is. */
  readonly hosts: readonly string[];
}

export type DescribedConsent = ConsentRecord & ConsentClient;

/** Consents of all accounts that sign the person in, to clients of every organization; newest first. */
export async function ownConsents(
  dependencies: AuthorizationServerPorts,
  { id }: Pick<ConsentAdministrator, "id">,
): Promise<readonly DescribedConsent[]> {
  const found = await dependencies.stores.grants.consentsOf(await personsOf(id, dependencies));
  return described(
    found.toSorted((one, other) => other.createdAt - one.createdAt),
    dependencies,
  );
}

/**
 * Those of everybody to clients of the organization, in no order that means something; a page may be short, or empty, and not the last.
 * @throws ProblemError `forbidden`
 */
export async function organizationConsents(
  dependencies: AuthorizationServerPorts,
  { organizationId, isOwner }: Pick<ConsentAdministrator, "organizationId" | "isOwner">,
  page: PageRequest,
): Promise<Page<DescribedConsent>> {
  if (!isOwner) throw new ProblemError("forbidden", "Only an owner of the organization sees the agents of others.");
  const found = await dependencies.stores.grants.consentsTo(await clientsOf(organizationId, dependencies), page);
  return { ...found, items: await described(found.items, dependencies) };
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
 * Revokes a consent: the administrator's own, or, for owners, on behalf of the person. Every token that depends on it ends, on every
 * instance.
 *
 * @param endConnections ends the person's accounts at providers that serve this client alone (D220). First, so that the whole can be
 *   repeated where it broke off; and once more, for what the person connected meanwhile.
 * @throws ProblemError `not_found`, also where it is another person's and the administrator is no owner
 */
export async function revokeConsent(
  dependencies: AuthorizationServerPorts,
  administrator: ConsentAdministrator,
  { user, client }: ConsentParties,
  endConnections: () => Promise<void>,
): Promise<void> {
  const { id, organizationId, isOwner } = administrator;
  const { grants } = dependencies.stores;
  const [consent, owner] = [await grants.consent(user, client), await ownerOf(client, dependencies)];
  const isOfOrganization = isOwner && owner === organizationId;
  if (consent === undefined) throw unknownConsent();
  if (!isOfOrganization && !(await personsOf(id, dependencies)).includes(user)) throw unknownConsent();
  await endConnections();
  const { name } = await describeClient(client, dependencies);
  const event = auditEvent(dependencies, {
    type: "consent.revoked",
    ...(owner !== undefined && { organizationId: owner }),
    outcome: "success",
    agent: client,
    user,
    ...byAdministrator(administrator, [user, consent.subjectName], [client, name]),
    details: { consentId: consent.consentId },
  });
  if (!(await grants.revokeConsent(user, client, event))) throw unknownConsent();
  await endConnections();
}

/** As consents name the accounts that sign the person in. */
async function personsOf(userId: string, { stores }: AuthorizationServerPorts): Promise<readonly string[]> {
  return (await stores.identities.listIdentities(userId)).map(personId);
}

/** The organization of the app. Dynamic clients and unknown clients belong to the first organization. */
async function ownerOf(clientId: string, dependencies: AuthorizationServerPorts): Promise<string | undefined> {
  const { configuration } = dependencies.configuration();
  return organizationOf(appClient(clientId, configuration) ?? {}, dependencies);
}

/** Of which `ownerOf` names the organization. */
async function clientsOf(organizationId: string, dependencies: AuthorizationServerPorts): Promise<ConsentClients> {
  const first = await organizationOf({}, dependencies);
  const isAllBut = organizationId === first;
  const { apps } = dependencies.configuration().configuration;
  const clients = apps.flatMap((app) => {
    if (app.type !== "oidc") return [];
    const isOwn = (app.organization ?? first) === organizationId;
    return isOwn === isAllBut ? [] : [app.clientID];
  });
  return { isAllBut, clients };
}

async function described(
  consents: readonly ConsentRecord[],
  dependencies: AuthorizationServerPorts,
): Promise<readonly DescribedConsent[]> {
  const ids = [...new Set(consents.map(({ clientId }) => clientId))];
  const clients = new Map(
    await Promise.all(ids.map(async (id) => [id, await describeClient(id, dependencies)] as const)),
  );
  return consents.map((consent) => ({ ...consent, hosts: [], ...clients.get(consent.clientId) }));
}

/** Also of clients that the configuration does not admit any more. No document is fetched: a list asks nobody. */
async function describeClient(clientId: string, dependencies: AuthorizationServerPorts): Promise<ConsentClient> {
  const app = appClient(clientId, dependencies.configuration().configuration);
  if (app !== undefined) return { name: app.name, hosts: hostsOf(app.redirectURLs) };
  if (URL.canParse(clientId)) return { hosts: hostsOf([clientId]) };
  const record = await dependencies.stores.registeredClients.get(clientId);
  if (record === undefined) return { hosts: [] };
  // Written by the registration endpoint, which read it with `readClientMetadata`.
  const { client_name: name, redirect_uris } = record.metadata as unknown as ClientMetadata;
  return { ...(name !== undefined && { name }), hosts: hostsOf(redirect_uris) };
}

/** Redirects of apps on a device may have no host, but their own scheme. */
function hostsOf(urls: readonly string[]): readonly string[] {
  return [...new Set(urls.flatMap((url) => (URL.canParse(url) ? new URL(url).host || new URL(url).protocol : [])))];
}

/** The same answer if the consent does not exist and if it belongs to another organization. */
function unknownConsent(): ProblemError {
  return new ProblemError("not_found", "This person allowed this client nothing, or not in this organization.");
}
