import { MANAGEMENT_SCOPES } from "../../api-clients/audiences.ts";
import type { Configuration } from "../../config/configuration.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isOwnServer } from "../inbound/trusted-servers.ts";

/** Seconds that a token is valid for, where nobody asks. */
const LIFETIME = 3_600;

/** A client as far as its tokens tell of it. */
export interface ClaimingClient {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

/**
 * Of a token that a client gets for the gateway: the first of its resources that the gateway accepts, and all its scopes but those of the
 * management API, which such tokens never have.
 */
export function claimsOfClient(
  { clientId, scopes, resources }: ClaimingClient,
  configuration: Pick<Configuration, "oidcProvider" | "mcpProvider" | "publicURL">,
  now: number,
): JsonObject {
  const { oidcProvider, mcpProvider, publicURL } = configuration;
  const accepted = (mcpProvider?.oauth.enabled ? mcpProvider.oauth.servers : [])
    .filter((server) => oidcProvider !== undefined && isOwnServer(server, oidcProvider))
    .flatMap(({ expectedAudiences }) => expectedAudiences);
  const issuedAt = Math.floor(now / 1_000);
  return {
    iss: oidcProvider?.issuer ?? publicURL,
    sub: clientId,
    aud: resources.find((resource) => accepted.includes(resource)) ?? resources[0] ?? publicURL,
    client_id: clientId,
    scope: scopes.filter((scope) => !MANAGEMENT_SCOPES.includes(scope)).join(" "),
    iat: issuedAt,
    exp: issuedAt + LIFETIME,
  };
}
