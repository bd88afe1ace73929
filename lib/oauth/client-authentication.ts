import type { OidcAppConfiguration } from "../config/configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import { equalSecrets } from "../secrets/equal-secrets.ts";
import { laneShard } from "../tokens/sharding.ts";
import { type BasicCredentials, parseBasic } from "./basic-credentials.ts";
import { acceptClaims, assertionIdHash, verifyClientAssertion } from "./client-assertion.ts";
import { clientUnauthenticated, invalidRequest, refusedByStore } from "./refusals.ts";
import type { ClientRequest } from "./request.ts";

/** Names of the OAuth Token Endpoint Authentication Methods registry. */
export type AuthenticationMethod = "private_key_jwt" | "client_secret_basic" | "client_secret_post";

export type AuthenticatedClient =
  | { readonly type: "api_client"; readonly clientId: string; readonly organizationId: string }
  | { readonly type: "oidc_app"; readonly clientId: string; readonly resources: readonly string[] | undefined };

/**
 * The method that the request uses; undefined when it uses none.
 *
 * @throws {OAuthError} `invalid_request` when it uses more than one (RFC 6749 §2.3)
 */
export function authenticationMethod({ form, authorization }: ClientRequest): AuthenticationMethod | undefined {
  const methods: AuthenticationMethod[] = [];
  if (form.has("client_assertion") || form.has("client_assertion_type")) methods.push("private_key_jwt");
  if (authorization !== undefined) methods.push("client_secret_basic");
  if (form.has("client_secret")) methods.push("client_secret_post");
  if (methods.length > 1) throw invalidRequest(`more than one authentication method: ${methods.join(", ")}`);
  return methods[0];
}

/**
 * Authenticates a caller of introspection or revocation: an API client by assertion, an `oidc` app by secret.
 *
 * @throws {OAuthError} `invalid_client` or `invalid_request`
 */
export async function authenticateClient(
  request: ClientRequest,
  dependencies: Dependencies,
): Promise<AuthenticatedClient> {
  switch (authenticationMethod(request)) {
    case "private_key_jwt":
      return authenticateApiClient(request, dependencies);
    case "client_secret_basic":
      return authenticateOidcApp(basicCredentials(request), request, dependencies);
    case "client_secret_post":
      return authenticateOidcApp(postedCredentials(request), request, dependencies);
    case undefined:
      throw clientUnauthenticated("no client authentication");
  }
}

/** The store has the last word, as at the token endpoint: the record that verified may have come from a cache. */
async function authenticateApiClient(request: ClientRequest, dependencies: Dependencies): Promise<AuthenticatedClient> {
  const assertion = await verifyClientAssertion(request, dependencies);
  const { jti, expiresAt } = acceptClaims(assertion, dependencies);
  const { client, keyPairId, jws } = assertion;
  const { clientId, organizationId } = client;
  const result = await dependencies.stores.tokens.acceptAssertion({
    shard: laneShard(clientId, jti ?? jws.signatureSegment),
    clientId,
    keyPairId,
    now: dependencies.clock.now(),
    ...(jti !== undefined && { assertionId: { hash: assertionIdHash(clientId, jti), expiresAt } }),
  });
  if (result.outcome === "refused") throw refusedByStore(result);
  return { type: "api_client", clientId, organizationId };
}

function basicCredentials({ authorization, form }: ClientRequest): BasicCredentials {
  const credentials = parseBasic(authorization ?? "");
  if (credentials === undefined) throw clientUnauthenticated("Authorization is not well-formed Basic");
  if ((form.get("client_id") ?? credentials.clientId) !== credentials.clientId) {
    throw invalidRequest("client_id differs from the Authorization header");
  }
  return credentials;
}

function postedCredentials({ form }: ClientRequest): BasicCredentials {
  const clientId = form.get("client_id");
  const secret = form.get("client_secret");
  if (clientId === undefined || secret === undefined) throw invalidRequest("client_id is missing beside client_secret");
  return { clientId, secret };
}

/** An unknown client costs a comparison too, so that timing does not tell which ids exist. */
async function authenticateOidcApp(
  { clientId, secret }: BasicCredentials,
  { authenticated }: ClientRequest,
  { configuration }: Pick<Dependencies, "configuration">,
): Promise<AuthenticatedClient> {
  const app = configuration().configuration.apps.find(
    (candidate): candidate is OidcAppConfiguration => candidate.type === "oidc" && candidate.clientID === clientId,
  );
  const matches = await isAmong(secret, app?.secrets ?? ["unknown client"]);
  if (app === undefined || !matches) throw clientUnauthenticated("unknown client or wrong secret");
  authenticated(clientId);
  return { type: "oidc_app", clientId, resources: app.resources };
}

/** Compares with every secret, so that timing does not tell which one matched. */
async function isAmong(given: string, accepted: readonly string[]): Promise<boolean> {
  const results = await Promise.all(accepted.map((secret) => equalSecrets(given, secret)));
  return results.includes(true);
}
