import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  type Client,
  getValidatedIdTokenClaims,
  type IDToken,
  JWT_TIMESTAMP_CHECK,
  nopkce,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  RESPONSE_IS_NOT_CONFORM,
  ResponseBodyError,
  UnsupportedOperationError,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { JsonObject } from "../kernel/json.ts";
import { reasonOf } from "../logging/fetch-report.ts";
import type { ConnectorSignIn } from "../stores/directory.ts";
import type { SignInSecrets } from "./begin-sign-in.ts";
import type { Connector } from "./connectors.ts";
import type { ConnectorMetadata } from "./metadata.ts";
import type { ConnectorPorts } from "./ports.ts";
import { authorizationServer, clientOf, connectorClientAuthentication, requestOptions } from "./provider-requests.ts";

/** The answer of a connector, and the values of our request that it must match. */
export interface SignInResponse extends SignInSecrets {
  readonly parameters: URLSearchParams;
  readonly state: string;
  /** As the request to the connector had it. */
  readonly redirectURL: string;
  /** Seconds; the sign-in may be no older. */
  readonly maxAge?: number;
  /** Milliseconds since the epoch; where the person had to sign in anew, no earlier than this. */
  readonly notBefore?: number;
  readonly claims: KeptClaims;
}

/** Who signed in at a connector. */
export interface CompletedSignIn {
  readonly signIn: ConnectorSignIn;
  /** Absent where the connector gave none. */
  readonly refreshToken?: string;
}

/** Names of claims that are kept; `all` but those about the token and the sign-in, which have members of their own. */
export type KeptClaims = readonly string[] | "all";

/**
 * Finds out who signed in. It checks the response, redeems its code and validates the ID token (OpenID Connect Core 1.0
 * §3.1.3.7: signature by the connector's published keys, issuer, audience, authorized party, times, nonce). Claims that the
 * token lacks come from userinfo.
 *
 * @throws {ConnectorSignInError}
 */
export async function completeSignIn(
  connector: Connector,
  metadata: ConnectorMetadata,
  response: SignInResponse,
  dependencies: Pick<ConnectorPorts, "clock" | "outbound">,
): Promise<CompletedSignIn> {
  try {
    const { idToken, accessToken, refreshToken } = await redeem(connector, metadata, response, dependencies);
    requireRecent(idToken, response);
    const claims = await completeClaims(
      connector,
      metadata,
      { idToken, accessToken, names: response.claims },
      dependencies,
    );
    const signIn = signInOf(connector, idToken, pick(claims, response.claims), dependencies.clock.now());
    return { signIn, ...(refreshToken !== undefined && { refreshToken }) };
  } catch (error) {
    throw signInError(error);
  }
}

/**
 * Why a sign-in at a connector failed.
 * - `answered`: the connector answered with an error code.
 * - `clocks`: the ID token was not valid at this time.
 * - `invalid`: the answer failed a check, or was too large.
 * - `unavailable`: the connector did not answer, or not correctly.
 */
type SignInFailure = "answered" | "clocks" | "invalid" | "unavailable";

/** A sign-in at a connector that failed. The message is for the log, and holds nothing that the connector sent but codes. */
export class ConnectorSignInError extends Error {
  readonly failure: SignInFailure;
  /** With `answered`: the code (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6). */
  readonly code: string | undefined;
  constructor(failure: SignInFailure, message: string, code?: string) {
    super(message);
    this.name = "ConnectorSignInError";
    this.failure = failure;
    this.code = code;
  }
}

interface Tokens {
  /** Of somebody whom the connector's token endpoint named without one: their subject alone. */
  readonly idToken: Pick<IDToken, "sub"> & Partial<IDToken>;
  readonly accessToken: string;
}

async function redeem(
  connector: Connector,
  metadata: ConnectorMetadata,
  { parameters, state, redirectURL, nonce, codeVerifier, maxAge }: SignInResponse,
  dependencies: Pick<ConnectorPorts, "clock" | "outbound">,
): Promise<{ readonly idToken: IDToken; readonly accessToken: string; readonly refreshToken: string | undefined }> {
  const server = authorizationServer(metadata);
  const client = clientOf(connector, dependencies);
  const options = requestOptions(connector, dependencies);
  const answer = await authorizationCodeGrantRequest(
    server,
    client,
    await connectorClientAuthentication(connector.settings),
    validateAuthResponse(server, client, parameters, state),
    redirectURL,
    codeVerifier ?? nopkce,
    options,
  );
  const tokens = await processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: nonce,
    requireIdToken: true,
    ...(maxAge !== undefined && { maxAge }),
  });
  await validateApplicationLevelSignature(server, answer, options);
  const idToken = getValidatedIdTokenClaims(tokens);
  if (idToken === undefined) throw new ConnectorSignInError("invalid", "the connector sent no ID token");
  requireOurs(idToken, client);
  return { idToken, accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
}

/** The library looks at `azp` only where the token names several audiences. @throws {ConnectorSignInError} */
export function requireOurs({ azp }: Pick<IDToken, "azp">, { client_id }: Client): void {
  if (azp === undefined || azp === client_id) return;
  throw new ConnectorSignInError("invalid", "the ID token was issued to another party (azp)");
}

/** Somebody in between can remove `prompt=login` from the request. The `auth_time` of the ID token reveals that. */
function requireRecent({ auth_time }: IDToken, { notBefore }: SignInResponse): void {
  if (notBefore === undefined || auth_time === undefined) return;
  if (auth_time * 1000 < notBefore - TOLERANCE) {
    throw new ConnectorSignInError("invalid", "the person had to sign in anew and did not");
  }
}

/** OpenID Connect Core 1.0 §5.3: userinfo, which has to be about the same person. */
export async function completeClaims(
  connector: Connector,
  metadata: ConnectorMetadata,
  { idToken, accessToken, names }: Tokens & { readonly names: KeptClaims },
  dependencies: Pick<ConnectorPorts, "clock" | "outbound">,
): Promise<JsonObject> {
  const isComplete = !connector.settings.scopes.some((scope) => lacks(idToken, scope, names));
  if (metadata.userinfoEndpoint === undefined || isComplete) return idToken;
  const server = authorizationServer(metadata);
  const client = clientOf(connector, dependencies);
  const options = requestOptions(connector, dependencies);
  const answer = await userInfoRequest(server, client, accessToken, options);
  const userinfo = await processUserInfoResponse(server, client, idToken.sub, answer);
  if (answer.headers.get("content-type")?.startsWith("application/jwt")) {
    await validateApplicationLevelSignature(server, answer, options);
  }
  return { ...userinfo, ...idToken };
}

/** Whether a scope promises claims that the ID token lacks. A provider's own scopes may bring any mapped claim. */
function lacks(idToken: Tokens["idToken"], scope: string, names: KeptClaims): boolean {
  if (!promisesClaims(scope)) return false;
  if (names === "all") return true;
  if (scope === "profile") return idToken.name === undefined;
  if (scope === "email") return idToken.email === undefined;
  return names.some((name) => idToken[name] === undefined);
}

/** Whether a scope is about claims at all. */
export function promisesClaims(scope: string): boolean {
  return scope !== "openid" && scope !== "offline_access";
}

function signInOf(
  { settings }: Connector,
  { iss, sub, auth_time, acr, amr, sid }: IDToken,
  claims: JsonObject,
  now: number,
): ConnectorSignIn {
  return {
    connector: settings.name,
    issuer: iss,
    subject: sub,
    claims,
    ...(auth_time !== undefined && { authenticatedAt: Math.min(auth_time * 1000, now) }),
    ...(typeof acr === "string" && { acr }),
    ...(Array.isArray(amr) && { amr: amr.filter((method): method is string => typeof method === "string") }),
    ...(typeof sid === "string" && { sessionId: sid }),
  };
}

/** What is kept of the claims of a connector. */
export function keptClaims(claims: JsonObject, names: KeptClaims): JsonObject {
  const isKept = (name: string) => (names === "all" ? !OF_THE_TOKEN.has(name) : names.includes(name));
  return Object.fromEntries(Object.entries(claims).filter(([name]) => isKept(name)));
}

/** The session stores these claims, so their number and size are limited. */
export function pick(claims: JsonObject, names: KeptClaims): JsonObject {
  const kept = keptClaims(claims, names);
  if (JSON.stringify(kept).length <= MAX_CLAIMS) return kept;
  throw new ConnectorSignInError("invalid", `the connector tells more than ${MAX_CLAIMS} characters about the person`);
}

const MAX_CLAIMS = 32 * 1024;
/** OpenID Connect Core 1.0 §2, §3.1.3.6 and §3.3.2.11; RFC 7519 §4.1; RFC 7800; what is known of the sign-in is kept beside the claims. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "azp", "nonce", "cnf"],
  ...["auth_time", "acr", "amr", "sid", "at_hash", "c_hash", "s_hash"],
]);
/** Milliseconds by which clocks may differ. */
const TOLERANCE = 60_000;

/**
 * Maps an error of the library or of the connection. The causes of the library's errors repeat tokens and claims, so only
 * its own message is used.
 */
export function signInError(error: unknown): ConnectorSignInError {
  if (error instanceof ConnectorSignInError) return error;
  if (error instanceof AuthorizationResponseError) {
    const code = safeCode(error.error);
    return new ConnectorSignInError("answered", `the connector answered ${code}`, code);
  }
  if (error instanceof ResponseBodyError) {
    return new ConnectorSignInError("unavailable", `the connector answered ${error.status} ${safeCode(error.error)}`);
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new ConnectorSignInError("unavailable", `the connector answered ${error.status} with a challenge`);
  }
  if (error instanceof OperationProcessingError) {
    return new ConnectorSignInError(FAILURES[error.code ?? ""] ?? "invalid", error.message);
  }
  if (error instanceof UnsupportedOperationError) return new ConnectorSignInError("invalid", error.message);
  return new ConnectorSignInError("unavailable", reasonOf(error));
}

const FAILURES: Readonly<Record<string, SignInFailure>> = {
  [JWT_TIMESTAMP_CHECK]: "clocks",
  // Another status than the protocol's.
  [RESPONSE_IS_NOT_CONFORM]: "unavailable",
};

function safeCode(code: string): string {
  return /^[\w.-]{1,64}$/.test(code) ? code : "an error without a proper code";
}
