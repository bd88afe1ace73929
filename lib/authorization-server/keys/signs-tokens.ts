import type { Configuration } from "../../config/configuration.ts";
import { offersAppCredentials, offersCodeFlow, offersExchange } from "../../config/oauth-features.ts";

/**
 * Whether the configuration needs signing keys: for ID tokens, and for access tokens that are JWTs. A token exchange may also
 * request a JWT (RFC 8693 §2.1). On Workers and Lambda a key is required exactly then (`config/rules/key-secret.ts`).
 */
export function signsTokens(configuration: Configuration): boolean {
  return offersCodeFlow(configuration) || offersExchange(configuration) || offersAppCredentials(configuration);
}
