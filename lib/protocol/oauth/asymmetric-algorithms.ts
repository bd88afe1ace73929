/**
 * What signatures of other servers may be made with (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2). Asymmetric only: a key that a server
 * publishes must never pass as a shared secret.
 */
export const ASYMMETRIC_ALGORITHMS: readonly string[] =
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
