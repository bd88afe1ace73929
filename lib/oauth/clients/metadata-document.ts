import type { Dependencies } from "../../dependencies.ts";
import type { JsonObject } from "../../json.ts";
import { OAuthError } from "../errors.ts";
import { oidcProviderOf } from "../provider.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./client.ts";
import { type ClientMetadata, invalidMetadata, keysOf, readClientMetadata } from "./client-metadata.ts";
import { isClientDocumentUrl } from "./document-url.ts";
import { redirectFault } from "./redirect-url.ts";
import { strangerClient } from "./stranger.ts";

/**
 * The client that the document at a URL describes (Client ID Metadata Document §4). Undefined when it cannot be had or
 * used, and then the log says why.
 *
 * @param clientId one for which `isClientDocumentUrl` holds
 */
export async function documentClient(clientId: string, dependencies: Dependencies): Promise<OAuthClient | undefined> {
  const { configuration } = dependencies.configuration();
  // A document here could only be an answer to a request that asks for a document.
  if (new URL(clientId).origin === new URL(oidcProviderOf(configuration).issuer).origin) return undefined;
  const document = await dependencies.clientDocuments.get(clientId);
  if (document === undefined) return undefined;
  try {
    const metadata = readDocument(clientId, document, oidcProviderOf(configuration).registration.scopes);
    const { origin, host } = new URL(clientId);
    return strangerClient(
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

/** A document speaks for its own URL alone, written alike, and is public: it holds no secret and needs none (§4.1). */
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

/** One document is written for many servers: redirects that are not accepted here are as good as absent. */
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
