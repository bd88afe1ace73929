import type { Administrator } from "../api-clients/client-event.ts";
import type { Dependencies } from "../dependencies.ts";
import { readFields, textField } from "../fields.ts";
import { ProblemError } from "../problem.ts";
import type { OrganizationRecord } from "../stores/directory.ts";
import type { OrganizationChange } from "../stores/members.ts";
import { directoryEvent } from "./directory-event.ts";
import { newOrganization } from "./first-owner.ts";
import { inTheNameOf } from "./in-the-name-of.ts";

/** A person at work on an organization that need not exist yet. */
export type Founder = Omit<Administrator, "organizationId">;

/** An organization of the administrator's; with `expectedRevision` only while that is its revision. */
export type ExpectedRevision = Pick<OrganizationChange, "expectedRevision">;

/**
 * Creates an organization from `{name}`, with the founder as its owner.
 * @throws ProblemError `invalid_body`, `invalid_field`, `conflict` for whoever is in too many, `forbidden` for whoever left
 * the last one meanwhile
 */
export async function createOrganization(
  dependencies: Dependencies,
  founder: Founder,
  input: unknown,
): Promise<OrganizationRecord> {
  const organization = newOrganization(dependencies, parseName(input));
  await requireRoom(dependencies, founder.id);
  const { organizationId } = organization;
  const event = directoryEvent(dependencies, { ...founder, organizationId }, "organization.created");
  await inTheNameOf(dependencies, founder.id, () =>
    dependencies.stores.members.createOrganization(organization, founder.id, event),
  );
  return organization;
}

/** Requests at the same time may make one more. */
async function requireRoom({ stores }: Pick<Dependencies, "stores">, userId: string): Promise<void> {
  if ((await stores.directory.memberships(userId)).length < MOST_ORGANIZATIONS) return;
  throw new ProblemError(
    "conflict",
    `You belong to ${MOST_ORGANIZATIONS} organizations, which is the most: leave one first.`,
  );
}

/** All of a person's are read with each profile, and what a person changes about themself is recorded in each. */
const MOST_ORGANIZATIONS = 100;

/** @throws ProblemError `not_found` */
export async function showOrganization(
  { stores }: Pick<Dependencies, "stores">,
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
  dependencies: Dependencies,
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

/** One answer for what is not there, and for what the person does not belong to. */
export function unknownOrganization(): ProblemError {
  return new ProblemError("not_found", "You belong to no such organization.");
}

function parseName(input: unknown): string {
  const fields = readFields(input, ["name"]);
  const name = textField(fields, "name", { min: 1, max: 200 });
  fields.finish();
  return name as string;
}
