import type {
  Configuration,
  McpEndpointConfiguration,
  McpProviderConfiguration,
  OidcProviderConfiguration,
} from "./configuration.ts";

/** Where agents connect; the recommended transport first. */
export function mcpEndpoints({
  stream,
  sse,
}: Pick<McpProviderConfiguration, "stream" | "sse">): readonly McpEndpointConfiguration[] {
  return [stream, sse].filter((endpoint) => endpoint !== undefined);
}

type Provider = Pick<OidcProviderConfiguration, "endpoints">;

/** The page where people decide: below the authorization endpoint. */
export function consentEndpoint({ endpoints }: Provider): string {
  return `${endpoints.authorize}/consent`;
}

/** The same for one sign-in; only the browser that it began in can open it. */
export function consentPageURL(provider: Provider, secret: string): string {
  return `${consentEndpoint(provider)}?${INTERACTION}=${secret}`;
}

/** Where people sign in, whoever they sign in for: absolute URLs at one origin, whose cookies hold their session. */
export interface SignInEndpoints {
  readonly origin: string;
  /** Where connectors send people back to. */
  readonly callback: string;
  readonly endSession: string;
  /** Where web apps send whoever is not signed in. */
  readonly appSignIn: string;
}

/** The authorization server's endpoints; where there is none, the same paths below the public URL. */
export function signInEndpoints({
  oidcProvider,
  publicURL,
}: Pick<Configuration, "oidcProvider" | "publicURL">): SignInEndpoints {
  const { origin } = new URL(oidcProvider?.issuer ?? publicURL);
  return {
    origin,
    callback: oidcProvider?.endpoints.callback ?? `${publicURL}/oauth2/callback`,
    endSession: oidcProvider?.endpoints.endSession ?? `${publicURL}/oauth2/logout`,
    appSignIn: `${origin}${OWN_PATHS}sign-in`,
  };
}

/** Hosts of the instance itself, with their ports: of the public URL, of sign-in and of the Console. What is ours always wins there. */
export function ownHosts({
  oidcProvider,
  publicURL,
  console,
}: Pick<Configuration, "oidcProvider" | "publicURL" | "console">): ReadonlySet<string> {
  const pages = console.enabled ? [console.baseURL] : [];
  return new Set(
    [publicURL, signInEndpoints({ oidcProvider, publicURL }).origin, ...pages].map((url) => new URL(url).host),
  );
}

/** Every path below it is ours, on every host. */
export const OWN_PATHS = "/.countersign/";
/** On a web app's host: begins a sign-in that a script or a form was told of. */
export const APP_LOGIN = `${OWN_PATHS}login`;
/** On a web app's host: takes over the session of a person who signed in on ours. */
export const APP_SIGNED_IN = `${OWN_PATHS}signed-in`;

/** Where people connect accounts at providers, on the host where they sign in. */
export const CONNECT = "/connect";
/** Below it: where the providers of people's accounts send them back to, each connector to an address of its own (RFC 9700 §4.4.2.2). */
export const CONNECT_CALLBACK = `${CONNECT}/callback`;
/** Below it: what this instance is as a client of providers that read that (Client ID Metadata Documents). */
export const CONNECT_METADATA = `${CONNECT}/client-metadata`;

/** Below it: the public keys with which that client signs, each connector's at an address of its own. */
export const CONNECT_KEYS = `${CONNECT}/client-keys`;

type SignInAddress = Pick<Configuration, "oidcProvider" | "publicURL">;

/** The link that a person opens to connect an account: no credential, as it is sent to them in the clear. */
export function connectURL(id: string, configuration: SignInAddress): string {
  return `${signInEndpoints(configuration).origin}${CONNECT}/${id}`;
}

/** Where the provider of an `oauth` connector sends people back to. */
export function connectCallbackURL(connector: string, configuration: SignInAddress): string {
  return `${signInEndpoints(configuration).origin}${CONNECT_CALLBACK}/${encodeURIComponent(connector)}`;
}

/** The document that is our client id at the provider of a connector. */
export function connectMetadataURL(connector: string, configuration: SignInAddress): string {
  return `${signInEndpoints(configuration).origin}${CONNECT_METADATA}/${encodeURIComponent(connector)}`;
}

/** The keys of that client (RFC 7591 §2, `jwks_uri`). */
export function connectKeysURL(connector: string, configuration: SignInAddress): string {
  return `${signInEndpoints(configuration).origin}${CONNECT_KEYS}/${encodeURIComponent(connector)}`;
}

/** Below it: where transmitters of security events post them, each to an address of its connector. */
export const SIGNALS = "/signals";

/** Where the transmitter of a connector posts its events. */
export function signalsURL(connector: string, { publicURL }: Pick<Configuration, "publicURL">): string {
  return `${new URL(publicURL).origin}${SIGNALS}/${encodeURIComponent(connector)}`;
}

/** Below it are the pages of the Console. */
export const CONSOLE_PATH = "/console/";

/** A page of the Console that people are sent to: the link carries no right. Undefined: there is no Console. */
export function consolePage(
  page: string,
  { console: { enabled, baseURL } }: Pick<Configuration, "console">,
): string | undefined {
  return enabled ? `${baseURL}${CONSOLE_PATH}${page}` : undefined;
}

/** Where people decide on a call that waits for an approval; undefined: an operator does on the command line. */
export function approvalPage(approvalId: string, configuration: Pick<Configuration, "console">): string | undefined {
  return consolePage(`approvals/${approvalId}`, configuration);
}

/** The parameter that holds an interaction's secret, in addresses and forms. */
export const INTERACTION = "interaction";

/**
 * What clients ask tokens for at an MCP endpoint (D28): its URL, or the longest expected audience that is a prefix of it.
 * Undefined when no audience that all servers expect is either.
 *
 * @param expected the audiences of each server
 */
export function resourceOf(url: string, expected: readonly (readonly string[])[]): string | undefined {
  const prefixes = expected.flatMap((audiences) => audiences.filter((audience) => isPrefix(audience, url)));
  const candidates = [url, ...prefixes.sort((a, b) => b.length - a.length)];
  return candidates.find((candidate) => expected.every((audiences) => audiences.includes(candidate)));
}

/** Same origin, and the path ends where a segment of the other ends (as MCP clients compare, RFC 8707). */
function isPrefix(audience: string, url: string): boolean {
  if (!URL.canParse(audience)) return false;
  const [shorter, longer] = [new URL(audience), new URL(url)];
  if (shorter.origin !== longer.origin || shorter.search !== "" || shorter.hash !== "") return false;
  return withSlash(longer.pathname).startsWith(withSlash(shorter.pathname));
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
