import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { isIdToken } from "../../authorization-server/openid/id-token.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ASYMMETRIC_ALGORITHMS } from "../../protocol/oauth/asymmetric-algorithms.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { KeyLookup, KeySet } from "./authorization-server.ts";
import { type Attempt, accepted, identityFromClaims, inconclusive, refused, unavailable, untimely } from "./claims.ts";
import type { TokenName } from "./identity-cache.ts";
import type { TrustedServer } from "./trusted-servers.ts";
import type { UnverifiedJwt } from "./unverified-jwt.ts";

/** RFC 9068 §2.1, and what servers before it write. Assertions, logout tokens and proofs have types of their own. */
const TYPES = new Set<unknown>([undefined, "jwt", "at+jwt"]);

/** A JWT, what it says of itself before any check, and the server that it says issued it. */
export interface PresentedJwt {
  readonly token: string;
  readonly name: TokenName;
  readonly said: UnverifiedJwt;
  readonly server: Pick<TrustedServer, "settings" | "metadata" | "keys" | "lookups" | "validated">;
}

type Context = Pick<RequestContext, "waitUntil" | "remoteAddress">;

/** Validates a JWT access token: signature, `iss`, `aud`, `exp`, `nbf`, `typ`. An unknown key is inconclusive. */
export async function validateJwt(
  jwt: PresentedJwt,
  { clock }: { readonly clock: Clock },
  context: Context,
): Promise<Attempt> {
  if (!TYPES.has(shortened(jwt.said.type))) return refused("wrong_type");
  const { metadata, keys, validated } = jwt.server;
  const issuer = (await metadata.get(context.waitUntil))?.issuer;
  if (issuer === undefined) return unavailable("discovery_not_loaded");
  const known = await keys.get(context.waitUntil);
  if (known === undefined) return inconclusive("keys_not_loaded", unavailable);
  const before = validated.get(jwt.name, known);
  if (before !== undefined) return accepted(before);
  const check = (keySet: KeySet) => checkWith(keySet, jwt, issuer, clock.now());
  const attempt = await check(known);
  return attempt.outcome === "inconclusive" ? checkWithNewKeys(known, check, jwt, context) : attempt;
}

/** Asks the server for its keys, as far as there is budget for it. A token that could not be checked may be good. */
async function checkWithNewKeys(
  known: KeySet,
  check: (keySet: KeySet) => Promise<Attempt>,
  { server: { keys, lookups } }: PresentedJwt,
  { waitUntil, remoteAddress }: Context,
): Promise<Attempt> {
  let lookup: KeyLookup | undefined;
  const mayFetch = () => {
    lookup = lookups.take(remoteAddress);
    return lookup === "allowed";
  };
  const suffices = async (keySet: KeySet) => (await check(keySet)).outcome !== "inconclusive";
  const renewed = await keys.renew(known, { waitUntil, suffices, mayFetch });
  if (renewed === undefined) {
    return inconclusive("unknown_key", lookup === "source_exhausted" ? refused : unavailable);
  }
  const attempt = await check(renewed);
  if (lookup === "allowed" && attempt.outcome === "accepted") lookups.giveBack(remoteAddress);
  return attempt;
}

async function checkWith(keys: KeySet, jwt: PresentedJwt, issuer: string, now: number): Promise<Attempt> {
  const { token, name, said, server } = jwt;
  const { expectedAudiences, clockSkew } = server.settings;
  let claims: JWTPayload;
  try {
    claims = await verify(token, keys, {
      issuer,
      audience: [...expectedAudiences],
      algorithms: [...ASYMMETRIC_ALGORITHMS],
      requiredClaims: ["exp"],
      // It counts in whole seconds; what is let through here is looked at again.
      clockTolerance: clockSkew / 1000 + 1,
      currentDate: new Date(now),
    });
  } catch (cause) {
    return isUnknownKey(cause, said.namesKey) ? inconclusive("unknown_key", refused) : refused(codeOf(cause));
  }
  const attempt = accept(claims, issuer, now, clockSkew);
  if (attempt.outcome === "accepted") {
    const until = attempt.identity.expiresAt + clockSkew;
    server.validated.put(name, attempt.identity, until, { said, basis: keys });
  }
  return attempt;
}

/** A token that does not name its key may be signed with one that is not known yet. */
function isUnknownKey(cause: unknown, namesKey: boolean): boolean {
  if (cause instanceof errors.JWKSNoMatchingKey) return true;
  return cause instanceof errors.JWSSignatureVerificationFailed && !namesKey;
}

/** RFC 7515 §4.1.9: a media type, which is compared without regard to case and may be written without `application/`. */
function shortened(type: unknown): unknown {
  return typeof type === "string" ? type.toLowerCase().replace(/^application\//, "") : type;
}

function accept(claims: JWTPayload, issuer: string, now: number, skew: number): Attempt {
  if (isIdToken(claims)) return refused("id_token");
  const problem = untimely(claims, now, skew);
  return problem === undefined ? identityFromClaims(claims, issuer) : refused(problem);
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
