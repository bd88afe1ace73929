import { type VerifiedClient, verifyClientSignature } from "../api-clients/verification.ts";
import type { Dependencies } from "../dependencies.ts";
import { sha256base64url } from "../encoding.ts";
import { type AcceptedClaims, checkAssertionClaims } from "./assertion-claims.ts";
import { type CompactJws, parseCompactJws } from "./jws.ts";
import { oidcProviderOf } from "./provider.ts";
import { invalidClient, invalidRequest } from "./refusals.ts";
import type { ClientRequest } from "./request.ts";

/** RFC 7523 §2.2. */
export const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A client assertion whose signature one of its client's active keys verified. Its claims are not checked yet. */
export interface VerifiedAssertion extends VerifiedClient {
  readonly jws: CompactJws;
}

/**
 * The steps of D8 up to the signature: form, shape, `sub` names a client, signature. The first read happens
 * only for a client id that this region made.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_client`
 */
export async function verifyClientAssertion(
  request: ClientRequest,
  dependencies: Dependencies,
): Promise<VerifiedAssertion> {
  const jws = parseAssertion(assertionParameter(request));
  const clientId = await namedClient(jws, request, dependencies);
  const verified = await verifySignature(jws, clientId, request, dependencies);
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
  { configuration, clock }: Pick<Dependencies, "configuration" | "clock">,
): AcceptedClaims {
  return checkAssertionClaims(jws, oidcProviderOf(configuration().configuration), clock.now());
}

/** Names a `jti` among those of all clients, without keeping it (RFC 7523 §3 no. 7). Client ids hold no null character. */
export function assertionIdHash(clientId: string, jti: string): string {
  return sha256base64url(`${clientId}\0${jti}`);
}

function assertionParameter({ form }: ClientRequest): string {
  const assertion = form.get("client_assertion");
  if (form.get("client_assertion_type") !== JWT_BEARER) throw invalidRequest("client_assertion_type is not jwt-bearer");
  if (assertion === undefined) throw invalidRequest("client_assertion is missing");
  return assertion;
}

function parseAssertion(assertion: string): CompactJws {
  const jws = parseCompactJws(assertion);
  if (jws === undefined) throw invalidClient("failed to parse JWT");
  return jws;
}

/** `client_id` is optional beside an assertion and must agree with it (RFC 7521 §4.2). */
async function namedClient(
  { payload }: CompactJws,
  { form }: ClientRequest,
  { clientIds }: Pick<Dependencies, "clientIds">,
): Promise<string> {
  const { sub } = payload;
  if (typeof sub !== "string" || !clientIds.isOurs(sub)) {
    throw invalidClient("invalid client", "sub is not a client id of this region");
  }
  if ((form.get("client_id") ?? sub) !== sub) throw invalidClient("invalid client", "client_id differs from sub");
  return sub;
}

/** What cannot verify is refused before anything is read. */
async function verifySignature(
  { header, signingInput: data, signature }: CompactJws,
  clientId: string,
  { source }: ClientRequest,
  dependencies: Dependencies,
): Promise<VerifiedClient> {
  const { alg, kid } = header;
  if (alg !== "ES256") throw invalidClient("invalid JWT signature", "alg is not ES256");
  if (kid !== undefined && typeof kid !== "string") throw invalidClient("invalid JWT signature", "kid is not a string");
  if (REFUSED_PARAMETERS.some((name) => name in header)) {
    throw invalidClient("invalid JWT signature", `header has one of ${REFUSED_PARAMETERS.join(", ")}`);
  }
  if (signature.length !== SIGNATURE_BYTES) throw invalidClient("invalid JWT signature", "signature is not 64 bytes");
  const verification = await verifyClientSignature({ clientId, kid, data, signature, source }, dependencies);
  if (verification.outcome === "verified") return verification.value;
  if (verification.outcome === "unknown_client") throw invalidClient("invalid client", "no such client");
  throw invalidClient("invalid JWT signature", "no active key verifies");
}

/** Extensions that must be understood, and keys that the sender brings along (RFC 7515 §4.1). */
const REFUSED_PARAMETERS: readonly string[] = ["crit", "jwk", "jku", "x5c", "x5u"];
/** `R || S` of ES256 (RFC 7518 §3.4). */
const SIGNATURE_BYTES = 64;
