import type { Configuration, OidcProviderConfiguration } from "../config/configuration.ts";

/** The authorization server's configuration. Its endpoints are mounted only where it exists, so absence is a defect. */
export function oidcProviderOf(configuration: Configuration): OidcProviderConfiguration {
  if (configuration.oidcProvider === undefined) throw new Error("oidcProvider is not configured");
  return configuration.oidcProvider;
}
