import type { Configuration } from "../config/configuration.ts";
import { signInEndpoints } from "../config/endpoints.ts";

/** The paths at which browsers come back from connectors, and sign out. */
export interface SignInPaths {
  /** The redirect paths of connectors: `callback`, and others on this origin that connectors configure. */
  readonly callbacks: readonly string[];
  readonly endSession: string;
  /** Further paths to which connectors redirect after signing out. */
  readonly signedOut: readonly string[];
}

export function signInPaths(
  configuration: Pick<Configuration, "connectors" | "oidcProvider" | "publicURL" | "singleLogout">,
): SignInPaths {
  const { connectors, singleLogout } = configuration;
  const { origin, callback, endSession } = signInEndpoints(configuration);
  const own = (urls: readonly (string | undefined)[]) =>
    new Set(urls.flatMap((url) => (url !== undefined && new URL(url).origin === origin ? [pathOf(url)] : [])));
  const signedOut = own(connectors.map(({ logoutRedirectURL }) => logoutRedirectURL));
  const singlePath = singleLogout && pathOf(singleLogout.url);
  return {
    callbacks: [...own([callback, ...connectors.map(({ loginRedirectURL }) => loginRedirectURL)])],
    endSession: pathOf(endSession),
    signedOut: [...signedOut].filter((path) => path !== pathOf(endSession) && path !== singlePath),
  };
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
