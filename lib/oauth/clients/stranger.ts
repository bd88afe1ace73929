import type { Configuration, OidcProviderConfiguration } from "../../config/configuration.ts";
import { knownSignInConnectors } from "../features.ts";
import { oidcProviderOf } from "../provider.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./client.ts";
import type { ClientMetadata } from "./client-metadata.ts";

/** A client that nobody here registered, as it describes itself. */
export interface Stranger {
  readonly kind: "metadata_document" | "registered";
  readonly clientId: string;
  readonly metadata: ClientMetadata;
  readonly authentication: ClientAuthenticationMaterial;
  /** Where it gives no name. */
  readonly defaultName: string;
  /** Origins that it has shown to be its own. */
  readonly origins: readonly string[];
}

/** What such a client may have is the same for all of them, whatever it asks for: `registration` of the configuration. */
export function strangerClient(stranger: Stranger, configuration: Configuration): OAuthClient {
  const { kind, clientId, metadata, authentication, defaultName, origins } = stranger;
  const { registration } = oidcProviderOf(configuration);
  const { client_uri: uri } = metadata;
  const isOwn = uri !== undefined && URL.canParse(uri) && origins.includes(new URL(uri).origin);
  return {
    kind,
    clientId,
    name: metadata.client_name ?? defaultName,
    ...(isOwn && { uri }),
    authentication,
    redirectURLs: metadata.redirect_uris,
    grantTypes: metadata.grant_types,
    scopes: scopesOf(metadata, registration),
    audiences: registration.allowedAudiences,
    connectors: knownSignInConnectors(registration.connectors, configuration),
    consent: "once",
    accessToken: registration.accessToken,
    claimsMapping: {},
    tokenExchange: { impersonation: false, subjectConnectors: [] },
  };
}

function scopesOf({ scope }: ClientMetadata, { scopes }: OidcProviderConfiguration["registration"]): readonly string[] {
  if (scope === undefined) return scopes;
  const asked = new Set(scope.split(" "));
  return scopes.filter((candidate) => asked.has(candidate));
}
