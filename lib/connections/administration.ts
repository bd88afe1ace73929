import { type AuditEventPorts, auditEvent, byAdministrator } from "../audit/event.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { ConnectionFacts, ConnectionKey, Connections } from "../stores/connections.ts";
import type { Directory } from "../stores/directory.ts";
import { type Identities, personId } from "../stores/identities.ts";
import type { Page, PageRequest } from "../stores/paging.ts";

export interface ConnectionAdministrationPorts extends AuditEventPorts {
  readonly stores: {
    readonly connections: Pick<Connections, "connection" | "connectionsOf" | "connectionsIn" | "disconnect">;
    readonly identities: Pick<Identities, "listIdentities">;
  };
}

/** A member of an organization, who administers there. */
export interface ConnectionAdministrator {
  /** `user_…` of the directory, or the operator. */
  readonly id: string;
  readonly organizationId: string;
  /** Owners reach what is others' as well. */
  readonly isOwner: boolean;
  /** Absent: no request of a client brought it about. */
  readonly requestId?: string;
  readonly name?: string;
}

/** False: there is none. */
export type Disconnect = (key: ConnectionKey, connectionId: string) => Promise<boolean>;

/** Which connection is meant: what it is of, and which of those that were there one after another. */
export interface NamedConnection extends Omit<ConnectionKey, "organizationId"> {
  readonly connectionId: string;
}

/** An agent that is a client of this instance, and one of its people. */
export interface AgentOfPerson {
  /** As `personId` names them. */
  readonly person: string;
  /** Its client id. */
  readonly agent: string;
  /** Where connections are looked for. */
  readonly organizations: readonly string[];
}

/** Connections of all accounts that sign the person in, in one organization; newest first. */
export async function ownConnections(
  { stores }: ConnectionAdministrationPorts,
  { id, organizationId }: ConnectionAdministrator,
): Promise<readonly ConnectionFacts[]> {
  const accounts = await stores.identities.listIdentities(id);
  const found = await Promise.all(
    accounts.map((account) => stores.connections.connectionsOf(organizationId, personId(account))),
  );
  return found.flat().sort((one, other) => other.connectedAt - one.connectedAt);
}

/**
 * Those of everybody in the organization, in no order that means something; a page may be short, or empty, and not the last.
 * @throws ProblemError `forbidden`
 */
export async function organizationConnections(
  { stores }: ConnectionAdministrationPorts,
  { organizationId, isOwner }: ConnectionAdministrator,
  page: PageRequest,
): Promise<Page<ConnectionFacts>> {
  if (!isOwner)
    throw new ProblemError("forbidden", "Only an owner of the organization sees the connections of others.");
  return stores.connections.connectionsIn(organizationId, page);
}

/**
 * Takes a connection back: it serves no call from the next one on, and then its provider is told.
 *
 * @param disconnect as people's connections have it. Absent: they are not in use here. Then the connection is marked, and the instance
 *   that opens the vault tells the provider.
 * @throws ProblemError `not_found`, also where it is another person's and the administrator is no owner
 */
export async function takeBackConnection(
  ports: ConnectionAdministrationPorts,
  administrator: ConnectionAdministrator,
  { connectionId, ...of }: NamedConnection,
  disconnect: Disconnect = (key, name) => mark(ports, administrator, key, name),
): Promise<void> {
  const { id, organizationId, isOwner } = administrator;
  if (!isOwner && !(await isOwn(ports, id, of.person))) throw unknownConnection();
  const key = { ...of, organizationId };
  if (!(await disconnect(key, connectionId))) throw unknownConnection();
}

/**
 * Ends the connections of a person that serve one agent alone, in these organizations, and so at their providers (D220). Those that
 * serve every agent of the person stay.
 *
 * @param administrator whoever takes the agent's consent back
 * @param disconnect as for `takeBackConnection`
 */
export async function takeBackConnectionsOfAgent(
  ports: ConnectionAdministrationPorts,
  administrator: Pick<ConnectionAdministrator, "id" | "requestId">,
  { person, agent, organizations }: AgentOfPerson,
  disconnect: Disconnect = (key, name) => mark(ports, administrator, key, name),
): Promise<void> {
  const found = await connectionsAt(ports, { person, organizations });
  const own = found.filter((connection) => connection.agent === agent);
  await Promise.all(own.map((connection) => disconnect(keyOf(connection), connection.connectionId)));
}

/**
 * Marks all connections of a person in these organizations as deleted: they serve no call from the next one on, and their providers
 * are told by whoever looks for those that are due (D218).
 *
 * @param administrator whoever takes the person's account away
 */
export async function takeBackConnectionsOfPerson(
  ports: ConnectionAdministrationPorts,
  administrator: Pick<ConnectionAdministrator, "id" | "requestId">,
  of: Omit<AgentOfPerson, "agent">,
): Promise<void> {
  const found = await connectionsAt(ports, of);
  await Promise.all(found.map((connection) => mark(ports, administrator, keyOf(connection), connection.connectionId)));
}

/**
 * Marks the connections of everybody in an organization as deleted, as `takeBackConnectionsOfPerson` does.
 *
 * @param administrator whoever deletes the organization
 * @param take counts each. False: the others are left
 * @returns false where some are left
 */
export async function takeBackConnectionsIn(
  ports: ConnectionAdministrationPorts,
  administrator: Pick<ConnectionAdministrator, "id" | "organizationId" | "name" | "requestId">,
  take: () => boolean,
): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const request: PageRequest = { limit: 100, ...(cursor !== undefined && { cursor }) };
    const page: Page<ConnectionFacts> = await ports.stores.connections.connectionsIn(
      administrator.organizationId,
      request,
    );
    for (const connection of page.items) {
      if (!take()) return false;
      await mark(ports, administrator, keyOf(connection), connection.connectionId);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return true;
}

/** In which people may have connected accounts, as their agents may call apps of other organizations. */
export async function organizationsOfApps({
  stores,
  configuration,
}: Pick<AuditEventPorts, "configuration"> & {
  readonly stores: { readonly directory: Pick<Directory, "firstOrganization"> };
}): Promise<readonly string[]> {
  const first = await stores.directory.firstOrganization();
  const { apps } = configuration().configuration;
  return [...new Set([first?.organizationId ?? "", ...apps.flatMap(({ organization }) => organization ?? [])])];
}

async function connectionsAt(
  { stores }: ConnectionAdministrationPorts,
  { person, organizations }: Omit<AgentOfPerson, "agent">,
): Promise<readonly ConnectionFacts[]> {
  const found = await Promise.all(organizations.map((id) => stores.connections.connectionsOf(id, person)));
  return found.flat();
}

function keyOf({ organizationId, person, app, agent }: ConnectionFacts): ConnectionKey {
  return { organizationId, person, app, agent };
}

async function isOwn({ stores }: ConnectionAdministrationPorts, userId: string, person: string): Promise<boolean> {
  const accounts = await stores.identities.listIdentities(userId);
  return accounts.some((account) => personId(account) === person);
}

async function mark(
  ports: ConnectionAdministrationPorts,
  administrator: Pick<ConnectionAdministrator, "id" | "name" | "requestId">,
  key: ConnectionKey,
  connectionId: string,
): Promise<boolean> {
  const { organizationId, person: user, app, agent } = key;
  const event = auditEvent(ports, {
    ...{ type: "connection.revoked", outcome: "success", organizationId, user, app },
    ...(agent !== "" && { agent }),
    ...byAdministrator(administrator),
    details: { connectionId },
  });
  return (await ports.stores.connections.disconnect(key, connectionId, event)) !== undefined;
}

/** The same answer if there is none and if it is not for the one who asks. */
function unknownConnection(): ProblemError {
  return new ProblemError("not_found", "There is no such connection, or it is not yours.");
}
