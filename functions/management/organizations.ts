import type { Context } from "hono";
import {
  createOrganization as create,
  renameOrganization as rename,
  showOrganization as show,
  unknownOrganization,
} from "../../lib/directory/organizations.ts";
import { representOrganization } from "../../lib/directory/representation.ts";
import type { Organization, OrganizationList } from "../../lib/management/schemas/organizations.ts";
import { ProblemError } from "../../lib/problem.ts";
import type { OrganizationRecord, Role } from "../../lib/stores/directory.ts";
import type { Endpoint, Env } from "../env.ts";
import { administrator, authenticatePerson, type PersonCaller } from "../middleware/caller.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { entityTag, expectedRevision } from "../middleware/revision.ts";

/** GET: the organizations that the person belongs to, the one joined first in front. */
export const listOrganizations: Endpoint = (dependencies) => async (c) => {
  const { memberships } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const items = await Promise.all(
    memberships.map(async ({ organizationId, role }) =>
      representOrganization(await show(dependencies, organizationId), role),
    ),
  );
  return answerJson<OrganizationList>(c, { items });
};

/** POST `{name}` by an owner of any organization: 201 with the new one, which the person owns. */
export const createOrganization: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  if (!caller.memberships.some(({ role }) => role === "owner")) {
    throw new ProblemError("forbidden", "Only an owner of an organization may create another one.");
  }
  const record = await create(dependencies, administrator(caller, c), await readJsonBody(c));
  c.header("Location", `/api/v1/organizations/${record.organizationId}`);
  return answerOrganization(c, record, "owner", 201);
};

export const showOrganization: Endpoint = (dependencies) => async (c) => {
  const { organizationId, role } = organizationOfPath(await authenticatePerson(dependencies, c, "member"), c);
  refuseUnknownQuery(c, []);
  return answerOrganization(c, await show(dependencies, organizationId), role);
};

/** PATCH `{name}`. */
export const renameOrganization: Endpoint = (dependencies) => async (c) => {
  const caller = organizationOfPath(await authenticatePerson(dependencies, c, "member"), c);
  refuseUnknownQuery(c, []);
  if (caller.role !== "owner") throw new ProblemError("forbidden", "Only an owner of the organization may do this.");
  const record = await rename(dependencies, administrator(caller, c), expectedRevision(c), await readJsonBody(c));
  return answerOrganization(c, record, caller.role);
};

/** The person in the organization that the path names, whichever the header chose. */
function organizationOfPath(caller: PersonCaller, c: Context<Env>): PersonCaller {
  const named = c.req.param("organizationId");
  const membership = caller.memberships.find(({ organizationId }) => organizationId === named);
  if (membership === undefined) throw unknownOrganization();
  return { ...caller, organizationId: membership.organizationId, role: membership.role };
}

function answerOrganization(c: Context<Env>, record: OrganizationRecord, role: Role, status: 200 | 201 = 200) {
  c.header("ETag", entityTag(record.revision));
  return answerJson<Organization>(c, representOrganization(record, role), status);
}
