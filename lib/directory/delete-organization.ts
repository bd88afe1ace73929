import { type Administrator, clientEvent } from "../api-clients/client-event.ts";
import { auditEvent, byAdministrator } from "../audit/event.ts";
import { allOverrides, withoutOverridesOf } from "../config/overrides/overrides.ts";
import type { GatewaySettings } from "../config/settings/settings.ts";
import { takeBackConnectionsIn } from "../connections/administration.ts";
import { ProblemError } from "../kernel/problem.ts";
import { causeOf } from "../logging/cause.ts";
import { beginDeletion, completeDeletion, deletionsUnderWay } from "../stops/organization-deletion.ts";
import type { ApiClientRecord } from "../stores/api-clients.ts";
import type { MemberRecord } from "../stores/members.ts";
import type { Page, PageRequest } from "../stores/paging.ts";
import type { Stop } from "../stores/stops.ts";
import type { Stores } from "../stores/stores.ts";
import { directoryEvent } from "./audit-events.ts";
import { unknownOrganization } from "./organizations.ts";
import type { DirectoryPorts } from "./ports.ts";
import { requireProof } from "./sign-in-methods.ts";
import { stopOfPerson } from "./stopped-person.ts";

export interface DeletionPorts extends DirectoryPorts {
  readonly stores: DirectoryPorts["stores"] & Pick<Stores, "connections" | "settings">;
  /** Absent: there is no gateway. */
  readonly gatewaySettings?: Pick<GatewaySettings, "use"> | undefined;
}

/** The owner who deletes, in the organization that is deleted. */
export interface DeletingOwner extends Administrator {
  /** When their session began, in milliseconds, and how. */
  readonly signedInAt: number;
  readonly method: Parameters<typeof requireProof>[1]["method"];
}

/** What one pass removes: members, invitations, API clients and connections. A request and an instance have only so much time. */
const PASS = 100;
const PAGE = 100;
/** Between reading and replacing the settings others may have been there so often. */
const ATTEMPTS = 10;
/** Milliseconds between two looks for what another process has left half done. */
const LOOK_EVERY = 60_000;
/** The same after a pass that left some over. */
const GO_ON_AFTER = 1_000;

/**
 * Deletes an organization. When this resolves nothing of it works any more and no instance shows it, after the time that a stop takes
 * to settle (D173). What is stored of it is removed at once as far as one pass goes, and else by `deletionSweep`.
 *
 * @throws ProblemError `conflict` for the first organization, and where there is no room for one more stop; `not_found` where somebody
 * else was faster; `forbidden` while the owner or the organization is suspended; `recent_sign_in_required`
 */
export async function deleteOrganization(ports: DeletionPorts, owner: DeletingOwner): Promise<void> {
  const { organizationId, id: userId, signedInAt, method } = owner;
  const { directory } = ports.stores;
  const [first, organization] = await Promise.all([
    directory.firstOrganization(),
    directory.getOrganization(organizationId),
  ]);
  if (first === undefined || organization === undefined) throw unknownOrganization();
  if (first.organizationId === organizationId) throw isFirst();
  if ((await stopOfPerson(ports, { userId, createdAt: signedInAt }, organizationId)) !== undefined) throw isStopped();
  await requireProof(ports, { id: userId, organizationId, signedInAt, method }, PROVEN);
  const event = auditEvent(ports, {
    ...{ type: "organization.deleted", outcome: "success", organizationId: first.organizationId },
    ...byAdministrator(owner, [organizationId, organization.name]),
    details: { organizationId, stage: "closed" },
  });
  const begun = await beginDeletion(ports, owner, event);
  if (begun?.stop === undefined) throw unknownOrganization();
  try {
    await remove(ports, begun.stop, owner);
  } catch (cause) {
    // It is deleted already: what is left is removed by the next sweep of any instance.
    ports.logger.warn("what is stored of a deleted organization could not be removed yet", {
      organizationId,
      cause: causeOf(cause),
    });
  }
}

const PROVEN = { may: "an organization can be deleted", mayNot: "you delete no organization" };

function isFirst(): ProblemError {
  return new ProblemError(
    "conflict",
    "The first organization administers the instance and cannot be deleted. Delete its API clients and remove its members instead.",
  );
}

function isStopped(): ProblemError {
  return new ProblemError("forbidden", "Your access to this organization is suspended.");
}

/**
 * Goes on with deletions that a process did not finish, at most once a minute unless a pass leaves some over. To be called now and
 * then, or with each request: undefined while nothing is due. The promise never rejects.
 */
export function deletionSweep(ports: DeletionPorts): () => Promise<void> | undefined {
  let dueAt = ports.clock.now() + LOOK_EVERY;
  const sweep = async (): Promise<void> => {
    try {
      let isOver = true;
      for (const stop of await deletionsUnderWay(ports)) if (!(await remove(ports, stop))) isOver = false;
      if (!isOver) dueAt = ports.clock.now() + GO_ON_AFTER;
    } catch (cause) {
      ports.logger.warn("deleted organizations could not be looked after", { cause: causeOf(cause) });
    }
  };
  return () => {
    const now = ports.clock.now();
    if (now < dueAt) return undefined;
    dueAt = now + LOOK_EVERY;
    return sweep();
  };
}

interface Pass {
  readonly ports: DeletionPorts;
  /** In whose name everything is removed, in the organization that was deleted. */
  readonly actor: Administrator;
  /** Counts one. False: the pass is over. */
  readonly take: () => boolean;
}

/** Removes what is stored of it, in an order that can be done again from the start. False: there is more, or some may be left. */
async function remove(
  ports: DeletionPorts,
  { target: { id: organizationId }, at, by }: Stop,
  owner: Administrator = { id: by, organizationId },
): Promise<boolean> {
  const { stores, configuration } = ports;
  // First, so that nothing comes after what is listed below.
  await stores.members.closeOrganization(organizationId, at);
  let left = PASS;
  const pass: Pass = { ports, actor: owner, take: () => left-- > 0 };
  for (const part of [removeOverrides, removeInvitations, removeMembers, removeApiClients, removeConnections])
    if (!(await part(pass))) return false;
  const first = await stores.directory.firstOrganization();
  const event = auditEvent(ports, {
    ...{ type: "organization.deleted", outcome: "success" },
    ...(first !== undefined && { organizationId: first.organizationId }),
    ...byAdministrator(owner),
    details: { organizationId, stage: "removed" },
  });
  const { apps } = configuration().configuration;
  const isNamed = apps.some(({ organization }) => organization === organizationId);
  await completeDeletion(ports, owner, { event, isNamed });
  return true;
}

async function removeOverrides({ ports, actor }: Pass): Promise<boolean> {
  const { settings } = ports.stores;
  const { organizationId } = actor;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await settings.readSettings();
    if (!allOverrides(stored).has(organizationId)) return true;
    const event = directoryEvent(ports, actor, "overrides.changed", { details: { changed: "all" } });
    const record = {
      revision: stored.revision + 1,
      values: withoutOverridesOf(stored, organizationId),
      ...{ updatedAt: event.time, updatedBy: actor.id },
    };
    if (!(await settings.replaceSettings(record, event))) continue;
    await ports.gatewaySettings?.use(record);
    return true;
  }
  return false;
}

async function removeInvitations({ ports, actor, take }: Pass): Promise<boolean> {
  const { invitations } = ports.stores;
  for (;;) {
    const open = await invitations.listInvitations(actor.organizationId, ports.clock.now());
    if (open.length === 0) return true;
    for (const { invitationId } of open) {
      if (!take()) return false;
      const event = directoryEvent(ports, actor, "invitation.revoked", { details: { invitationId } });
      await invitations.revokeInvitation(actor.organizationId, invitationId, event);
    }
  }
}

/** As if each left: who is in no other organization is forgotten (D139). */
async function removeMembers({ ports, actor, take }: Pass): Promise<boolean> {
  const { members } = ports.stores;
  const { organizationId } = actor;
  return eachOf<MemberRecord>(
    (page) => members.listMembers(organizationId, page),
    async ({ userId, email }) => {
      if (!take()) return false;
      const event = directoryEvent(ports, actor, "member.removed", { user: userId }, [userId, email]);
      await members.removeMember({ organizationId, userId }, event);
      return true;
    },
  );
}

/** With their tokens. */
async function removeApiClients({ ports, actor, take }: Pass): Promise<boolean> {
  const { apiClients } = ports.stores;
  const { organizationId } = actor;
  return eachOf<ApiClientRecord>(
    (page) => apiClients.list(organizationId, page),
    async ({ clientId, name }) => {
      if (!take()) return false;
      const event = clientEvent(ports, actor, "api_client.deleted", { clientId, revokeTokens: "true" }, name);
      await apiClients.delete({ organizationId, clientId }, { revokeTokens: true }, event);
      return true;
    },
  );
}

/** Removes what a list has, page by page: what goes moves nothing behind the cursor. False: the pass is over before the end. */
async function eachOf<Item>(
  list: (page: PageRequest) => Promise<Page<Item>>,
  removed: (item: Item) => Promise<boolean>,
): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const page = await list({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    for (const item of page.items) if (!(await removed(item))) return false;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return true;
}

/** Those of members ended with them. People who are none may have some, where an app is open to everybody. */
function removeConnections({ ports, actor, take }: Pass): Promise<boolean> {
  return takeBackConnectionsIn(ports, actor, take);
}
