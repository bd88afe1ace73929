import type { Invitations } from "../../lib/stores/invitations.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";

/** Changes are not repeated: what was done is answered differently the second time. */
export function cloudflareInvitations(env: StateBindings): Invitations {
  const registry = () => registryOf(env);
  return {
    createInvitation: async (invitation, event) => registry().createInvitation(invitation, event),
    listInvitations: (organizationId, now) => repeatedly(async () => registry().listInvitations(organizationId, now)),
    findInvitation: (secretHash, now) => repeatedly(async () => registry().findInvitation(secretHash, now)),
    revokeInvitation: async (organizationId, invitationId, event) =>
      registry().revokeInvitation(organizationId, invitationId, event),
    acceptInvitation: async (secretHash, now, invited, event) =>
      registry().acceptInvitation(secretHash, now, invited, event),
  };
}
