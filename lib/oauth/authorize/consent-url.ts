import type { OidcProviderConfiguration } from "../../config/configuration.ts";

type Provider = Pick<OidcProviderConfiguration, "endpoints">;

/** The page where people decide: below the authorization endpoint. */
export function consentEndpoint({ endpoints }: Provider): string {
  return `${endpoints.authorize}/consent`;
}

/** The same for one sign-in; only the browser that it began in can open it. */
export function consentPageURL(provider: Provider, secret: string): string {
  return `${consentEndpoint(provider)}?${INTERACTION}=${secret}`;
}

/** The parameter that holds an interaction's secret, in addresses and forms. */
export const INTERACTION = "interaction";
