import { MANAGEMENT_SCOPES } from "../../lib/api-clients/audiences.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { isOwnServer } from "../../lib/gateway/inbound/trusted-servers.ts";
import { isJsonObject, type JsonObject } from "../../lib/kernel/json.ts";
import type { Caller, TriedClient } from "./protocol.ts";

/** Seconds that a token is valid for, where nobody asks. */
const LIFETIME = 3_600;

/** The claims of the caller's token, as an instance with this configuration reads them. Throws with a reason for people. */
export function claimsOf(caller: Caller, configuration: Configuration, now: number): JsonObject {
  if (caller.kind === "client") return claimsOfClient(caller.client, configuration, now);
  const claims = parsed(caller.claims, "The claims");
  if (isJsonObject(claims)) return claims;
  throw new Error("The claims are not one JSON object.");
}

/** Parses what a person typed. Throws with a reason for people. */
export function parsed(text: string, what: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new Error(`${what} are no JSON: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Of a token that an API client gets for the gateway: the first of its resources that the gateway accepts, and all its scopes but
 * those of the management API, which such tokens never have.
 */
export function claimsOfClient(
  { clientId, scopes, resources }: TriedClient,
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
