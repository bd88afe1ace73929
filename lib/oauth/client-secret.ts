import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import { equalSecrets } from "../secrets/equal-secrets.ts";
import { type BasicCredentials, parseBasic } from "./basic-credentials.ts";
import type { OAuthClient } from "./clients/client.ts";
import { isClientDocumentUrl } from "./clients/document-url.ts";
import { findClient } from "./clients/find-client.ts";
import { clientUnauthenticated, invalidRequest } from "./refusals.ts";
import type { ClientRequest } from "./request.ts";

/**
 * The id and secret of a request that sends one, by Basic or in the form (RFC 6749 §2.3.1).
 *
 * @throws {OAuthError} `invalid_client` (401) or `invalid_request`
 */
export function presentedSecret(
  request: ClientRequest,
  method: "client_secret_basic" | "client_secret_post",
): BasicCredentials {
  return method === "client_secret_basic" ? basicCredentials(request) : postedCredentials(request);
}

/**
 * The client whose secret it is; undefined for anything else. An unknown client costs a comparison too, so that timing does
 * not tell which ids exist. Clients with a metadata document have no secret: nothing is fetched for one.
 */
export async function clientOfSecret(
  { clientId, secret }: BasicCredentials,
  { authenticated }: ClientRequest,
  dependencies: Dependencies,
): Promise<OAuthClient | undefined> {
  const client = isClientDocumentUrl(clientId) ? undefined : await findClient(clientId, dependencies);
  const { secrets, secretHashes } = client?.authentication.method === "secret" ? client.authentication : NOBODY;
  // All of them, so that timing does not tell which one matched.
  const matches = [
    ...secrets.map((known) => equalSecrets(secret, known)),
    ...secretHashes.map((known) => equalSecrets(sha256base64url(secret), known)),
  ];
  if (client?.authentication.method !== "secret" || !matches.includes(true)) return undefined;
  authenticated(clientId);
  return client;
}

const NOBODY: { readonly secrets: readonly string[]; readonly secretHashes: readonly string[] } = {
  secrets: ["unknown client"],
  secretHashes: [],
};

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
