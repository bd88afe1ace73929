import { fingerprint } from "../api-clients/fingerprint.ts";
import { parsePublicKey } from "../api-clients/public-key.ts";
import type { Dependencies } from "../dependencies.ts";
import type { JsonObject } from "../json.ts";
import { ProblemError } from "../problem.ts";
import type { PublicKeyJwk } from "../stores/api-clients.ts";
import { checkAssertionClaims } from "./assertion-claims.ts";
import {
  acceptClaims,
  acceptHeader,
  assertionIdHash,
  namedClient,
  presentedAssertion,
  verifyClientAssertion,
} from "./client-assertion.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./clients/client.ts";
import { keysOf } from "./clients/client-metadata.ts";
import { findClient } from "./clients/find-client.ts";
import type { OAuthError } from "./errors.ts";
import { unauthorizedGrant } from "./grants/refusals.ts";
import type { CompactJws } from "./jws.ts";
import { oidcProviderOf } from "./provider.ts";
import { invalidClient } from "./refusals.ts";
import type { ClientRequest } from "./request.ts";

/**
 * The client whose assertion a request carries: an app, or one with a metadata document or registration. The rules are
 * those of API clients (D5 to D8); a `jti` counts once over all instances.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_client`; `unauthorized_client` for an API client, which has a grant of
 *   its own
 */
export async function clientOfAssertion(request: ClientRequest, dependencies: Dependencies): Promise<OAuthClient> {
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

/** Its assertion is checked and not used up: it still counts for what it may do (D8). */
async function refusedApiClient(request: ClientRequest, dependencies: Dependencies): Promise<OAuthError> {
  acceptClaims(await verifyClientAssertion(request, dependencies), dependencies);
  return unauthorizedGrant("API clients may use the client_credentials grant alone");
}

async function keysOfClient(
  { keys, keysURL }: Extract<ClientAuthenticationMaterial, { method: "private_key_jwt" }>,
  { clientDocuments }: Dependencies,
): Promise<readonly JsonObject[]> {
  if (keysURL === undefined) return keys ?? [];
  return keysOf(await clientDocuments.get(keysURL, KEYS_AGE)) ?? [];
}

async function verifiesWithAny(
  keys: readonly JsonObject[],
  kid: string | undefined,
  { signingInput, signature }: CompactJws,
  { signatures }: Dependencies,
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

/** A set may hold keys of other kinds and for other uses: they verify nothing here. */
async function usableKey(jwk: JsonObject): Promise<PublicKeyJwk | undefined> {
  try {
    return await parsePublicKey(jwk);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

const NAMESPACE = "client_assertion";
/** Milliseconds after which a key that its client withdrew is refused at the latest. */
const KEYS_AGE = 300_000;
