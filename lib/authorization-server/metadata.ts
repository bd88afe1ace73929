import type { OidcAppConfiguration } from "../config/app-configuration.ts";
import type { Configuration } from "../config/configuration.ts";
import {
  acceptsClientDocuments,
  acceptsRegistrations,
  grantableScopes,
  offersAppCredentials,
  offersCodeFlow,
  offersExchange,
  offersOpenId,
} from "../config/oauth-features.ts";
import { LANGUAGES } from "../pages/language.ts";
import { PROMPTS } from "./authorize/authorization-request.ts";
import type { AuthenticationMethod } from "./client-authentication.ts";
import { enabledGrants } from "./grants/registry.ts";
import type { KeyRing } from "./keys/key-ring.ts";
import { oidcProviderOf } from "./oidc-provider.ts";
import { claimsOf } from "./person-claims.ts";

type Metadata = Readonly<Record<string, unknown>>;

type Method = AuthenticationMethod | "none";

/**
 * Authorization server metadata (RFC 8414 §2) for the enabled features. `authorization_endpoint` is always present, because
 * the MCP SDKs refuse a document without it. If no response type is supported, the endpoint refuses every request (D42).
 *
 * §3.2 demands that empty arrays are omitted. Two stay: `response_types_supported` is required by §2 and by clients, and the
 * absence of `grant_types_supported` would mean that other grants are supported.
 */
export function authorizationServerMetadata(configuration: Configuration): Metadata {
  const { issuer, endpoints } = oidcProviderOf(configuration);
  const hasCodeFlow = offersCodeFlow(configuration);
  return {
    issuer,
    authorization_endpoint: endpoints.authorize,
    token_endpoint: endpoints.token,
    jwks_uri: endpoints.jwks,
    introspection_endpoint: endpoints.introspect,
    revocation_endpoint: endpoints.revoke,
    ...(acceptsRegistrations(configuration) && { registration_endpoint: endpoints.registration }),
    response_types_supported: hasCodeFlow ? ["code"] : [],
    grant_types_supported: enabledGrants(configuration).map(({ grantType }) => grantType),
    token_endpoint_auth_methods_supported: tokenMethods(configuration),
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: introspectionMethods(configuration),
    introspection_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: revocationMethods(configuration),
    revocation_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    ...(hasCodeFlow && codeFlowMetadata(configuration)),
  };
}

/**
 * The metadata for OpenID clients (OpenID Connect Discovery §3). Its two additional required members are always present,
 * because many clients refuse a document without them. Without ID tokens the list of algorithms is empty.
 */
export function openIdMetadata(configuration: Configuration, keyRing: Pick<KeyRing, "algorithms">): Metadata {
  const hasOpenId = offersOpenId(configuration);
  return {
    ...authorizationServerMetadata(configuration),
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: hasOpenId ? keyRing.algorithms() : [],
    ...(hasOpenId && openIdFlowMetadata(configuration)),
  };
}

/** RFC 8414 §2, RFC 7636, RFC 9207 §3, Client ID Metadata Document §5, OpenID Connect Prompt Create §4.1. */
function codeFlowMetadata(configuration: Configuration): Metadata {
  const scopes = grantableScopes(configuration);
  return {
    response_modes_supported: ["query"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: acceptsClientDocuments(configuration),
    prompt_values_supported: PROMPTS,
    ui_locales_supported: LANGUAGES,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  };
}

/** What OpenID Connect adds (Discovery §3, RP-Initiated Logout §2.1). Absent, the parameter would be supported. */
function openIdFlowMetadata(configuration: Configuration): Metadata {
  const { endpoints } = oidcProviderOf(configuration);
  return {
    userinfo_endpoint: endpoints.userinfo,
    end_session_endpoint: endpoints.endSession,
    claims_supported: [...ID_TOKEN_CLAIMS, ...grantableScopes(configuration).flatMap(claimsOf)],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

/** Authentication methods at introspection: API clients use their keys, other clients may have secrets. */
function introspectionMethods(configuration: Configuration): readonly Method[] {
  return ["private_key_jwt", ...(hasSecrets(configuration) ? BY_SECRET : [])];
}

/** Public clients revoke as well (RFC 7009 §2.1). */
function revocationMethods(configuration: Configuration): readonly Method[] {
  return [...introspectionMethods(configuration), ...(hasPublicClients(configuration) ? (["none"] as const) : [])];
}

/** Public clients use the code flow only. The other grants are for clients that authenticate. */
function tokenMethods(configuration: Configuration): readonly Method[] {
  if (offersCodeFlow(configuration)) return revocationMethods(configuration);
  const isForApps = offersExchange(configuration) || offersAppCredentials(configuration);
  return isForApps ? introspectionMethods(configuration) : ["private_key_jwt"];
}

const BY_SECRET = ["client_secret_basic", "client_secret_post"] as const;

function hasSecrets(configuration: Configuration): boolean {
  return acceptsRegistrations(configuration) || appsOf(configuration).some(({ secrets }) => secrets.length > 0);
}

function hasPublicClients(configuration: Configuration): boolean {
  const doCome = acceptsRegistrations(configuration) || acceptsClientDocuments(configuration);
  return doCome || appsOf(configuration).some(({ isPublic }) => isPublic);
}

function appsOf({ apps }: Configuration): readonly OidcAppConfiguration[] {
  return apps.filter((app): app is OidcAppConfiguration => app.type === "oidc");
}

const SIGNING_ALGORITHMS = ["ES256"];
const ID_TOKEN_CLAIMS = ["iss", "sub", "aud", "exp", "iat", "nonce", "auth_time", "acr", "amr"];
