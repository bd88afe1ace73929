import type { Configuration } from "../../config/configuration.ts";
import { offersAppCredentials, offersCodeFlow, offersExchange } from "../../config/oauth-features.ts";

/**
 * Whether the configuration needs signing keys: for ID tokens, for access tokens that are JWTs, and for the assertions of web apps. A token exchange may also
 * request a JWT (RFC 8693 §2.1). On Workers and Lambda a key is required exactly then (`config/rules/key-secret.ts`).
 */
export function signsTokens(configuration: Configuration): boolean {
  const isAsserted = configuration.apps.some((app) => app.type === "proxy" && app.assertion !== undefined);
  return (
    isAsserted || offersCodeFlow(configuration) || offersExchange(configuration) || offersAppCredentials(configuration)
  );
}
