import type { Configuration } from "../../config/configuration.ts";
import { mcpEndpoints } from "../../config/endpoints.ts";
import { offersCodeFlow } from "../../config/oauth-features.ts";
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
    const gateway = gatewayOf(configuration);
    return {
      ...(region !== undefined && { region }),
      setup: !isSetUp,
      passkeys: relyingPartyOf(configuration) !== undefined,
      connectors: configuration.console.connectors,
      ...(gateway !== undefined && { gateway }),
    };
  };
}

/** What somebody who connects an agent has to know. The gateway itself tells the same to whoever asks it (RFC 9728 §2). */
function gatewayOf(configuration: Configuration): SignInWays["gateway"] {
  const { mcpProvider, oidcProvider, publicURL } = configuration;
  const [endpoint] = mcpProvider === undefined ? [] : mcpEndpoints(mcpProvider);
  if (mcpProvider === undefined || endpoint === undefined) return undefined;
  // Another authorization server is taken to sign people in.
  const people = oidcProvider === undefined || offersCodeFlow(configuration);
  return { url: `${publicURL}${endpoint.path}`, name: mcpProvider.serverName, people };
}

/** An organization that an operator made has no member at first, and any other always an owner. */
async function hasOwner({ stores }: ManagementPorts): Promise<boolean> {
  const organization = await stores.directory.firstOrganization();
  if (organization === undefined) return false;
  const { items } = await stores.members.listMembers(organization.organizationId, { limit: 1 });
  return items.length > 0;
}
