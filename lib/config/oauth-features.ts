import { issuerFromWellKnown } from "../protocol/oauth/issuer.ts";
import type { OidcAppConfiguration, OidcAppGrantType } from "./app-configuration.ts";
import type { Configuration, ConnectorConfiguration, OidcProviderConfiguration } from "./configuration.ts";
import { type Path, valueAt } from "./path.ts";
import type { WebAppConfiguration } from "./web-app-configuration.ts";

/** What tells an instance from others. */
interface ProviderAddress {
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

/** Whether the authorization code grant is enabled: a client may use it, and its people can sign in at a connector. */
export function offersCodeFlow(configuration: Configuration): boolean {
  return codeFlowApps(configuration).length > 0 || acceptsDynamicClients(configuration);
}

export function offersRefresh(configuration: Configuration): boolean {
  const isRefreshing = codeFlowApps(configuration).some(({ grantTypes }) => grantTypes.includes("refresh_token"));
  return isRefreshing || acceptsDynamicClients(configuration);
}

/** RFC 8693, for apps only. Dynamic clients cannot exchange tokens. */
export function offersExchange(configuration: Configuration): boolean {
  return appsWith("urn:ietf:params:oauth:grant-type:token-exchange", configuration).length > 0;
}

/** RFC 6749 §4.4 for apps. Public apps cannot list it. */
export function offersAppCredentials(configuration: Configuration): boolean {
  return appsWith("client_credentials", configuration).length > 0;
}

/** RFC 7591. */
export function acceptsRegistrations(configuration: Configuration): boolean {
  return configuration.oidcProvider?.registration.dynamic === true && dynamicClientsCanSignIn(configuration);
}

/** Client ID Metadata Documents. */
export function acceptsClientDocuments(configuration: Configuration): boolean {
  return configuration.oidcProvider?.registration.clientIDMetadata === true && dynamicClientsCanSignIn(configuration);
}

/** What OpenID Connect adds to the code flow: the ID token. */
export function offersOpenId(configuration: Configuration): boolean {
  const isAsked = codeFlowApps(configuration).some(({ scopes }) => scopes.includes("openid"));
  const isForDynamicClients =
    acceptsDynamicClients(configuration) && registeredScopes(configuration).includes("openid");
  return isAsked || isForDynamicClients;
}

/** All scopes that people can grant, each once, in the order of the configuration. */
export function grantableScopes(configuration: Configuration): readonly string[] {
  const scopes = codeFlowApps(configuration).flatMap((app) => app.scopes);
  const dynamicScopes = acceptsDynamicClients(configuration) ? registeredScopes(configuration) : [];
  return [...new Set([...scopes, ...dynamicScopes])];
}

/** Whether people sign in for some web app. */
export function signsInForWebApps(configuration: Configuration): boolean {
  return knownSignInConnectors(webAppConnectors(configuration), configuration).length > 0;
}

/** The names of the connectors at which people sign in for some web app. */
export function webAppConnectors({ apps }: Pick<Configuration, "apps">): readonly string[] {
  const webApps = apps.filter((app): app is WebAppConfiguration => app.type === "proxy");
  return [...new Set(webApps.flatMap(({ policies }) => policies.flatMap(({ idps }) => idps)))];
}

/** Whether calls of some app carry the token of an account that the person connected. */
export function connectsAccounts({ apps }: Pick<Configuration, "apps">): boolean {
  return apps.some((app) => "outbound" in app && app.outbound?.type === "userToken");
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

/** Whether clients come that nobody here set up, by registration or with a metadata document, and their people can sign in. */
export function acceptsDynamicClients(configuration: Configuration): boolean {
  return acceptsRegistrations(configuration) || acceptsClientDocuments(configuration);
}

function dynamicClientsCanSignIn(configuration: Configuration): boolean {
  return knownSignInConnectors(configuration.oidcProvider?.registration.connectors ?? [], configuration).length > 0;
}

function registeredScopes({ oidcProvider }: Configuration): readonly string[] {
  return oidcProvider?.registration.scopes ?? [];
}

const DISCOVERY = ["oidcProvider", "discovery"] as const;

/** What a plain document tells before it is assembled, as assembly takes it. */
export interface KnownSignIn {
  /** Names of the connectors that people can sign in at. */
  readonly names: readonly string[];
  /** Whether a placeholder may still change them. */
  readonly isOpen: boolean;
}

/** The connectors of a plain document but for those at this very instance. */
export function knownSignIn(
  document: unknown,
  publicURL: unknown = valueAt(document, ["http", "publicURL"]),
): KnownSignIn {
  const provider = providerAddress(document, publicURL);
  const connectors = valueAt(document, ["connectors"]);
  const names: string[] = [];
  let isOpen = provider === undefined;
  for (const connector of Array.isArray(connectors) ? connectors : []) {
    const [name, wellKnownURL] = [valueAt(connector, ["name"]), valueAt(connector, ["oidcWellKnownURL"])];
    if (name === null || wellKnownURL === null) isOpen = true;
    if (typeof name !== "string" || typeof wellKnownURL !== "string" || !URL.canParse(wellKnownURL)) continue;
    if (!isOwnConnector({ wellKnownURL }, provider)) names.push(name);
  }
  return { names, isOpen };
}

/** Undefined while it is not known. */
function providerAddress(document: unknown, publicURL: unknown): ProviderAddress | undefined {
  const issuer = textAt(document, [...DISCOVERY, "issuer"]) ?? origin(publicURL);
  const wellKnown = textAt(document, [...DISCOVERY, "endpoints", "wellKnown"]);
  return issuer === undefined ? undefined : { issuer, endpoints: { wellKnown: wellKnown ?? "" } };
}

function textAt(document: unknown, path: Path): string | undefined {
  const value = valueAt(document, path);
  return typeof value === "string" ? value : undefined;
}

function origin(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : undefined;
}
