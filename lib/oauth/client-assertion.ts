import type { UnverifiedSignature } from "../api-clients/revoked-signer.ts";
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
 * @param noKeyVerifies is told before the refusal when the client exists and none of its active keys verifies
 * @throws {OAuthError} `invalid_request` or `invalid_client`
 */
export async function verifyClientAssertion(
  request: ClientRequest,
  dependencies: Dependencies,
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
  { configuration, clock }: Pick<Dependencies, "configuration" | "clock">,
): AcceptedClaims {
  return checkAssertionClaims(jws, oidcProviderOf(configuration().configuration), clock.now());
}

/** Names a `jti` among those of all clients, without keeping it (RFC 7523 §3 no. 7). Client ids hold no null character. */
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

/** Whom `sub` names. `client_id` is optional beside an assertion and must agree with it (RFC 7521 §4.2). */
export function namedClient({ payload: { sub } }: CompactJws, { form }: ClientRequest): string {
  if (typeof sub !== "string") throw invalidClient("invalid client", "sub is not a string");
  if ((form.get("client_id") ?? sub) !== sub) throw invalidClient("invalid client", "client_id differs from sub");
  return sub;
}

/**
 * What a header must be whoever signs: ES256, with no key that the sender brings along.
 *
 * @returns the key that the signer names
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

/** What cannot verify is refused before anything is read. */
async function verifySignature(
  jws: CompactJws,
  clientId: string,
  { source }: ClientRequest,
  dependencies: Dependencies,
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

/** Extensions that must be understood, and keys that the sender brings along (RFC 7515 §4.1). */
const REFUSED_PARAMETERS: readonly string[] = ["crit", "jwk", "jku", "x5c", "x5u"];
/** `R || S` of ES256 (RFC 7518 §3.4). */
const SIGNATURE_BYTES = 64;
