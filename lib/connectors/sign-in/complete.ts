import {
  authorizationCodeGrantRequest,
  getValidatedIdTokenClaims,
  type IDToken,
  nopkce,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from "oauth4webapi";
import type { Dependencies } from "../../dependencies.ts";
import type { JsonObject } from "../../json.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import { connectorClientAuthentication } from "../client-authentication.ts";
import type { Connector } from "../connectors.ts";
import type { ConnectorMetadata } from "../metadata.ts";
import type { SignInSecrets } from "./begin.ts";
import { authorizationServer, clientOf, requestOptions } from "./server.ts";
import { ConnectorSignInError, signInError } from "./sign-in-error.ts";

/** What a connector sent a person back with, and what it is held against. */
export interface SignInResponse extends SignInSecrets {
  readonly parameters: URLSearchParams;
  readonly state: string;
  /** As the request to the connector had it. */
  readonly redirectURL: string;
  /** Seconds; the sign-in may be no older. */
  readonly maxAge?: number;
  /** Milliseconds since the epoch; where the person had to sign in anew, no earlier than this. */
  readonly notBefore?: number;
  /** Names of claims that are kept. */
  readonly claims: readonly string[];
}

/**
 * Learns who signed in: checks the response, redeems its code and validates the ID token (OpenID Connect Core 1.0
 * §3.1.3.7: signature by the connector's published keys, issuer, audience, authorized party, times, nonce), then asks
 * userinfo for what the token lacks. The connector's tokens are not kept.
 *
 * @throws {ConnectorSignInError}
 */
export async function completeSignIn(
  connector: Connector,
  metadata: ConnectorMetadata,
  response: SignInResponse,
  dependencies: Pick<Dependencies, "clock" | "outbound">,
): Promise<ConnectorSignIn> {
  try {
    const { idToken, accessToken } = await redeem(connector, metadata, response, dependencies);
    requireRecent(idToken, response);
    const claims = await completeClaims(
      connector,
      metadata,
      { idToken, accessToken, names: response.claims },
      dependencies,
    );
    return signInOf(connector, idToken, pick(claims, response.claims), dependencies.clock.now());
  } catch (error) {
    throw signInError(error);
  }
}

interface Tokens {
  readonly idToken: IDToken;
  readonly accessToken: string;
}

async function redeem(
  connector: Connector,
  metadata: ConnectorMetadata,
  { parameters, state, redirectURL, nonce, codeVerifier, maxAge }: SignInResponse,
  dependencies: Pick<Dependencies, "clock" | "outbound">,
): Promise<Tokens> {
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
  // The library looks at it only where the token names several audiences.
  if (idToken.azp !== undefined && idToken.azp !== client.client_id) {
    throw new ConnectorSignInError("invalid", "the ID token was issued to another party (azp)");
  }
  return { idToken, accessToken: tokens.access_token };
}

/** Whoever stands between can take `prompt=login` out of the request; a connector that tells the time shows it. */
function requireRecent({ auth_time }: IDToken, { notBefore }: SignInResponse): void {
  if (notBefore === undefined || auth_time === undefined) return;
  if (auth_time * 1000 < notBefore - TOLERANCE) {
    throw new ConnectorSignInError("invalid", "the person had to sign in anew and did not");
  }
}

/** OpenID Connect Core 1.0 §5.3: userinfo, which has to be about the same person. */
async function completeClaims(
  connector: Connector,
  metadata: ConnectorMetadata,
  { idToken, accessToken, names }: Tokens & { readonly names: readonly string[] },
  dependencies: Pick<Dependencies, "clock" | "outbound">,
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

/** Whether a scope promises more than the ID token tells. Scopes of a provider's own promise whatever is mapped. */
function lacks(idToken: IDToken, scope: string, names: readonly string[]): boolean {
  if (scope === "openid" || scope === "offline_access") return false;
  if (scope === "profile") return idToken.name === undefined;
  if (scope === "email") return idToken.email === undefined;
  return names.some((name) => idToken[name] === undefined);
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

/** The session keeps them, so they are few and not large. */
function pick(claims: JsonObject, names: readonly string[]): JsonObject {
  const kept = Object.fromEntries(
    names.filter((name) => Object.hasOwn(claims, name)).map((name) => [name, claims[name]]),
  );
  if (JSON.stringify(kept).length <= MAX_CLAIMS) return kept;
  throw new ConnectorSignInError("invalid", `the connector tells more than ${MAX_CLAIMS} characters about the person`);
}

const MAX_CLAIMS = 32 * 1024;
/** Milliseconds by which clocks may differ. */
const TOLERANCE = 60_000;
