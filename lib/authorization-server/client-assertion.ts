import { sha256base64url } from "#sha256";
import type { UnverifiedSignature } from "../api-clients/verification.ts";
import { type VerifiedClient, verifyClientSignature } from "../api-clients/verification.ts";
import type { OidcProviderConfiguration } from "../config/configuration.ts";
import type { JsonObject } from "../kernel/json.ts";
import { type CompactJws, parseCompactJws } from "../protocol/oauth/jws.ts";
import type { ClientRequest } from "./client-request.ts";
import { oidcProviderOf } from "./oidc-provider.ts";
import type { AuthorizationServerPorts } from "./ports.ts";
import { invalidClient, invalidRequest } from "./refusals.ts";

/** RFC 7523 §2.2. */
export const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A client assertion whose signature was verified by an active key of its client. The claims are not checked yet. */
export interface VerifiedAssertion extends VerifiedClient {
  readonly jws: CompactJws;
}

/** Claims of an accepted assertion that are used later. Milliseconds since the epoch. */
export interface AcceptedClaims {
  readonly expiresAt: number;
  readonly jti: string | undefined;
}

/**
 * The steps of D8 up to the signature: form, shape, `sub` names a client, signature. The store is read only for a client id
 * that this region made.
 *
 * @param noKeyVerifies called before the refusal if the client exists and none of its active keys verifies
 * @throws {OAuthError} `invalid_request` or `invalid_client`
 */
export async function verifyClientAssertion(
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
  noKeyVerifies?: (unverified: UnverifiedSignature) => void,
): Promise<VerifiedAssertion> {
  const jws = presentedAssertion(request);
  const clientId = namedClient(jws, request);
  if (!dependencies.clientIds.isOurs(clientId)) {
    throw invalidClient("invalid client", "sub is not a client id of this region");
  }
  const verified = await verifySignature(jws, clientId, request, dependencies, noKeyVerifies);
  request.authenticated(clientId);
  return { jws, ...verified };
}

/**
 * The last step of D8 before the assertion counts.
 *
 * @throws {OAuthError} `invalid_client`
 */
export function acceptClaims(
  { jws }: VerifiedAssertion,
  { configuration, clock }: Pick<AuthorizationServerPorts, "configuration" | "clock">,
): AcceptedClaims {
  return checkAssertionClaims(jws, oidcProviderOf(configuration().configuration), clock.now());
}

/**
 * Checks the claims of a client assertion whose signature verified and whose `sub` names its client (RFC 7523 §3, D5, D6).
 *
 * @param now milliseconds since the epoch
 * @throws {OAuthError} `invalid_client`
 */
export function checkAssertionClaims(
  { header, payload }: { readonly header: JsonObject; readonly payload: JsonObject },
  provider: Pick<OidcProviderConfiguration, "issuer" | "endpoints" | "assertion">,
  now: number,
): AcceptedClaims {
  if (!isAcceptedType(header.typ)) throw invalidClient("invalid JWT claims", "typ names another kind of JWT");
  if (payload.iss !== payload.sub) throw invalidClient("invalid JWT claims", "iss differs from sub");
  checkAudience(payload.aud, provider);
  const { maxLifetime, clockSkew } = provider.assertion;
  const expiresAt = checkExpiry(payload.exp, now, maxLifetime + clockSkew);
  refuseFuture("nbf", payload.nbf, now + clockSkew);
  refuseFuture("iat", payload.iat, now + clockSkew);
  return { expiresAt, jti: checkJti(payload.jti) };
}

/** A hash that identifies a `jti` among those of all clients (RFC 7523 §3 no. 7). Client ids have no null character. */
export function assertionIdHash(clientId: string, jti: string): string {
  return sha256base64url(`${clientId}\0${jti}`);
}

/**
 * The assertion of a request, parsed and nothing more.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_client`
 */
export function presentedAssertion({ form }: ClientRequest): CompactJws {
  const assertion = form.get("client_assertion");
  if (form.get("client_assertion_type") !== JWT_BEARER) throw invalidRequest("client_assertion_type is not jwt-bearer");
  if (assertion === undefined) throw invalidRequest("client_assertion is missing");
  const jws = parseCompactJws(assertion);
  if (jws === undefined) throw invalidClient("failed to parse JWT");
  return jws;
}

/** The client that `sub` names. `client_id` is optional with an assertion and must be equal (RFC 7521 §4.2). */
export function namedClient({ payload: { sub } }: CompactJws, { form }: ClientRequest): string {
  if (typeof sub !== "string") throw invalidClient("invalid client", "sub is not a string");
  if ((form.get("client_id") ?? sub) !== sub) throw invalidClient("invalid client", "client_id differs from sub");
  return sub;
}

/**
 * Checks the header of any client's assertion: ES256, without a key of the sender.
 *
 * @returns the key id that the header names
 * @throws {OAuthError} `invalid_client`
 */
export function acceptHeader({ header, signature }: CompactJws): string | undefined {
  const { alg, kid } = header;
  if (alg !== "ES256") throw invalidClient("invalid JWT signature", "alg is not ES256");
  if (kid !== undefined && typeof kid !== "string") throw invalidClient("invalid JWT signature", "kid is not a string");
  if (REFUSED_PARAMETERS.some((name) => name in header)) {
    throw invalidClient("invalid JWT signature", `header has one of ${REFUSED_PARAMETERS.join(", ")}`);
  }
  if (signature.length !== SIGNATURE_BYTES) throw invalidClient("invalid JWT signature", "signature is not 64 bytes");
  return kid;
}

/** A header that cannot verify is refused before anything is read. */
async function verifySignature(
  jws: CompactJws,
  clientId: string,
  { source }: ClientRequest,
  dependencies: AuthorizationServerPorts,
  noKeyVerifies?: (unverified: UnverifiedSignature) => void,
): Promise<VerifiedClient> {
  const kid = acceptHeader(jws);
  const { signingInput: data, signature } = jws;
  const claim = { clientId, kid, data, signature, source };
  const verification = await verifyClientSignature(claim, dependencies);
  if (verification.outcome === "verified") return verification.value;
  if (verification.outcome === "unknown_client") throw invalidClient("invalid client", "no such client");
  noKeyVerifies?.({ client: verification.client, claim });
  throw invalidClient("invalid JWT signature", "no active key verifies");
}

/** Critical extensions, and keys that the sender supplies (RFC 7515 §4.1). */
const REFUSED_PARAMETERS: readonly string[] = ["crit", "jwk", "jku", "x5c", "x5u"];
/** `R || S` of ES256 (RFC 7518 §3.4). */
const SIGNATURE_BYTES = 64;

/** Media types are compared without case, and `application/` may be omitted (RFC 7515 §4.1.9). */
function isAcceptedType(typ: unknown): boolean {
  return ACCEPTED_TYPES.has(typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : typ);
}

const ACCEPTED_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "client-authentication+jwt"]);

/** One JSON string, exactly equal: an array could have a second audience (D5). */
function checkAudience(
  aud: unknown,
  { issuer, endpoints, assertion }: Parameters<typeof checkAssertionClaims>[1],
): void {
  const isIssuer = aud === issuer && assertion.audience !== "tokenEndpoint";
  const isTokenEndpoint = aud === endpoints.token && assertion.audience !== "issuer";
  if (!isIssuer && !isTokenEndpoint) throw invalidClient("invalid JWT audience", "aud is not an accepted string");
}

/** Clock skew never extends `exp`. It only allows `exp` to lie farther ahead (D6). */
function checkExpiry(exp: unknown, now: number, cap: number): number {
  if (!isNumericDate(exp)) throw invalidClient("invalid JWT claims", "exp is missing or not a number");
  const expiresAt = exp * 1000;
  if (expiresAt <= now) throw invalidClient("expired JWT", "exp is not in the future");
  if (expiresAt > now + cap) throw invalidClient("invalid JWT claims", "exp lies too far ahead");
  return Math.ceil(expiresAt);
}

function refuseFuture(name: string, value: unknown, latest: number): void {
  if (value === undefined) return;
  if (!isNumericDate(value)) throw invalidClient("invalid JWT claims", `${name} is not a number`);
  if (value * 1000 > latest) throw invalidClient("invalid JWT claims", `${name} lies in the future`);
}

function checkJti(jti: unknown): string | undefined {
  if (jti === undefined || (typeof jti === "string" && jti !== "")) return jti;
  throw invalidClient("invalid JWT claims", "jti is not a string or empty");
}

/** RFC 7519 §2: seconds since the epoch, fractions allowed. */
function isNumericDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
