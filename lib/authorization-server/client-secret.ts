import { sha256base64url } from "#sha256";
import { fromBase64 } from "../kernel/encoding.ts";
import { equalSecrets } from "../kernel/equal-secrets.ts";
import type { ClientRequest } from "./client-request.ts";
import type { OAuthClient } from "./clients/client.ts";
import { findClient } from "./clients/find-client.ts";
import { isClientDocumentUrl } from "./clients/metadata-document.ts";
import { formDecode } from "./form.ts";
import type { AuthorizationServerPorts } from "./ports.ts";
import { clientNotAuthenticated, clientUnauthenticated, invalidRequest } from "./refusals.ts";

interface BasicCredentials {
  readonly clientId: string;
  readonly secret: string;
}

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
 * The client with this id and secret; undefined for anything else. An unknown client costs a comparison, too: the time must
 * not tell which ids exist. Clients with a metadata document have no secret, so no document is fetched.
 */
export async function clientOfSecret(
  { clientId, secret }: BasicCredentials,
  { authenticated }: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<OAuthClient | undefined> {
  const client = isClientDocumentUrl(clientId) ? undefined : await findClient(clientId, dependencies);
  const { secrets, secretHashes } = client?.authentication.method === "secret" ? client.authentication : NOBODY;
  // All secrets are compared: the time must not tell which one matched.
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

/**
 * Client id and secret of an `Authorization: Basic` header. Both are form-encoded before they are joined (RFC 6749
 * §2.3.1). Undefined when the header is anything else.
 */
export function parseBasic(authorization: string): BasicCredentials | undefined {
  const encoded = BASIC.exec(authorization)?.[1];
  const decoded = encoded === undefined ? undefined : decodeBase64(encoded);
  const separator = decoded?.indexOf(":") ?? -1;
  if (decoded === undefined || separator < 1) return undefined;
  const clientId = formDecode(decoded.slice(0, separator));
  const secret = formDecode(decoded.slice(separator + 1));
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

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
  if (clientId === undefined || secret === undefined)
    throw clientNotAuthenticated("client_id is missing beside client_secret");
  return { clientId, secret };
}

function decodeBase64(text: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(text));
  } catch {
    return undefined;
  }
}
