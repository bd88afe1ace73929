import { fetchDiscovery } from "../protocol/oauth/fetch-discovery.ts";
import { issuerFromWellKnown } from "../protocol/oauth/issuer.ts";

/** What signing in at an OpenID provider needs of its discovery document (OpenID Connect Discovery 1.0 §3). */
export interface ConnectorMetadata {
  /** Exactly as the provider spells it; `iss` of its ID tokens is compared with it. */
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userinfoEndpoint?: string;
  /** OpenID Connect RP-Initiated Logout 1.0 §2.1. */
  readonly endSessionEndpoint?: string;
  /** What its ID tokens may be signed with; absent: RS256 (OpenID Connect Core 1.0 §3.1.3.7). */
  readonly idTokenAlgorithms?: readonly string[];
  /** Its authorization responses say whom they are from (RFC 9207 §3). */
  readonly sendsIssuer?: true;
}

/** Reads and checks the document of a provider. Errors say what is wrong with it. */
export async function fetchConnectorMetadata(
  fetch: typeof globalThis.fetch,
  wellKnownURL: string,
  signal?: AbortSignal,
): Promise<ConnectorMetadata> {
  // Without the issuer of its address, a document could speak for anybody (§4.3).
  if (issuerFromWellKnown(wellKnownURL) === undefined) {
    throw new Error(
      "the address is not that of a discovery document; accepted: ISSUER/.well-known/openid-configuration",
    );
  }
  refuseUnprotected("the address", wellKnownURL);
  const { issuer, document } = await fetchDiscovery(fetch, wellKnownURL, signal);
  const userinfoEndpoint = endpoint("userinfo_endpoint", document.userinfo_endpoint);
  const endSessionEndpoint = endpoint("end_session_endpoint", document.end_session_endpoint);
  return {
    issuer,
    authorizationEndpoint: requiredEndpoint("authorization_endpoint", document.authorization_endpoint),
    tokenEndpoint: requiredEndpoint("token_endpoint", document.token_endpoint),
    jwksUri: requiredEndpoint("jwks_uri", document.jwks_uri),
    ...(userinfoEndpoint !== undefined && { userinfoEndpoint }),
    ...(endSessionEndpoint !== undefined && { endSessionEndpoint }),
    ...signatureAlgorithms(document.id_token_signing_alg_values_supported),
    ...(document.authorization_response_iss_parameter_supported === true && { sendsIssuer: true }),
  };
}

/** Without `none`, and without those whose key would be the client's secret. */
function signatureAlgorithms(value: unknown): Pick<ConnectorMetadata, "idTokenAlgorithms"> {
  if (!Array.isArray(value)) return {};
  const algorithms = value.filter((name): name is string => typeof name === "string" && /^(RS|PS|ES|Ed)/.test(name));
  return algorithms.length === 0 ? {} : { idTokenAlgorithms: algorithms };
}

function requiredEndpoint(member: string, value: unknown): string {
  const url = endpoint(member, value);
  if (url === undefined) throw new Error(`discovery names no ${member}`);
  return url;
}

/** Providers write null for what they do not have. */
function endpoint(member: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || !URL.canParse(value)) throw new Error(`discovery names a ${member} that is no URL`);
  refuseUnprotected(`${member} of discovery`, value);
  return value;
}

/** Codes, secrets and keys go over TLS (OpenID Connect Core §16.17), or do not leave the machine. */
function refuseUnprotected(what: string, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return;
  throw new Error(`${what} is neither https nor http on a loopback host`);
}

function isLoopback(hostname: string): boolean {
  return hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname) || /^(.+\.)?localhost$/.test(hostname);
}
