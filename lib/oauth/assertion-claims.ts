import type { OidcProviderConfiguration } from "../config/configuration.ts";
import type { JsonObject } from "../json.ts";
import { invalidClient } from "./refusals.ts";

/** Claims of an accepted assertion that matter later. Milliseconds since the epoch. */
export interface AcceptedClaims {
  readonly expiresAt: number;
  readonly jti: string | undefined;
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

const ACCEPTED_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt", "client-authentication+jwt"]);

/** Media types are compared without case, and `application/` goes without saying (RFC 7515 §4.1.9). */
function isAcceptedType(typ: unknown): boolean {
  return ACCEPTED_TYPES.has(typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : typ);
}

/** One JSON string, exactly equal: an array could smuggle in a second audience (D5). */
function checkAudience(
  aud: unknown,
  { issuer, endpoints, assertion }: Parameters<typeof checkAssertionClaims>[1],
): void {
  const isIssuer = aud === issuer && assertion.audience !== "tokenEndpoint";
  const isTokenEndpoint = aud === endpoints.token && assertion.audience !== "issuer";
  if (!isIssuer && !isTokenEndpoint) throw invalidClient("invalid JWT audience", "aud is not an accepted string");
}

/** Skew never extends `exp`; it only widens the cap on how far ahead `exp` may lie (D6). */
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
