import type { Configuration } from "../../config/configuration.ts";
import { knownSignInConnectors } from "../../config/oauth-features.ts";
import type { RegisteredClientRecord } from "../../stores/registered-clients.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./client.ts";
import { type ClientMetadata, keysOf } from "./client-metadata.ts";

/** A client as it describes itself: by a metadata document or by dynamic registration (RFC 7591). No operator added it. */
export interface DynamicClient {
  readonly kind: "metadata_document" | "registered";
  readonly clientId: string;
  readonly metadata: ClientMetadata;
  readonly authentication: ClientAuthenticationMaterial;
  /** Its name if it gives none. */
  readonly defaultName: string;
  /** Origins that it has shown to be its own. */
  readonly origins: readonly string[];
}

/** The client with its permissions. They are the same for all dynamic clients: `registration` of the configuration. */
export function dynamicClient(described: DynamicClient, configuration: Configuration): OAuthClient {
  const { kind, clientId, metadata, authentication, defaultName, origins } = described;
  const { scopes, ...terms } = dynamicTerms(configuration);
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
    ...terms,
    scopes: scopesOf(metadata, scopes),
    consent: "once",
    tokenExchange: { impersonation: false, subjectConnectors: [] },
  };
}

/** What the configuration lets every dynamic client have. */
export function dynamicTerms(configuration: Configuration) {
  const { registration } = oidcProviderOf(configuration);
  const { scopes, defaultScopes, allowedAudiences: audiences, accessToken, claimsMapping } = registration;
  const connectors = knownSignInConnectors(registration.connectors, configuration);
  return { scopes, defaultScopes, audiences, connectors, accessToken, claimsMapping };
}

/** Whether the id has the form that registration gives out. The store is not read for any other id. */
export function isRegisteredClientId(clientId: string): boolean {
  return /^agent_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(clientId);
}

/** A client that registered itself (RFC 7591), with the permissions of the current configuration. */
export function registeredClient(record: RegisteredClientRecord, configuration: Configuration): OAuthClient {
  const { clientId } = record;
  // Written by the registration endpoint, which read it with `readClientMetadata`.
  const metadata = record.metadata as unknown as ClientMetadata;
  return dynamicClient(
    {
      kind: "registered",
      clientId,
      metadata,
      authentication: authenticationOf(record),
      defaultName: NAMELESS,
      origins: ownOrigins(metadata),
    },
    configuration,
  );
}

/** Anybody can register somebody else's redirect beside its own, so redirects prove an origin only if all lead to one. */
function ownOrigins({ redirect_uris }: ClientMetadata): readonly string[] {
  const origins = [...new Set(redirect_uris.map((url) => new URL(url).origin))];
  return origins.length === 1 ? origins.filter((origin) => origin.startsWith("https://")) : [];
}

/** A client that registered to authenticate never counts as a public client. */
function authenticationOf({ metadata, secretHash }: RegisteredClientRecord): ClientAuthenticationMaterial {
  if (metadata.token_endpoint_auth_method === "none") return { method: "none" };
  if (secretHash !== undefined) return { method: "secret", secrets: [], secretHashes: [secretHash] };
  return { method: "private_key_jwt", keys: keysOf(metadata.jwks) ?? [] };
}

const NAMELESS = "Unnamed agent";

function scopesOf({ scope }: ClientMetadata, scopes: readonly string[]): readonly string[] {
  if (scope === undefined) return scopes;
  const asked = new Set(scope.split(" "));
  return scopes.filter((candidate) => asked.has(candidate));
}
