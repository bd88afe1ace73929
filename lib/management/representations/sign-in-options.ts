import { relyingPartyOf } from "../../directory/passkeys/ceremony.ts";
import type { ManagementPorts } from "../ports.ts";
import type { SignInWays } from "../schemas/sign-in.ts";

/**
 * How people can sign in here, for whoever asks; built once: that there is an owner is looked up until there is one, and an
 * instance keeps one from then on.
 */
export function signInOptions(dependencies: ManagementPorts): () => Promise<SignInWays> {
  let isSetUp = false;
  return async () => {
    isSetUp ||= await hasOwner(dependencies);
    const { configuration } = dependencies.configuration();
    const region = configuration.oidcProvider?.region;
    return {
      ...(region !== undefined && { region }),
      setup: !isSetUp,
      passkeys: relyingPartyOf(configuration) !== undefined,
      connectors: configuration.console.connectors,
    };
  };
}

/** An organization that an operator made has no member at first, and any other always an owner. */
async function hasOwner({ stores }: ManagementPorts): Promise<boolean> {
  const organization = await stores.directory.firstOrganization();
  if (organization === undefined) return false;
  const { items } = await stores.members.listMembers(organization.organizationId, { limit: 1 });
  return items.length > 0;
}
