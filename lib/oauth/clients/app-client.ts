import type { OidcAppConfiguration } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { knownSignInConnectors } from "../features.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./client.ts";

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
