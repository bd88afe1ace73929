import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";
import { uuid } from "../ids.ts";
import type { FirstOwner, OrganizationRecord } from "../stores/directory.ts";

/** The name of an organization that nobody named. */
export const DEFAULT_ORGANIZATION = "Default organization";

export interface FirstOwnerRequest {
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
  dependencies: Dependencies,
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
    ...(request.requestId !== undefined && { requestId: request.requestId }),
    details: { role: "owner" },
  });
  const first = { organization, person };
  return (await directory.createFirstOwner(first, event)) ? first : undefined;
}

export function newUserId({ random }: Pick<Dependencies, "random">): string {
  return `user_${uuid(random)}`;
}

/**
 * The first organization, made without an owner when there is none: what operators of an embedded store work in.
 * @param actor `operator:<login name>`
 */
export async function ensureOrganization(dependencies: Dependencies, actor: string): Promise<OrganizationRecord> {
  const { directory } = dependencies.stores;
  const existing = await directory.firstOrganization();
  if (existing !== undefined) return existing;
  const organization = newOrganization(dependencies, DEFAULT_ORGANIZATION);
  const { organizationId } = organization;
  const event = auditEvent(dependencies, { type: "organization.created", outcome: "success", organizationId, actor });
  if (await directory.createFirstOrganization(organization, event)) return organization;
  return (await directory.firstOrganization()) ?? organization;
}

/** An operator may have made the organization already; its first owner takes it over and names it. */
async function organizationToOwn(dependencies: Dependencies, name: string): Promise<OrganizationRecord> {
  const existing = await dependencies.stores.directory.firstOrganization();
  return existing === undefined ? newOrganization(dependencies, name) : { ...existing, name };
}

/** An organization that nobody belongs to yet. */
export function newOrganization(dependencies: Dependencies, name: string): OrganizationRecord {
  return { organizationId: `org_${uuid(dependencies.random)}`, name, createdAt: dependencies.clock.now(), revision: 1 };
}
