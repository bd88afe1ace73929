import type { OidcProviderConfiguration } from "../config/configuration.ts";
import { enabledGrants } from "./grants/registry.ts";

/**
 * Authorization server metadata (RFC 8414 §2): only what works. `authorization_endpoint` stands there because the MCP SDKs
 * refuse a document without it; it says that it supports no response type, and so does the endpoint (D42).
 *
 * Of the claims without elements, which §3.2 wants omitted, two stay: `response_types_supported`, which §2 requires and
 * clients too, and `grant_types_supported`, whose absence would mean that other grants are supported.
 */
export function authorizationServerMetadata(provider: OidcProviderConfiguration): Readonly<Record<string, unknown>> {
  const { issuer, endpoints } = provider;
  return {
    issuer,
    authorization_endpoint: endpoints.authorize,
    token_endpoint: endpoints.token,
    jwks_uri: endpoints.jwks,
    introspection_endpoint: endpoints.introspect,
    revocation_endpoint: endpoints.revoke,
    response_types_supported: [],
    grant_types_supported: enabledGrants(provider).map(({ grantType }) => grantType),
    token_endpoint_auth_methods_supported: ["private_key_jwt"],
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: CALLER_METHODS,
    introspection_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: CALLER_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: SIGNING_ALGORITHMS,
  };
}

/**
 * The same for those who look for an OpenID provider (OpenID Connect Discovery §3, which is where the specification sends
 * clients). Its two further required members are there, because many clients refuse a document without them; no ID token
 * is issued, so there is no algorithm for one.
 */
export function openIdMetadata(provider: OidcProviderConfiguration): Readonly<Record<string, unknown>> {
  return {
    ...authorizationServerMetadata(provider),
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [],
  };
}

const SIGNING_ALGORITHMS = ["ES256"];
const CALLER_METHODS = ["private_key_jwt", "client_secret_basic", "client_secret_post"];
