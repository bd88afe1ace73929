import type { Configuration, OAuthConnectorConfiguration } from "../config/configuration.ts";
import { connectCallbackURL, connectKeysURL, connectMetadataURL } from "../config/endpoints.ts";
import type { JsonObject } from "../kernel/json.ts";

type ClientConfiguration = Pick<Configuration, "oauthConnectors" | "mcpProvider" | "oidcProvider" | "publicURL">;

/**
 * How this service proves that it is the client of its document: by an assertion that it signs (RFC 7523 §2.2), or not at all. Then
 * codes are protected by PKCE, and by the redirect that only this host answers.
 */
export type DocumentMethod = "private_key_jwt" | "none";

/** The connector of the name, if this service is the client of its provider by its document, or may be once the provider is found. */
export function documentConnector(
  name: string,
  { oauthConnectors }: Pick<Configuration, "oauthConnectors">,
): OAuthConnectorConfiguration | undefined {
  const connector = oauthConnectors.find((one) => one.name === name);
  return connector !== undefined && isClientDocument(connector) ? connector : undefined;
}

/**
 * The Client ID Metadata Document by which this service is the client of a connector's provider
 * (draft-ietf-oauth-client-id-metadata-document §4).
 */
export function clientMetadata(
  { name }: Pick<OAuthConnectorConfiguration, "name">,
  method: DocumentMethod,
  configuration: ClientConfiguration,
): JsonObject {
  return {
    client_id: connectMetadataURL(name, configuration),
    client_name: clientName(configuration),
    client_uri: configuration.publicURL,
    redirect_uris: [connectCallbackURL(name, configuration)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    ...(method === "private_key_jwt" && {
      token_endpoint_auth_signing_alg: "ES256",
      jwks_uri: connectKeysURL(name, configuration),
    }),
  };
}

/** What providers call this service toward people. */
export function clientName({ mcpProvider }: Pick<Configuration, "mcpProvider">): string {
  return mcpProvider?.serverName ?? "Countersign";
}

/** Also where a provider has yet to say whether it takes such documents. */
function isClientDocument({ clientID, clientMetadata: isForced, endpoints }: OAuthConnectorConfiguration): boolean {
  return isForced || (clientID === undefined && endpoints.kind === "discover");
}
