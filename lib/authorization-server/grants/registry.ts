import type { Configuration } from "../../config/configuration.ts";
import { offersAppCredentials, offersCodeFlow, offersExchange, offersRefresh } from "../../config/oauth-features.ts";
import { authorizationCode } from "./authorization-code.ts";
import { clientCredentials } from "./client-credentials.ts";
import type { Grant } from "./grant.ts";
import { refreshToken } from "./refresh-token.ts";
import { tokenExchange } from "./token-exchange.ts";

const known = new WeakMap<Configuration, readonly Grant[]>();

/** The grants that the configuration turns on; what discovery lists and the token endpoint serves. */
export function enabledGrants(configuration: Configuration): readonly Grant[] {
  const grants = known.get(configuration) ?? grantsOf(configuration);
  known.set(configuration, grants);
  return grants;
}

function grantsOf(configuration: Configuration): readonly Grant[] {
  const grants: readonly (readonly [Grant, boolean])[] = [
    [clientCredentials, configuration.oidcProvider?.apiClients.enabled === true || offersAppCredentials(configuration)],
    [authorizationCode, offersCodeFlow(configuration)],
    [refreshToken, offersRefresh(configuration)],
    [tokenExchange, offersExchange(configuration)],
  ];
  return grants.flatMap(([grant, isEnabled]) => (isEnabled ? [grant] : []));
}
