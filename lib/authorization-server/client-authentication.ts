import type { JsonObject } from "../kernel/json.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { OAuthError } from "../protocol/oauth/errors.ts";
import { fingerprint } from "../protocol/oauth/fingerprint.ts";
import type { CompactJws } from "../protocol/oauth/jws.ts";
import { type PublicKeyJwk, parsePublicKey } from "../protocol/oauth/public-key.ts";
import {
  acceptClaims,
  acceptHeader,
  assertionIdHash,
  checkAssertionClaims,
  namedClient,
  presentedAssertion,
  verifyClientAssertion,
} from "./client-assertion.ts";
import type { ClientRequest } from "./client-request.ts";
import { clientOfSecret, presentedSecret } from "./client-secret.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./clients/client.ts";
import { keysOf } from "./clients/client-metadata.ts";
import { findClient } from "./clients/find-client.ts";
import { oidcProviderOf } from "./oidc-provider.ts";
import type { AuthorizationServerPorts } from "./ports.ts";
import {
  ambiguousAuthentication,
  clientNotAuthenticated,
  clientUnauthenticated,
  invalidClient,
  refusedByStore,
  unauthorizedClient,
} from "./refusals.ts";
import { laneShard } from "./tokens/sharding.ts";

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
  if (methods.length > 1) throw ambiguousAuthentication(`more than one authentication method: ${methods.join(", ")}`);
  return methods[0];
}

/**
 * Authenticates a caller of introspection or revocation: an API client or an OAuth client, by its own method.
 *
 * @param acceptsPublic public clients pass with their `client_id` alone (RFC 7009 §2.1)
 * @throws {OAuthError} `invalid_client` or `invalid_request`
 */
export async function authenticateClient(
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
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
 * Authenticates a client at the token endpoint for the grants of people and for exchanges. Public clients pass with their
 * `client_id`: PKCE or rotation binds their codes and tokens to them.
 *
 * @throws {OAuthError} `invalid_client`: 401 for Basic alone (D7); `invalid_request`
 */
export async function authenticateOAuthClient(
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<OAuthClient> {
  const method = authenticationMethod(request);
  if (method === "private_key_jwt") return clientOfAssertion(request, dependencies);
  if (method === undefined) {
    if (!request.form.has("client_id")) throw ambiguousAuthentication("neither client authentication nor client_id");
    const client = await publicClient(request, dependencies);
    if (client === undefined) throw clientNotAuthenticated("unknown client, or it has to authenticate");
    return client;
  }
  const client = await clientOfSecret(presentedSecret(request, method), request, dependencies);
  if (client !== undefined) return client;
  const detail = "unknown client or wrong secret";
  throw method === "client_secret_basic" ? clientUnauthenticated(detail) : clientNotAuthenticated(detail);
}

/** The client that the request names, if it is a public client. */
async function publicClient(
  { form }: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<OAuthClient | undefined> {
  const clientId = form.get("client_id");
  const client = clientId === undefined ? undefined : await findClient(clientId, dependencies);
  return client?.authentication.method === "none" ? client : undefined;
}

async function signedCaller(
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<AuthenticatedClient> {
  if (dependencies.clientIds.isOurs(namedClient(presentedAssertion(request), request))) {
    return authenticateApiClient(request, dependencies);
  }
  const client = await clientOfAssertion(request, dependencies);
  return { type: "oauth_client", clientId: client.clientId, client };
}

/** The store decides at the end, as at the token endpoint: the record that verified may have come from a cache. */
async function authenticateApiClient(
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<AuthenticatedClient> {
  const assertion = await verifyClientAssertion(request, dependencies);
  const { jti, expiresAt } = acceptClaims(assertion, dependencies);
  const { client, keyPairId, jws } = assertion;
  const { clientId, organizationId } = client;
  const result = await dependencies.stores.tokens.acceptAssertion({
    shard: laneShard(clientId, jti ?? jws.signatureSegment),
    clientId,
    keyPairId,
    ...(organizationId !== undefined && { organizationId }),
    now: dependencies.clock.now(),
    ...(jti !== undefined && { assertionId: { hash: assertionIdHash(clientId, jti), expiresAt } }),
  });
  if (result.outcome === "refused") throw refusedByStore(result);
  return { type: "api_client", clientId, organizationId };
}

/**
 * The OAuth client whose assertion a request carries: an app or a dynamic client. The rules are those of API clients (D5 to
 * D8). A `jti` counts once over all instances.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_client`; `unauthorized_client` for an API client, which has its own grant
 */
async function clientOfAssertion(request: ClientRequest, dependencies: AuthorizationServerPorts): Promise<OAuthClient> {
  const { configuration, clock, stores } = dependencies;
  const jws = presentedAssertion(request);
  const clientId = namedClient(jws, request);
  if (dependencies.clientIds.isOurs(clientId)) throw await refusedApiClient(request, dependencies);
  const client = await findClient(clientId, dependencies);
  if (client?.authentication.method !== "private_key_jwt") throw invalidClient("invalid client", "no client with keys");
  const kid = acceptHeader(jws);
  const keys = await keysOfClient(client.authentication, dependencies);
  if (!(await verifiesWithAny(keys, kid, jws, dependencies))) {
    throw invalidClient("invalid JWT signature", "no key of the client verifies");
  }
  request.authenticated(clientId);
  const { jti, expiresAt } = checkAssertionClaims(jws, oidcProviderOf(configuration().configuration), clock.now());
  if (jti !== undefined && !(await stores.singleUse.consume(NAMESPACE, assertionIdHash(clientId, jti), expiresAt))) {
    throw invalidClient("replayed JWT");
  }
  return client;
}

/** The assertion is checked and not used up. The API client can still use it for its own grant (D8). */
async function refusedApiClient(request: ClientRequest, dependencies: AuthorizationServerPorts): Promise<OAuthError> {
  acceptClaims(await verifyClientAssertion(request, dependencies), dependencies);
  return unauthorizedClient("API clients may use the client_credentials grant alone");
}

async function keysOfClient(
  { keys, keysURL }: Extract<ClientAuthenticationMaterial, { method: "private_key_jwt" }>,
  { clientDocuments }: AuthorizationServerPorts,
): Promise<readonly JsonObject[]> {
  if (keysURL === undefined) return keys ?? [];
  return keysOf(await clientDocuments.get(keysURL, KEYS_AGE)) ?? [];
}

async function verifiesWithAny(
  keys: readonly JsonObject[],
  kid: string | undefined,
  { signingInput, signature }: CompactJws,
  { signatures }: AuthorizationServerPorts,
): Promise<boolean> {
  for (const jwk of keys) {
    const key = await usableKey(jwk);
    if (key === undefined) continue;
    const name = fingerprint(key);
    if (kid !== undefined && kid !== (jwk.kid ?? name)) continue;
    if (await signatures.verify(key, name, signingInput, signature)) return true;
  }
  return false;
}

/** A key set may have keys of other kinds and for other uses. They verify nothing here. */
async function usableKey(jwk: JsonObject): Promise<PublicKeyJwk | undefined> {
  try {
    return await parsePublicKey(jwk);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

const NAMESPACE = "client_assertion";
/** The longest time, in milliseconds, for which a withdrawn key is still accepted. */
const KEYS_AGE = 300_000;
