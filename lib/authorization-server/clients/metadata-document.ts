import type { JsonObject } from "../../kernel/json.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { redirectFault } from "../../protocol/oauth/redirect-url.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./client.ts";
import { type ClientMetadata, invalidMetadata, keysOf, readClientMetadata } from "./client-metadata.ts";
import { dynamicClient } from "./dynamic-client.ts";

/**
 * The client that the document at a URL describes (Client ID Metadata Document §4). Undefined if the document cannot be fetched
 * or used; then the log says why.
 *
 * @param clientId one for which `isClientDocumentUrl` holds
 */
export async function documentClient(
  clientId: string,
  dependencies: AuthorizationServerPorts,
): Promise<OAuthClient | undefined> {
  const { configuration } = dependencies.configuration();
  // This instance serves no metadata document: it would answer its own request.
  if (new URL(clientId).origin === new URL(oidcProviderOf(configuration).issuer).origin) return undefined;
  const document = await dependencies.clientDocuments.get(clientId);
  if (document === undefined) return undefined;
  try {
    const metadata = readDocument(clientId, document, oidcProviderOf(configuration).registration.scopes);
    const { origin, host } = new URL(clientId);
    return dynamicClient(
      {
        kind: "metadata_document",
        clientId,
        metadata,
        authentication: authenticationOf(document, metadata),
        defaultName: host,
        origins: [origin],
      },
      configuration,
    );
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    dependencies.logger.info("client metadata document refused", { clientId, reason: error.description });
    return undefined;
  }
}

/**
 * Whether a client id is the URL of a metadata document that may be fetched: `https`, a host and a path, in normalized form,
 * without fragment, user or dot segments (Client ID Metadata Document §3, MCP authorization 2025-11-25). A URL in another form
 * is refused, because ids are compared as text.
 */
export function isClientDocumentUrl(clientId: string): boolean {
  if (clientId.length > MAX_LENGTH || !clientId.startsWith("https://") || !URL.canParse(clientId)) return false;
  const { href, pathname, username, password, hash } = new URL(clientId);
  // `href` has no dot segments, no default port and no capital letters in its host.
  return href === clientId && pathname !== "/" && `${username}${password}${hash}` === "" && !AMBIGUOUS.test(clientId);
}

const MAX_LENGTH = 512;
/** An empty fragment or query, and separators that are read in more than one way. */
const AMBIGUOUS = /[#\\]|\?$|%2f|%5c|%00/i;

/** A document is valid only for its own URL, as text. It is public, so it must not have a secret (§4.1). */
function readDocument(clientId: string, document: JsonObject, scopes: readonly string[]): ClientMetadata {
  if (document.client_id !== clientId) throw invalidMetadata("client_id is not the URL of the document");
  if (document.client_secret !== undefined || document.client_secret_expires_at !== undefined) {
    throw invalidMetadata("the document holds a client secret");
  }
  return readClientMetadata(
    { ...document, redirect_uris: usableRedirects(document) },
    { methods: ["none", "private_key_jwt"], defaultMethod: "none", scopes },
  );
}

/** A document is written for many servers. Redirects that are not accepted here are ignored. */
function usableRedirects({ redirect_uris, token_endpoint_auth_method }: JsonObject): unknown {
  if (!Array.isArray(redirect_uris)) return redirect_uris;
  const isPublic = token_endpoint_auth_method !== "private_key_jwt";
  return redirect_uris.filter(
    (redirect) => typeof redirect === "string" && redirectFault(redirect, { isPublic }) === undefined,
  );
}

function authenticationOf(document: JsonObject, metadata: ClientMetadata): ClientAuthenticationMaterial {
  if (metadata.token_endpoint_auth_method === "none") return { method: "none" };
  const { jwks, jwks_uri: keysURL } = document;
  // RFC 7591 §2: never both.
  if ((jwks === undefined) === (keysURL === undefined)) throw invalidMetadata("private_key_jwt needs jwks or jwks_uri");
  if (keysURL === undefined) {
    const keys = keysOf(jwks);
    if (keys === undefined) throw invalidMetadata("jwks is not a set of 1 to 10 keys");
    return { method: "private_key_jwt", keys };
  }
  if (typeof keysURL !== "string" || !isClientDocumentUrl(keysURL)) {
    throw invalidMetadata("jwks_uri is not an https URL with a path");
  }
  return { method: "private_key_jwt", keysURL };
}
