import type { Dependencies } from "../dependencies.ts";
import { laneShard } from "../tokens/sharding.ts";
import {
  acceptClaims,
  assertionIdHash,
  namedClient,
  presentedAssertion,
  verifyClientAssertion,
} from "./client-assertion.ts";
import { clientOfSecret, presentedSecret } from "./client-secret.ts";
import type { OAuthClient } from "./clients/client.ts";
import { findClient } from "./clients/find-client.ts";
import { clientUnauthenticated, invalidClient, invalidRequest, refusedByStore } from "./refusals.ts";
import type { ClientRequest } from "./request.ts";
import { clientOfAssertion } from "./signed-client.ts";

/** Names of the OAuth Token Endpoint Authentication Methods registry. */
export type AuthenticationMethod = "private_key_jwt" | "client_secret_basic" | "client_secret_post";

export type AuthenticatedClient =
  | { readonly type: "api_client"; readonly clientId: string; readonly organizationId: string }
  | { readonly type: "oauth_client"; readonly clientId: string; readonly client: OAuthClient };

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
 * Authenticates a caller of introspection or revocation: an API client or an OAuth client, by what it has.
 *
 * @param acceptsPublic clients that have nothing pass as well, by their `client_id` alone (RFC 7009 §2.1)
 * @throws {OAuthError} `invalid_client` or `invalid_request`
 */
export async function authenticateClient(
  request: ClientRequest,
  dependencies: Dependencies,
  { acceptsPublic = false }: { readonly acceptsPublic?: boolean } = {},
): Promise<AuthenticatedClient> {
  const method = authenticationMethod(request);
  if (method === "private_key_jwt") return signedCaller(request, dependencies);
  const client = await (method === undefined
    ? acceptsPublic && publicClient(request, dependencies)
    : clientOfSecret(presentedSecret(request, method), request, dependencies));
  if (!client) throw clientUnauthenticated("no client authentication, unknown client or wrong secret");
  return { type: "oauth_client", clientId: client.clientId, client };
}

/**
 * Authenticates a client at the token endpoint for the grants of people and for exchanges. Public clients pass by their
 * `client_id`: what they present is bound to them by PKCE or rotation.
 *
 * @throws {OAuthError} `invalid_client`: 401 for Basic alone (D7); `invalid_request`
 */
export async function authenticateOAuthClient(
  request: ClientRequest,
  dependencies: Dependencies,
): Promise<OAuthClient> {
  const method = authenticationMethod(request);
  if (method === "private_key_jwt") return clientOfAssertion(request, dependencies);
  if (method === undefined) {
    if (!request.form.has("client_id")) throw invalidRequest("neither client authentication nor client_id");
    const client = await publicClient(request, dependencies);
    if (client === undefined) throw invalidClient("invalid client", "unknown client, or it has to authenticate");
    return client;
  }
  const client = await clientOfSecret(presentedSecret(request, method), request, dependencies);
  if (client !== undefined) return client;
  const detail = "unknown client or wrong secret";
  throw method === "client_secret_basic" ? clientUnauthenticated(detail) : invalidClient("invalid client", detail);
}

/** The client that the request names, if it has nothing to authenticate with. */
async function publicClient({ form }: ClientRequest, dependencies: Dependencies): Promise<OAuthClient | undefined> {
  const clientId = form.get("client_id");
  const client = clientId === undefined ? undefined : await findClient(clientId, dependencies);
  return client?.authentication.method === "none" ? client : undefined;
}

async function signedCaller(request: ClientRequest, dependencies: Dependencies): Promise<AuthenticatedClient> {
  if (dependencies.clientIds.isOurs(namedClient(presentedAssertion(request), request))) {
    return authenticateApiClient(request, dependencies);
  }
  const client = await clientOfAssertion(request, dependencies);
  return { type: "oauth_client", clientId: client.clientId, client };
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
