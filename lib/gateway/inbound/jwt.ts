import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import type { Dependencies } from "../../dependencies.ts";
import type { WaitUntil } from "../../health/kept.ts";
import { type Attempt, refused, unavailable } from "./authentication.ts";
import type { AuthorizationServer, KeySet } from "./authorization-server.ts";
import { identityFromClaims } from "./claims.ts";

/** Asymmetric only: a key that a server publishes must never pass as a shared secret. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/** RFC 9068 §2.1, and what servers before it write. Assertions, logout tokens and proofs have types of their own. */
const TYPES = new Set<unknown>([undefined, "jwt", "at+jwt"]);
/** Claims of an ID token that an access token has no use for (OpenID Connect Core §2, §3.1.3.6, §3.3.2.11). */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash"];

/**
 * Validates a JWT access token: signature, `iss`, `aud`, `exp`, `nbf`, `typ`. An unknown key is inconclusive. `type` is
 * the token's `typ` before any check.
 */
export async function validateJwt(
  token: string,
  type: unknown,
  server: AuthorizationServer,
  { clock }: Pick<Dependencies, "clock">,
  waitUntil: WaitUntil,
): Promise<Attempt> {
  if (!TYPES.has(shortened(type))) return refused("wrong_type");
  const metadata = await server.metadata.get(waitUntil);
  const keys = await server.keys.get(waitUntil);
  if (metadata === undefined || keys === undefined) return unavailable("keys_not_loaded");
  const { expectedAudiences, clockSkew } = server.settings;
  const options: JWTVerifyOptions = {
    issuer: metadata.issuer,
    audience: [...expectedAudiences],
    algorithms: ALGORITHMS,
    clockTolerance: clockSkew / 1000,
    currentDate: new Date(clock.now()),
    requiredClaims: ["exp"],
  };
  try {
    return accept(await verify(token, keys, options), metadata.issuer);
  } catch (cause) {
    if (!(cause instanceof errors.JWKSNoMatchingKey)) return refused(codeOf(cause));
  }
  const renewed = await server.keys.renew();
  if (renewed === undefined || renewed === keys) return { outcome: "inconclusive", reason: "unknown_key" };
  try {
    return accept(await verify(token, renewed, options), metadata.issuer);
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) return { outcome: "inconclusive", reason: "unknown_key" };
    return refused(codeOf(cause));
  }
}

/** RFC 7515 §4.1.9: a media type, which is compared without regard to case and may be written without `application/`. */
function shortened(type: unknown): unknown {
  return typeof type === "string" ? type.toLowerCase().replace(/^application\//, "") : type;
}

function accept(claims: JWTPayload, issuer: string): Attempt {
  if (ID_TOKEN_CLAIMS.some((claim) => claims[claim] !== undefined)) return refused("id_token");
  return identityFromClaims(claims, issuer);
}

/** Without a `kid` several keys may fit (RFC 7517 §4.5): each is tried. */
async function verify(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (cause) {
    if (!(cause instanceof errors.JWKSMultipleMatchingKeys)) throw cause;
    for await (const key of cause) {
      const payload = await verifyWith(key, token, options);
      if (payload !== undefined) return payload;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

async function verifyWith(key: CryptoKey, token: string, options: JWTVerifyOptions): Promise<JWTPayload | undefined> {
  try {
    return (await jwtVerify(token, key, options)).payload;
  } catch (cause) {
    if (cause instanceof errors.JWSSignatureVerificationFailed) return undefined;
    throw cause;
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof errors.JOSEError ? cause.code.toLowerCase() : "invalid_jwt";
}
