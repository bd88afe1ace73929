import type { Configuration, OidcProviderConfiguration } from "../config/configuration.ts";
import { consentEndpoint } from "../config/endpoints.ts";

/** The paths of the endpoints for browsers. */
export interface SignInPaths {
  readonly authorize: string;
  readonly consent: string;
  /** The redirect paths of connectors: `callback`, and others on this origin that connectors configure. */
  readonly callbacks: readonly string[];
  readonly endSession: string;
  /** Further paths to which connectors redirect after signing out. */
  readonly signedOut: readonly string[];
}

export function signInPaths(
  { connectors }: Pick<Configuration, "connectors">,
  provider: OidcProviderConfiguration,
): SignInPaths {
  const { authorize, callback, endSession } = provider.endpoints;
  const { origin } = new URL(provider.issuer);
  const own = (urls: readonly (string | undefined)[]) =>
    new Set(urls.flatMap((url) => (url !== undefined && new URL(url).origin === origin ? [pathOf(url)] : [])));
  const signedOut = own(connectors.map(({ logoutRedirectURL }) => logoutRedirectURL));
  return {
    authorize: pathOf(authorize),
    consent: pathOf(consentEndpoint(provider)),
    callbacks: [...own([callback, ...connectors.map(({ loginRedirectURL }) => loginRedirectURL)])],
    endSession: pathOf(endSession),
    signedOut: [...signedOut].filter((path) => path !== pathOf(endSession)),
  };
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
