import type { Configuration, OidcProviderConfiguration } from "../config/configuration.ts";
import { consentEndpoint } from "./authorize/consent-url.ts";

/** Paths that people's browsers come to. */
export interface SignInPaths {
  readonly authorize: string;
  readonly consent: string;
  /** Where connectors send people back to: `callback`, and what connectors name instead of it on this origin. */
  readonly callbacks: readonly string[];
  /** The same for signing out. */
  readonly endSession: readonly string[];
}

export function signInPaths(
  { connectors }: Pick<Configuration, "connectors">,
  provider: OidcProviderConfiguration,
): SignInPaths {
  const { authorize, callback, endSession } = provider.endpoints;
  const { origin } = new URL(provider.issuer);
  const own = (urls: readonly (string | undefined)[]) =>
    new Set(urls.flatMap((url) => (url !== undefined && new URL(url).origin === origin ? [pathOf(url)] : [])));
  return {
    authorize: pathOf(authorize),
    consent: pathOf(consentEndpoint(provider)),
    callbacks: [...own([callback, ...connectors.map(({ loginRedirectURL }) => loginRedirectURL)])],
    endSession: [...own([endSession, ...connectors.map(({ logoutRedirectURL }) => logoutRedirectURL)])],
  };
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
