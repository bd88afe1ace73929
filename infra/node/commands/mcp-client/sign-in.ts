import { randomBytes } from "node:crypto";
import {
  checkResourceAllowed,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  OAuthError,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { RefusedError } from "../../exit-codes.ts";
import type { CommandIo } from "../../io.ts";
import { type Callback, openBrowser, openCallback } from "./callback.ts";
import type { KeptSignIn, KeptSignIns } from "./kept-sign-ins.ts";

/** Why a server wants another token: what its challenge says. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
  /** How the person has to sign in (RFC 9470 §3), as parameters of an authorization request. */
  readonly authentication?: Readonly<Record<string, string>>;
  /** A refreshed token would say no more than the one before: the person is asked. */
  readonly needsPerson?: boolean;
}

export interface SignInPorts {
  /** Of the MCP server. */
  readonly url: URL;
  readonly fetch: FetchLike;
  readonly kept: KeptSignIns;
  readonly io: CommandIo;
  /** The id of a client that the authorization server knows; else one is registered. */
  readonly clientId?: string | undefined;
  readonly opensBrowser: boolean;
  /** The access token that the server did not take; undefined: there was none. */
  readonly refused: string | undefined;
}

/** The challenge of a 401 (RFC 6750 §3, RFC 9470 §3). */
export function challengeOf(response: Response): Challenge {
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  if (error !== "insufficient_user_authentication") return { resourceMetadataUrl, scope };
  const header = response.headers.get("www-authenticate") ?? "";
  const authentication = ["acr_values", "max_age"].flatMap((name) => {
    const [, value] = new RegExp(`\\b${name}="([^"\\\\]*)"`).exec(header) ?? [];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { resourceMetadataUrl, scope, authentication: Object.fromEntries(authentication), needsPerson: true };
}

/**
 * Gets another token and keeps it: by the refresh token where that is enough, else a person signs in (MCP 2026-07-28,
 * Authorization; RFC 8252).
 * @throws RefusedError when the authorization server or the person says no
 */
export async function signIn(challenge: Challenge, ports: SignInPorts): Promise<void> {
  const server = await authorizationServer(challenge, ports);
  const found = ports.kept.of(ports.url.href);
  const { clientId } = ports;
  const isUsable = found?.issuer === server.issuer && (clientId === undefined || found.client.client_id === clientId);
  const kept = isUsable ? found : undefined;
  const isRefreshed = kept !== undefined && !challenge.needsPerson && (await refreshed(server, ports));
  if (!isRefreshed) await signedInByPerson(kept, server, challenge, ports);
}

interface Server {
  readonly address: string;
  readonly issuer: string;
  readonly metadata: Awaited<ReturnType<typeof discoverOAuthServerInfo>>["authorizationServerMetadata"];
  /** Whom tokens are for (RFC 8707). */
  readonly resource: string | undefined;
  /** What is to be asked for. */
  readonly scope: string | undefined;
}

async function authorizationServer(challenge: Challenge, { url, fetch }: SignInPorts): Promise<Server> {
  const { resourceMetadataUrl } = challenge;
  const found = await discoverOAuthServerInfo(url, {
    fetchFn: fetch,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  });
  const { authorizationServerUrl: address, authorizationServerMetadata: metadata, resourceMetadata } = found;
  const resource = resourceMetadata?.resource;
  if (resource !== undefined && !checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
    throw new RefusedError(`${url.href} calls itself ${JSON.stringify(resource.slice(0, 200))}: use that as -url.`);
  const scope = challenge.scope || resourceMetadata?.scopes_supported?.join(" ");
  const isOffline = scope !== undefined && metadata?.scopes_supported?.includes("offline_access");
  return {
    ...{ address, metadata, resource, issuer: metadata?.issuer ?? address },
    scope: isOffline ? unionOf(scope, "offline_access") : scope,
  };
}

/**
 * False: the refresh token is no longer good, and the person has to come. One command at a time does it, and the others use what it got:
 * a refresh token that comes twice may be a thief's, and ends them all (RFC 9700 §4.14.2).
 */
function refreshed(server: Server, ports: SignInPorts): Promise<boolean> {
  return ports.kept.alone(async () => {
    const kept = ports.kept.of(ports.url.href);
    if (kept?.issuer !== server.issuer) return false;
    if (kept.accessToken !== ports.refused) return true;
    const { refreshToken, client } = kept;
    if (refreshToken === undefined) return false;
    try {
      const tokens = await refreshAuthorization(server.address, {
        ...asked(server, ports),
        clientInformation: client,
        refreshToken,
      });
      keep(tokens, kept, ports);
      return true;
    } catch (error) {
      if (error instanceof OAuthError) return false;
      throw error;
    }
  });
}

async function signedInByPerson(
  kept: KeptSignIn | undefined,
  server: Server,
  challenge: Challenge,
  ports: SignInPorts,
): Promise<void> {
  const callback = await openCallback(kept === undefined ? 0 : Number(new URL(kept.redirectURL).port));
  try {
    const client = await clientAt(server, callback, kept, ports);
    const scope = unionOf(challenge.needsPerson ? kept?.scope : undefined, server.scope);
    const state = randomBytes(24).toString("base64url");
    const { authorizationUrl, codeVerifier } = await startAuthorization(server.address, {
      ...asked(server, ports),
      ...{ clientInformation: client, redirectUrl: callback.url, state },
      ...(scope !== undefined && { scope }),
    });
    for (const [name, value] of Object.entries(challenge.authentication ?? {}))
      authorizationUrl.searchParams.set(name, value);
    const brought = callback.broughtBack(state);
    sendPerson(authorizationUrl, ports);
    const answer = codeIn(await inTime(brought), server);
    const tokens = await exchangeAuthorization(server.address, {
      ...asked(server, ports),
      ...{ clientInformation: client, ...answer, codeVerifier, redirectUri: callback.url },
    });
    keep(
      tokens,
      { issuer: server.issuer, client, redirectURL: callback.url, accessToken: "", ...(scope && { scope }) },
      ports,
    );
  } finally {
    callback.close();
  }
}

/** The client of the last time, if its page is at the same address again; else a new one (RFC 7591). */
async function clientAt(
  server: Server,
  { url }: Callback,
  kept: KeptSignIn | undefined,
  { clientId, fetch }: SignInPorts,
): Promise<KeptSignIn["client"]> {
  if (clientId !== undefined) return { client_id: clientId };
  if (kept?.redirectURL === url) return kept.client;
  const { issuer, metadata } = server;
  if (metadata?.registration_endpoint === undefined)
    throw new RefusedError(`${issuer} registers no clients by itself: name one that it knows with -client ID.`);
  const { client_id, client_secret } = await registerClient(server.address, {
    metadata,
    fetchFn: fetch,
    clientMetadata: {
      client_name: "countersign",
      redirect_uris: [url],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    ...(server.scope !== undefined && { scope: server.scope }),
  });
  return { client_id, ...(client_secret !== undefined && { client_secret }) };
}

/** What every request to the authorization server has. */
function asked({ metadata, resource }: Server, { fetch }: SignInPorts) {
  return { ...(metadata && { metadata }), ...(resource !== undefined && { resource }), fetchFn: fetch };
}

function sendPerson(page: URL, { io, opensBrowser }: SignInPorts): void {
  // The address comes from the server: nothing but a page is opened.
  if (!/^https?:$/.test(page.protocol))
    throw new RefusedError(`The server names no page to sign in at: ${page.protocol}`);
  io.stderr(`Sign in in the browser, at\n${page.href}\n`);
  if (opensBrowser) openBrowser(page, io.environment);
}

/** Nobody may be there to sign in, as where a program started the command. */
async function inTime<T>(brought: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new RefusedError("Nobody signed in within ten minutes.")), PATIENCE);
  return Promise.race([brought, promise]).finally(() => clearTimeout(timer));
}

/** Milliseconds for a person to sign in. */
const PATIENCE = 600_000;

/** @throws where the answer is another server's (RFC 9207 §2.4), of whose words nothing is shown, or says no */
function codeIn(brought: URLSearchParams, { metadata, issuer }: Server) {
  const iss = brought.get("iss") ?? undefined;
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const authorizationCode = brought.get("code");
  if (authorizationCode !== null) return { authorizationCode, ...(iss !== undefined && { iss }) };
  throw new OAuthError(brought.get("error") ?? "no code", brought.get("error_description") ?? "");
}

function keep(tokens: OAuthTokens, before: KeptSignIn, { url, kept }: SignInPorts): void {
  const { access_token: accessToken, refresh_token: refreshToken = before.refreshToken, scope = before.scope } = tokens;
  const { issuer, client, redirectURL } = before;
  kept.keep(url.href, {
    ...{ issuer, client, redirectURL, accessToken },
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scope !== undefined && { scope }),
  });
}

function unionOf(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((scope) => scope !== ""));
  return all.size === 0 ? undefined : [...all].join(" ");
}
