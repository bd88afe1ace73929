import type { Configuration } from "../../config/configuration.ts";
import { offersCodeFlow, offersExchange } from "../../oauth/features.ts";

/**
 * Whether anything can be signed under the configuration: ID tokens, and access tokens that are JWTs, also where only the
 * request asks for one (RFC 8693 §2.1). On Workers and Lambda a key is required exactly then (`config/rules/key-secret.ts`).
 */
export function signsTokens(configuration: Configuration): boolean {
  return offersCodeFlow(configuration) || offersExchange(configuration);
}
