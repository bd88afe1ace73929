import type { OidcProviderConfiguration } from "../../config/configuration.ts";
import { clientCredentials } from "./client-credentials.ts";
import type { Grant } from "./grant.ts";

/** The grants that the configuration turns on; what discovery lists and the token endpoint serves. */
export function enabledGrants({ apiClients }: Pick<OidcProviderConfiguration, "apiClients">): readonly Grant[] {
  return apiClients.enabled ? [clientCredentials] : [];
}
