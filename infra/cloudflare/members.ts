import type { Members } from "../../lib/stores/members.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";

/** Changes are not repeated: what was done is answered differently the second time. */
export function cloudflareMembers(env: StateBindings): Members {
  const registry = () => registryOf(env);
  return {
    createOrganization: async (organization, owner, event) => registry().createOrganization(organization, owner, event),
    renameOrganization: async (change, event) => registry().renameOrganization(change, event),
    listMembers: (organizationId, page) => repeatedly(async () => registry().listMembers(organizationId, page)),
    changeRole: async (member, role, event) => registry().changeRole(member, role, event),
    removeMember: async (member, event) => registry().removeMember(member, event),
  };
}
