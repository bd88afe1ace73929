import type { OidcProviderConfiguration } from "../config/configuration.ts";
import { enabledGrants } from "./grants/registry.ts";

/**
 * Authorization server metadata (RFC 8414 §2, OpenID Connect Discovery §3): only what works. The arrays that are empty
 * stand there because one or the other document requires them, and both paths serve the same one. `authorization_endpoint` stands there because the MCP SDKs refuse a document
 * without it; it says that it supports no response type, and so does the endpoint.
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
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [],
  };
}

const SIGNING_ALGORITHMS = ["ES256"];
const CALLER_METHODS = ["private_key_jwt", "client_secret_basic", "client_secret_post"];
