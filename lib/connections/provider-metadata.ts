import type { OAuthEndpoints } from "../config/configuration.ts";
import type { JsonObject } from "../kernel/json.ts";
import { reasonOf } from "../logging/fetch-report.ts";
import { fetchJson } from "../protocol/http/fetch-json.ts";
import { isSameIssuer } from "../protocol/oauth/issuer.ts";
import { addressFault, type LocatedConnector } from "./provider-address.ts";

/** What an MCP server and its authorization server say about themselves. */
export interface ProviderMetadata {
  /** Exactly as the server spells it. */
  readonly issuer: string;
  readonly authorizationURL: string;
  readonly tokenURL: string;
  /** RFC 7009. */
  readonly revocationURL?: string;
  /** RFC 7591. */
  readonly registrationURL?: string;
  /** RFC 9207. */
  readonly sendsIssuer: boolean;
  /** Of its token endpoint; the default of RFC 8414 §2 where it says nothing. */
  readonly authenticationMethods: readonly string[];
  /** Clients may authenticate there by assertions that are signed with ES256 (RFC 7523 §2.2). */
  readonly takesAssertions: boolean;
  readonly hasRefreshTokens: boolean;
  /** Client ID Metadata Documents are client ids there. */
  readonly takesClientDocuments: boolean;
  /** The MCP server as it names itself: what tokens are asked for (RFC 8707). */
  readonly resource: string;
}

type DiscoveredEndpoints = Extract<OAuthEndpoints, { readonly kind: "discover" }>;

export interface DiscoveredConnector extends LocatedConnector {
  readonly endpoints: DiscoveredEndpoints;
}

/**
 * Finds the authorization server of an MCP server (RFC 9728) and what it can (RFC 8414, OpenID Connect Discovery 1.0), as MCP
 * 2025-11-25 and 2026-07-28 have it, and MCP 2025-03-26 where there is no resource metadata. Nothing that does not speak for itself
 * is believed: each document has to name the very resource or issuer that it was asked for.
 *
 * @param fetch `providerFetch`
 * @returns rejects with an error that says, for the log, what was wrong
 */
export async function fetchProviderMetadata(
  connector: DiscoveredConnector,
  fetch: typeof globalThis.fetch,
  signal?: AbortSignal,
): Promise<ProviderMetadata> {
  const asking = { fetch, signal };
  const { resource, issuer } = await protectedResource(connector, asking);
  return { ...(await authorizationServer(issuer, connector, asking)), resource };
}

interface Asking {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal | undefined;
}

interface Resource {
  readonly resource: string;
  readonly issuer: string;
}

/**
 * RFC 9728 §3: with the server's path, then without, and at last where its own challenge says. A server that has no such metadata at all
 * may be one of MCP 2025-03-26, whose authorization server is at its own origin.
 */
async function protectedResource(connector: DiscoveredConnector, asking: Asking): Promise<Resource> {
  const { resource, issuer } = connector.endpoints;
  const { origin, pathname, search } = new URL(resource);
  const path = pathname === "/" ? "" : pathname;
  const places = [{ url: `${origin}${RESOURCE}${path}${search}`, names: resource }];
  if (path + search !== "") places.push({ url: `${origin}${RESOURCE}`, names: origin });
  const faults: Fault[] = [];
  for (const { url, names } of places) {
    const read = await readResource(url, names, connector, asking);
    if ("resource" in read) return read;
    faults.push(read);
  }
  const told = await challengedResource(connector, asking);
  if ("resource" in told) return told;
  // Whatever else is wrong with the metadata may pass, and must not lead to another issuer meanwhile.
  if ([...faults, told].every(({ isAbsent }) => isAbsent === true)) return { resource, issuer: issuer ?? origin };
  throw new Error([...faults, told].map(({ fault }) => fault).join("; "));
}

const RESOURCE = "/.well-known/oauth-protected-resource";

interface Fault {
  readonly fault: string;
  /** The server said that there is no such document. */
  readonly isAbsent?: boolean;
}

/** @param names the resource that the document has to be about (RFC 9728 §3.3) */
async function readResource(
  url: string,
  names: string,
  { endpoints }: DiscoveredConnector,
  asking: Asking,
): Promise<Resource | Fault> {
  const read = await readDocument("the resource metadata", url, asking);
  if ("fault" in read) return read;
  const { resource, authorization_servers: servers } = read.document;
  if (typeof resource !== "string" || !isSameIssuer(names, resource)) {
    return { fault: "the resource metadata is about another resource" };
  }
  const issuers = Array.isArray(servers) ? servers.filter((one): one is string => typeof one === "string") : [];
  const { issuer: wanted } = endpoints;
  const issuer = wanted === undefined ? issuers[0] : issuers.find((one) => isSameIssuer(wanted, one));
  if (issuer !== undefined) return { resource, issuer };
  const what =
    wanted === undefined ? "no authorization server" : "other authorization servers than the configured issuer";
  return { fault: `the resource metadata names ${what}` };
}

/** RFC 9728 §5.1: `resource_metadata` of the challenge to a request without a token. */
async function challengedResource(connector: DiscoveredConnector, asking: Asking): Promise<Resource | Fault> {
  const { fetch, signal } = asking;
  const { resource } = connector.endpoints;
  const limit = AbortSignal.timeout(TIMEOUT);
  let challenge: string;
  try {
    const response = await fetch(resource, {
      headers: { accept: "application/json, text/event-stream", "user-agent": "Countersign" },
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    await response.body?.cancel();
    if (response.status >= 500) return { fault: `the MCP server answered ${response.status}` };
    challenge = response.headers.get("www-authenticate") ?? "";
  } catch (error) {
    if (signal?.aborted) throw error;
    return { fault: `the MCP server: ${reasonOf(error)}` };
  }
  if (!/\bresource_metadata\b/i.test(challenge)) {
    return { fault: "the challenge of the MCP server names no resource metadata", isAbsent: true };
  }
  const [, url = ""] = /\bresource_metadata="([^"\\]{1,2048})"/i.exec(challenge) ?? [];
  const fault = addressFault(url, connector);
  if (fault !== undefined) return { fault: `resource_metadata of the challenge ${fault}` };
  const read = await readResource(url, resource, connector, asking);
  return "fault" in read ? { fault: read.fault } : read;
}

/** Milliseconds of one request. */
const TIMEOUT = 5_000;

/** RFC 8414 §3.1 and §5: the well-known part goes between host and path, and in OpenID Connect behind both. */
async function authorizationServer(
  issuer: string,
  connector: DiscoveredConnector,
  asking: Asking,
): Promise<Omit<ProviderMetadata, "resource">> {
  const fault = addressFault(issuer, connector);
  if (fault !== undefined) throw new Error(`the issuer ${fault}`);
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  const faults: string[] = [];
  for (const url of places) {
    const read = await readDocument("the server metadata", url, asking);
    if ("fault" in read) faults.push(read.fault);
    // RFC 8414 §3.3: a document that speaks for somebody else is an attack, and no other one is looked for.
    else return readServer(issuer, read.document, connector);
  }
  throw new Error(faults.join("; "));
}

function readServer(
  expected: string,
  document: JsonObject,
  connector: DiscoveredConnector,
): Omit<ProviderMetadata, "resource"> {
  const { issuer } = document;
  if (typeof issuer !== "string" || !isSameIssuer(expected, issuer)) {
    throw new Error("the server metadata names another issuer than the one that it was found by");
  }
  // MCP authorization: a server that does not tell cannot be trusted to check it.
  if (!textsOf(document.code_challenge_methods_supported)?.includes("S256")) {
    throw new Error("the server metadata does not offer PKCE with S256");
  }
  const methods = textsOf(document.token_endpoint_auth_methods_supported) ?? ["client_secret_basic"];
  // RFC 8414 §2 requires them beside the method.
  const algorithms = textsOf(document.token_endpoint_auth_signing_alg_values_supported) ?? ["ES256"];
  const endpoint = (member: string) => endpointOf(document, member, connector);
  const [revocationURL, registrationURL] = [endpoint("revocation_endpoint"), endpoint("registration_endpoint")];
  return {
    issuer,
    authorizationURL: required(endpoint("authorization_endpoint"), "authorization_endpoint"),
    tokenURL: required(endpoint("token_endpoint"), "token_endpoint"),
    ...(revocationURL !== undefined && { revocationURL }),
    ...(registrationURL !== undefined && { registrationURL }),
    sendsIssuer: document.authorization_response_iss_parameter_supported === true,
    authenticationMethods: methods,
    takesAssertions: methods.includes("private_key_jwt") && algorithms.includes("ES256"),
    hasRefreshTokens: textsOf(document.grant_types_supported)?.includes("refresh_token") ?? true,
    takesClientDocuments: document.client_id_metadata_document_supported === true,
  };
}

function required(endpoint: string | undefined, member: string): string {
  if (endpoint === undefined) throw new Error(`the server metadata names no ${member}`);
  return endpoint;
}

/** Browsers are sent to one of them, and codes, secrets and tokens to the others. */
function endpointOf(document: JsonObject, member: string, connector: DiscoveredConnector): string | undefined {
  const value = document[member];
  if (value === undefined || value === null) return undefined;
  const fault = typeof value === "string" ? addressFault(value, connector) : "is no URL";
  if (fault === undefined) return String(value);
  throw new Error(`${member} of the server metadata ${fault}`);
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : undefined;
}

/** Documents have at most 1 MB, and redirects are not followed (`fetchJson`). */
async function readDocument(
  what: string,
  url: string,
  { fetch, signal }: Asking,
): Promise<{ readonly document: JsonObject } | Fault> {
  try {
    const { status, body } = await fetchJson(fetch, url, { timeout: TIMEOUT, signal });
    if (status === 200 && body !== undefined) return { document: body };
    const fault = `${what} answered ${status}${status === 200 ? " without a JSON object" : ""}`;
    return { fault, isAbsent: ABSENT.has(status) };
  } catch (error) {
    if (signal?.aborted) throw error;
    return { fault: `${what}: ${reasonOf(error)}` };
  }
}

/** Some servers know their own paths alone, and answer all others as those that want a token, or another method. */
const ABSENT: ReadonlySet<number> = new Set([401, 403, 404, 405, 410]);
