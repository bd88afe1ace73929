import type { OidcAppConfiguration, OidcAppGrantType } from "../config/app-configuration.ts";
import type { Configuration, ConnectorConfiguration, OidcProviderConfiguration } from "../config/configuration.ts";
import { issuerFromWellKnown } from "./issuer.ts";

/** What tells an instance from others. */
export interface ProviderAddress {
  readonly issuer: string;
  readonly endpoints: Pick<OidcProviderConfiguration["endpoints"], "wellKnown">;
}

/** Connectors that people sign in at: not those at this very instance, which would send people round in a circle. */
export function signInConnectors({
  connectors,
  oidcProvider,
}: Pick<Configuration, "connectors" | "oidcProvider">): readonly ConnectorConfiguration[] {
  return connectors.filter((connector) => !isOwnConnector(connector, oidcProvider));
}

/** Whether a connector names this very instance: its tokens are made and exchanged in process. */
export function isOwnConnector(
  { wellKnownURL }: Pick<ConnectorConfiguration, "wellKnownURL">,
  provider: ProviderAddress | undefined,
): boolean {
  if (provider === undefined) return false;
  return wellKnownURL === provider.endpoints.wellKnown || issuerFromWellKnown(wellKnownURL) === provider.issuer;
}

/** The names, of these, at which people can sign in. */
export function knownSignInConnectors(names: readonly string[], configuration: Configuration): readonly string[] {
  const known = new Set(signInConnectors(configuration).map(({ name }) => name));
  return names.filter((name) => known.has(name));
}

/** The authorization code grant: a client may use it, and its people have where to sign in. */
export function offersCodeFlow(configuration: Configuration): boolean {
  return codeFlowApps(configuration).length > 0 || acceptsStrangers(configuration);
}

export function offersRefresh(configuration: Configuration): boolean {
  const isRefreshing = codeFlowApps(configuration).some(({ grantTypes }) => grantTypes.includes("refresh_token"));
  return isRefreshing || acceptsStrangers(configuration);
}

/** RFC 8693: for apps alone; nobody exchanges tokens who registered without being asked. */
export function offersExchange(configuration: Configuration): boolean {
  return appsWith("urn:ietf:params:oauth:grant-type:token-exchange", configuration).length > 0;
}

/** RFC 7591. */
export function acceptsRegistrations(configuration: Configuration): boolean {
  return configuration.oidcProvider?.registration.dynamic === true && strangersCanSignIn(configuration);
}

/** Client ID Metadata Documents. */
export function acceptsClientDocuments(configuration: Configuration): boolean {
  return configuration.oidcProvider?.registration.clientIDMetadata === true && strangersCanSignIn(configuration);
}

/** What OpenID Connect adds to the code flow: the ID token. */
export function offersOpenId(configuration: Configuration): boolean {
  const isAsked = codeFlowApps(configuration).some(({ scopes }) => scopes.includes("openid"));
  const isStrangers = acceptsStrangers(configuration) && registeredScopes(configuration).includes("openid");
  return isAsked || isStrangers;
}

/** All scopes that people can grant, each once, in the order of the configuration. */
export function grantableScopes(configuration: Configuration): readonly string[] {
  const scopes = codeFlowApps(configuration).flatMap((app) => app.scopes);
  const strangers = acceptsStrangers(configuration) ? registeredScopes(configuration) : [];
  return [...new Set([...scopes, ...strangers])];
}

/** Apps whose people can sign in by the code flow. */
function codeFlowApps(configuration: Configuration): readonly OidcAppConfiguration[] {
  return appsWith("authorization_code", configuration).filter(
    ({ idps }) => knownSignInConnectors(idps, configuration).length > 0,
  );
}

/** Apps exist as clients only where there is a provider whose clients they are. */
function appsWith(grantType: OidcAppGrantType, { apps, oidcProvider }: Configuration): readonly OidcAppConfiguration[] {
  if (oidcProvider === undefined) return [];
  return apps.filter((app): app is OidcAppConfiguration => app.type === "oidc" && app.grantTypes.includes(grantType));
}

function acceptsStrangers(configuration: Configuration): boolean {
  return acceptsRegistrations(configuration) || acceptsClientDocuments(configuration);
}

function strangersCanSignIn(configuration: Configuration): boolean {
  return knownSignInConnectors(configuration.oidcProvider?.registration.connectors ?? [], configuration).length > 0;
}

function registeredScopes({ oidcProvider }: Configuration): readonly string[] {
  return oidcProvider?.registration.scopes ?? [];
}
