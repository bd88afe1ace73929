import type { OidcAppConfiguration } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { acceptsClientDocuments, acceptsRegistrations, knownSignInConnectors } from "../../config/oauth-features.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./client.ts";
import { isRegisteredClientId, registeredClient } from "./dynamic-client.ts";
import { documentClient, isClientDocumentUrl } from "./metadata-document.ts";

/**
 * The client with this id: an app of the configuration, a client with a metadata document (the id is an HTTPS URL), or a
 * client that registered itself. Undefined if there is none, or if its document cannot be fetched or is not acceptable; then
 * the log says why. An id of any other form causes no request and no read.
 */
export async function findClient(
  clientId: string,
  dependencies: AuthorizationServerPorts,
): Promise<OAuthClient | undefined> {
  const { configuration } = dependencies.configuration();
  const app = appClient(clientId, configuration);
  if (app !== undefined) return app;
  if (isClientDocumentUrl(clientId)) {
    return acceptsClientDocuments(configuration) ? documentClient(clientId, dependencies) : undefined;
  }
  if (!isRegisteredClientId(clientId) || !acceptsRegistrations(configuration)) return undefined;
  const record = await dependencies.stores.registeredClients.get(clientId);
  return record && registeredClient(record, configuration);
}

/** The organization of a client: the configured one, otherwise the first of the instance (D32). */
export async function organizationOf(
  { organization }: Pick<OAuthClient, "organization">,
  { stores }: Pick<AuthorizationServerPorts, "stores">,
): Promise<string | undefined> {
  return organization ?? (await stores.directory.firstOrganization())?.organizationId;
}

/** The `oidc` app of this client id; undefined when the configuration has none. */
export function appClient(clientId: string, configuration: Configuration): OAuthClient | undefined {
  const app = configuration.apps.find(
    (candidate): candidate is OidcAppConfiguration => candidate.type === "oidc" && candidate.clientID === clientId,
  );
  return app && describeApp(app, configuration);
}

function describeApp(app: OidcAppConfiguration, configuration: Configuration): OAuthClient {
  return {
    kind: "app",
    clientId: app.clientID,
    name: app.name,
    ...(app.organization !== undefined && { organization: app.organization }),
    authentication: authenticationOf(app),
    redirectURLs: app.redirectURLs,
    grantTypes: app.grantTypes,
    scopes: app.scopes,
    defaultScopes: app.defaultScopes,
    audiences: app.allowedAudiences,
    connectors: knownSignInConnectors(app.idps, configuration),
    consent: app.consent,
    accessToken: app.accessToken,
    claimsMapping: app.claimsMapping,
    tokenExchange: app.tokenExchange,
    ...(app.resources !== undefined && { introspects: app.resources }),
  };
}

function authenticationOf({ isPublic, secrets, jwks }: OidcAppConfiguration): ClientAuthenticationMaterial {
  if (isPublic) return { method: "none" };
  return jwks.length > 0 ? { method: "private_key_jwt", keys: jwks } : { method: "secret", secrets, secretHashes: [] };
}
