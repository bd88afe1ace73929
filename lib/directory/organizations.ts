import type { Administrator } from "../api-clients/client-event.ts";
import { auditEvent, named } from "../audit/event.ts";
import { acceptsDynamicClients } from "../config/oauth-features.ts";
import { readFields, textField } from "../kernel/fields.ts";
import { uuid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { FirstOwner, OrganizationRecord } from "../stores/directory.ts";
import type { OrganizationChange } from "../stores/members.ts";
import { directoryEvent } from "./audit-events.ts";
import { inTheNameOf, newUserId } from "./person.ts";
import type { DirectoryPorts } from "./ports.ts";

/** The person who creates an organization. */
export type Founder = Omit<Administrator, "organizationId">;
/** An organization of the administrator's; with `expectedRevision` only while that is its revision. */
export type ExpectedRevision = Pick<OrganizationChange, "expectedRevision">;

/**
 * Creates an organization from `{name}`, with the founder as its owner.
 * @throws ProblemError `invalid_body`, `invalid_field`, `conflict` for whoever is in too many, `forbidden` for whoever left
 * the last one meanwhile
 */
export async function createOrganization(
  dependencies: DirectoryPorts,
  founder: Founder,
  input: unknown,
): Promise<OrganizationRecord> {
  const organization = newOrganization(dependencies, parseName(input));
  await requireRoom(dependencies, founder.id);
  const { organizationId } = organization;
  const { members } = dependencies.stores;
  const event = directoryEvent(dependencies, { ...founder, organizationId }, "organization.created");
  const isSecond = !(await members.hasSeveralOrganizations());
  await inTheNameOf(dependencies, founder.id, () => members.createOrganization(organization, founder.id, event));
  if (isSecond) warnOfMembership(dependencies);
  return organization;
}

/** From the second organization on, apps that say nothing of it are there for members alone (D165): whom that shuts out is told. */
function warnOfMembership({ configuration, logger }: DirectoryPorts): void {
  const current = configuration().configuration;
  const changed = current.apps.filter((app) => app.type !== "oidc" && app.members === undefined);
  if (changed.length === 0 || acceptsDynamicClients(current)) return;
  logger.warn("with a second organization, people must belong to the organization of these apps to use them", {
    apps: changed.map(({ name }) => name).join(" "),
    toOpen: "authorization.inbound.members: any, in apps of type proxy members: any",
  });
}

/** @throws ProblemError `not_found` */
export async function showOrganization(
  { stores }: Pick<DirectoryPorts, "stores">,
  organizationId: string,
): Promise<OrganizationRecord> {
  const organization = await stores.directory.getOrganization(organizationId);
  if (organization === undefined) throw unknownOrganization();
  return organization;
}

/**
 * Gives the administrator's organization the name of `{name}`.
 * @throws ProblemError `invalid_body`, `invalid_field`, `not_found`, `stale`
 */
export async function renameOrganization(
  dependencies: DirectoryPorts,
  actor: Administrator,
  { expectedRevision }: ExpectedRevision,
  input: unknown,
): Promise<OrganizationRecord> {
  const { organizationId } = actor;
  const change = {
    organizationId,
    name: parseName(input),
    ...(expectedRevision !== undefined && { expectedRevision }),
  };
  const event = directoryEvent(dependencies, actor, "organization.updated", { details: { fields: "name" } });
  const renamed = await dependencies.stores.members.renameOrganization(change, event);
  if (renamed === "not_found") throw unknownOrganization();
  if (renamed === "stale") throw new ProblemError("stale", "The organization was changed meanwhile.");
  return renamed;
}

/** The default name of an organization. */
export const DEFAULT_ORGANIZATION = "Default organization";

interface FirstOwnerRequest {
  /** The organization's name. */
  readonly organization: string;
  /** Lower-cased. */
  readonly email: string;
  /** The owner's id, from `newUserId`; absent: a new one. */
  readonly userId?: string;
  /** Who does it; absent: the new owner. */
  readonly actor?: string;
  readonly requestId?: string;
}

/** Creates the first organization with its owner; resolves to undefined, and creates nothing, when an owner exists. */
export async function createFirstOwner(
  dependencies: DirectoryPorts,
  request: FirstOwnerRequest,
): Promise<FirstOwner | undefined> {
  const { directory } = dependencies.stores;
  const now = dependencies.clock.now();
  const organization = await organizationToOwn(dependencies, request.organization);
  const person = { userId: request.userId ?? newUserId(dependencies), email: request.email, createdAt: now };
  const event = auditEvent(dependencies, {
    type: "member.added",
    outcome: "success",
    organizationId: organization.organizationId,
    actor: request.actor ?? person.userId,
    user: person.userId,
    ...named([person.userId, person.email]),
    ...(request.requestId !== undefined && { requestId: request.requestId }),
    details: { role: "owner" },
  });
  const first = { organization, person };
  return (await directory.createFirstOwner(first, event)) ? first : undefined;
}

/**
 * The first organization, made without an owner when there is none: what operators of an embedded store work in.
 * @param actor `operator:<login name>`
 */
export async function ensureOrganization(dependencies: DirectoryPorts, actor: string): Promise<OrganizationRecord> {
  const { directory } = dependencies.stores;
  const existing = await directory.firstOrganization();
  if (existing !== undefined) return existing;
  const organization = newOrganization(dependencies, DEFAULT_ORGANIZATION);
  const { organizationId } = organization;
  const event = auditEvent(dependencies, { type: "organization.created", outcome: "success", organizationId, actor });
  if (await directory.createFirstOrganization(organization, event)) return organization;
  return (await directory.firstOrganization()) ?? organization;
}

/** An organization that nobody belongs to yet. */
function newOrganization(dependencies: DirectoryPorts, name: string): OrganizationRecord {
  return { organizationId: `org_${uuid(dependencies.random)}`, name, createdAt: dependencies.clock.now(), revision: 1 };
}

/** The same answer if the organization does not exist and if the person does not belong to it. */
export function unknownOrganization(): ProblemError {
  return new ProblemError("not_found", "You belong to no such organization.");
}

/** Concurrent requests may create one more. */
async function requireRoom({ stores }: Pick<DirectoryPorts, "stores">, userId: string): Promise<void> {
  if ((await stores.directory.memberships(userId)).length < MOST_ORGANIZATIONS) return;
  throw new ProblemError(
    "conflict",
    `You belong to ${MOST_ORGANIZATIONS} organizations, which is the most: leave one first.`,
  );
}

/** Each profile reads all organizations of a person, and each change of a person is recorded in all of them. */
const MOST_ORGANIZATIONS = 100;

/** An operator may have created the organization already. Its first owner takes it over and names it. */
async function organizationToOwn(dependencies: DirectoryPorts, name: string): Promise<OrganizationRecord> {
  const existing = await dependencies.stores.directory.firstOrganization();
  return existing === undefined ? newOrganization(dependencies, name) : { ...existing, name };
}

function parseName(input: unknown): string {
  const fields = readFields(input, ["name"]);
  const name = textField(fields, "name", { min: 1, max: 200 });
  fields.finish();
  return name as string;
}
