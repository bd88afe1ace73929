import type { Context } from "hono";
import { overridesOf } from "../../lib/config/overrides/overrides.ts";
import type { GatewaySettings } from "../../lib/config/settings/settings.ts";
import { deleteOrganization as remove } from "../../lib/directory/delete-organization.ts";
import {
  createOrganization as create,
  renameOrganization as rename,
  showOrganization as show,
  unknownOrganization,
} from "../../lib/directory/organizations.ts";
import { changeOverrides, overridable } from "../../lib/gateway/overrides.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { createInstanceDescription } from "../../lib/management/describe-instance.ts";
import type { ORGANIZATION_OPERATIONS } from "../../lib/management/operations/organizations.ts";
import { representOrganization } from "../../lib/management/representations/directory.ts";
import { describeOverrides } from "../../lib/management/representations/gateway.ts";
import type { Instance } from "../../lib/management/schemas/instance.ts";
import type { Organization, OrganizationList } from "../../lib/management/schemas/organizations.ts";
import type { OrganizationOverrides } from "../../lib/management/schemas/overrides.ts";
import type { OrganizationRecord, Role } from "../../lib/stores/directory.ts";
import type { SettingsRecord } from "../../lib/stores/settings.ts";
import type { Env } from "../env.ts";
import { administrator, type PersonCaller } from "../middleware/caller.ts";
import { entityTag, expectedRevision } from "../middleware/change-target.ts";
import { answerJson, answerNothing, readJsonBody } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { refuseUnknownQuery } from "../middleware/query.ts";

export const ORGANIZATION_ENDPOINTS: Endpoints<typeof ORGANIZATION_OPERATIONS> = {
  /** GET: the organizations that the person belongs to, the one joined first in front. */
  listOrganizations:
    (dependencies) =>
    async (c, { memberships }) => {
      refuseUnknownQuery(c, []);
      const items = await Promise.all(
        memberships.map(async ({ organizationId, role }) =>
          representOrganization(await show(dependencies, organizationId), role),
        ),
      );
      return answerJson<OrganizationList>(c, { items });
    },

  /** POST `{name}` by an owner of any organization: 201 with the new one, which the person owns. */
  createOrganization: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    if (!caller.memberships.some(({ role }) => role === "owner")) {
      throw new ProblemError("forbidden", "Only an owner of an organization may create another one.");
    }
    const record = await create(dependencies, administrator(caller, c), await readJsonBody(c));
    c.header("Location", `/api/v1/organizations/${record.organizationId}`);
    return answerOrganization(c, record, "owner", 201);
  },

  showOrganization: (dependencies) => async (c, person) => {
    const { organizationId, role } = organizationOfPath(person, c);
    refuseUnknownQuery(c, []);
    return answerOrganization(c, await show(dependencies, organizationId), role);
  },

  /** PATCH `{name}`. */
  renameOrganization: (dependencies) => async (c, person) => {
    const caller = ownerOfPath(person, c);
    refuseUnknownQuery(c, []);
    const record = await rename(dependencies, administrator(caller, c), expectedRevision(c), await readJsonBody(c));
    return answerOrganization(c, record, caller.role);
  },

  /** DELETE, soon after a sign-in: 204 once nothing of it works any more. */
  deleteOrganization: (dependencies) => async (c, person) => {
    const caller = ownerOfPath(person, c);
    refuseUnknownQuery(c, []);
    const { signedInAt, method } = caller;
    await remove(dependencies, { ...administrator(caller, c), signedInAt, method });
    return answerNothing(c);
  },

  /** GET: what the organization overrides of the configuration, and what it may. `Need`: member of it. */
  showOverrides: (dependencies) => async (c, person) => {
    const { organizationId } = organizationOfPath(person, c);
    refuseUnknownQuery(c, []);
    const gatewaySettings = overridable(dependencies.gatewaySettings);
    return answerOverrides(c, await dependencies.stores.settings.readSettings(), organizationId, gatewaySettings);
  },

  /** PUT `{limits?, policies?}`: all that the organization overrides. */
  replaceOverrides: (dependencies) => async (c, person) => {
    const caller = ownerOfPath(person, c);
    refuseUnknownQuery(c, []);
    const gatewaySettings = overridable(dependencies.gatewaySettings);
    const change = { input: await readJsonBody(c), ...expectedRevision(c) };
    const record = await changeOverrides(dependencies, gatewaySettings, administrator(caller, c), change);
    return answerOverrides(c, record, caller.organizationId, gatewaySettings);
  },

  /** GET: version, region and addresses, and what API clients of the organization can be granted. */
  showInstance: (dependencies) => {
    const describe = createInstanceDescription(dependencies);
    return async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      return answerJson<Instance>(c, await describe(organizationId));
    };
  },
};

/** The person in the organization that the path names, whichever the header chose. */
function organizationOfPath(caller: PersonCaller, c: Context<Env>): PersonCaller {
  const named = c.req.param("organizationId");
  const membership = caller.memberships.find(({ organizationId }) => organizationId === named);
  if (membership === undefined) throw unknownOrganization();
  return { ...caller, organizationId: membership.organizationId, role: membership.role };
}

function ownerOfPath(person: PersonCaller, c: Context<Env>): PersonCaller {
  const caller = organizationOfPath(person, c);
  if (caller.role === "owner") return caller;
  throw new ProblemError("forbidden", "Only an owner of the organization may do this.");
}

function answerOverrides(
  c: Context<Env>,
  record: SettingsRecord,
  organizationId: string,
  gatewaySettings: GatewaySettings,
): Response {
  c.header("ETag", entityTag(overridesOf(record, organizationId).revision));
  return answerJson<OrganizationOverrides>(c, describeOverrides(record, organizationId, gatewaySettings));
}

function answerOrganization(c: Context<Env>, record: OrganizationRecord, role: Role, status: 200 | 201 = 200) {
  c.header("ETag", entityTag(record.revision));
  return answerJson<Organization>(c, representOrganization(record, role), status);
}
