/**
 * Claims of an ID token that an access token has no use for (OpenID Connect Core §2, §3.1.3.6, §3.3.2.11). A JWT need not
 * say what it is: RFC 8725 §2.8 has such tokens mistaken for each other.
 */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash"];

/** Whether a JWT tells that it is an ID token, which is for its client to read and no access token. */
export function isIdToken(claims: Readonly<Record<string, unknown>>): boolean {
  return ID_TOKEN_CLAIMS.some((claim) => claims[claim] !== undefined);
}
