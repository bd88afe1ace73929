import type { Administrator } from "../api-clients/client-event.ts";
import type { Dependencies } from "../dependencies.ts";
import { readFields, textField } from "../fields.ts";
import { ProblemError } from "../problem.ts";
import type { OrganizationRecord } from "../stores/directory.ts";
import type { OrganizationChange } from "../stores/members.ts";
import { directoryEvent } from "./directory-event.ts";
import { newOrganization } from "./first-owner.ts";

/** A person at work on an organization that need not exist yet. */
export type Founder = Omit<Administrator, "organizationId">;

/** An organization of the administrator's; with `expectedRevision` only while that is its revision. */
export type ExpectedRevision = Pick<OrganizationChange, "expectedRevision">;

/**
 * Creates an organization from `{name}`, with the founder as its owner.
 * @throws ProblemError `invalid_body`, `invalid_field`
 */
export async function createOrganization(
  dependencies: Dependencies,
  founder: Founder,
  input: unknown,
): Promise<OrganizationRecord> {
  const organization = newOrganization(dependencies, parseName(input));
  const { organizationId } = organization;
  const event = directoryEvent(dependencies, { ...founder, organizationId }, "organization.created");
  await dependencies.stores.members.createOrganization(organization, founder.id, event);
  return organization;
}

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
