import type { Configuration } from "../../config/configuration.ts";
import { acceptsClientDocuments, acceptsRegistrations, offersOpenId } from "../../oauth/features.ts";

/** Whether anything is signed under the configuration: ID tokens, or access tokens that are JWTs. */
export function signsTokens(configuration: Configuration): boolean {
  const { apps, oidcProvider } = configuration;
  if (oidcProvider === undefined) return false;
  const hasJwtApp = apps.some(
    (app) => app.type === "oidc" && app.grantTypes.length > 0 && app.accessToken.type === "jwt",
  );
  const acceptsStrangers = acceptsRegistrations(configuration) || acceptsClientDocuments(configuration);
  return (
    hasJwtApp ||
    offersOpenId(configuration) ||
    (acceptsStrangers && oidcProvider.registration.accessToken.type === "jwt")
  );
}
