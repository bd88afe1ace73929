import type { Configuration, OAuthConnectorConfiguration } from "../config/configuration.ts";
import { connectCallbackURL, connectMetadataURL } from "../config/endpoints.ts";
import type { JsonObject } from "../kernel/json.ts";

type ClientConfiguration = Pick<Configuration, "oauthConnectors" | "mcpProvider" | "oidcProvider" | "publicURL">;

/**
 * The Client ID Metadata Document by which this service is the client of a provider
 * (draft-ietf-oauth-client-id-metadata-document §4). It is a public client: codes are protected by PKCE, and by the redirect that
 * only this host answers. Undefined where the connector is another client, or there is none of the name.
 */
export function clientMetadata(name: string, configuration: ClientConfiguration): JsonObject | undefined {
  const connector = configuration.oauthConnectors.find((one) => one.name === name);
  if (connector === undefined || !isClientDocument(connector)) return undefined;
  return {
    client_id: connectMetadataURL(name, configuration),
    client_name: clientName(configuration),
    client_uri: configuration.publicURL,
    redirect_uris: [connectCallbackURL(name, configuration)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
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
