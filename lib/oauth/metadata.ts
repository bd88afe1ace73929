import type { Configuration } from "../config/configuration.ts";
import type { KeyRing } from "../tokens/keys/key-ring.ts";
import { introspectionMethods, revocationMethods, tokenMethods } from "./accepted-methods.ts";
import { PROMPTS } from "./authorize/authorization-request.ts";
import {
  acceptsClientDocuments,
  acceptsRegistrations,
  grantableScopes,
  offersCodeFlow,
  offersOpenId,
} from "./features.ts";
import { enabledGrants } from "./grants/registry.ts";
import { claimsOf } from "./person-claims.ts";
import { oidcProviderOf } from "./provider.ts";

type Metadata = Readonly<Record<string, unknown>>;

/**
 * Authorization server metadata (RFC 8414 §2): only what works. `authorization_endpoint` stands there always because the
 * MCP SDKs refuse a document without it; where no response type is supported, the endpoint refuses every request (D42).
 *
 * Of the claims without elements, which §3.2 wants omitted, two stay: `response_types_supported`, which §2 requires and
 * clients too, and `grant_types_supported`, whose absence would mean that other grants are supported.
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
 * The same for those who look for an OpenID provider (OpenID Connect Discovery §3, which is where the specification sends
 * clients). Its two further required members are there, because many clients refuse a document without them; where no ID
 * token is issued, there is no algorithm for one.
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

const SIGNING_ALGORITHMS = ["ES256"];
const ID_TOKEN_CLAIMS = ["iss", "sub", "aud", "exp", "iat", "nonce", "auth_time", "acr", "amr"];
