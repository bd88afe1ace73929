import {
  getValidatedIdTokenClaims,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  validateApplicationLevelSignature,
} from "oauth4webapi";
import type { JsonObject } from "../kernel/json.ts";
import type { ConnectorSignIn } from "../stores/directory.ts";
import { completeClaims, type KeptClaims, pick, promisesClaims, requireOurs, signInError } from "./complete-sign-in.ts";
import type { Connector } from "./connectors.ts";
import type { ConnectorMetadata } from "./metadata.ts";
import type { ConnectorPorts } from "./ports.ts";
import { authorizationServer, clientOf, connectorClientAuthentication, requestOptions } from "./provider-requests.ts";

/** A sign-in whose claims are to be renewed. */
export interface ClaimsRequest {
  readonly signIn: ConnectorSignIn;
  readonly refreshToken: string;
  readonly claims: KeptClaims;
}

/** What the connector said. A `reason` is for the log, and holds nothing that it sent but codes. */
export type ClaimsAnswer =
  | {
      readonly kind: "renewed";
      /** With the claims as they are now; everything else as the person proved it. */
      readonly signIn: ConnectorSignIn;
      /** To be used next: the former one, unless there is another. */
      readonly refreshToken: string;
    }
  /** The person's access there ended, or the answer is about somebody else, or cannot be verified. */
  | { readonly kind: "refused"; readonly reason: string }
  /** It did not answer, or not now: the token is still good, as far as anybody knows. */
  | { readonly kind: "unavailable"; readonly reason: string };

/**
 * Asks a connector for the claims of a person who signed in there before (OpenID Connect Core 1.0 §12): by a refresh token, from
 * the new ID token and userinfo. Where the connector sends no ID token, userinfo alone tells; where that has nothing to tell
 * either, the claims stay. Never rejects for what the connector does.
 */
export async function renewClaims(
  connector: Connector,
  metadata: ConnectorMetadata,
  request: ClaimsRequest,
  dependencies: Pick<ConnectorPorts, "clock" | "outbound">,
): Promise<ClaimsAnswer> {
  try {
    const { claims, refreshToken } = await refreshed(connector, metadata, request, dependencies);
    if (claims === "another person") return { kind: "refused", reason: "the ID token is about another person" };
    const signIn = { ...request.signIn, claims: pick(claims, request.claims) };
    return { kind: "renewed", signIn, refreshToken: refreshToken ?? request.refreshToken };
  } catch (error) {
    const { failure, message: reason } = signInError(error);
    const isRefused = failure === "invalid" || (error instanceof ResponseBodyError && REFUSALS.has(error.error));
    return { kind: isRefused ? "refused" : "unavailable", reason };
  }
}

/** RFC 6749 §5.2, and what providers answer in its place where the person has to be there (OpenID Connect Core 1.0 §3.1.2.6). */
const REFUSALS: ReadonlySet<string> = new Set([
  ...["invalid_grant", "interaction_required", "login_required", "consent_required", "access_denied"],
]);

interface Refreshed {
  readonly claims: JsonObject | "another person";
  readonly refreshToken: string | undefined;
}

async function refreshed(
  connector: Connector,
  metadata: ConnectorMetadata,
  { signIn, refreshToken, claims: names }: ClaimsRequest,
  dependencies: Pick<ConnectorPorts, "clock" | "outbound">,
): Promise<Refreshed> {
  const server = authorizationServer(metadata);
  const client = clientOf(connector, dependencies);
  const options = requestOptions(connector, dependencies);
  const authentication = await connectorClientAuthentication(connector.settings);
  const answer = await refreshTokenGrantRequest(server, client, authentication, refreshToken, options);
  const tokens = await processRefreshTokenResponse(server, client, answer);
  const { access_token: accessToken, refresh_token: next } = tokens;
  const idToken = getValidatedIdTokenClaims(tokens);
  if (idToken !== undefined) {
    await validateApplicationLevelSignature(server, answer, options);
    requireOurs(idToken, client);
    if (idToken.sub !== signIn.subject) return { claims: "another person", refreshToken: next };
  }
  const hasUserinfo = metadata.userinfoEndpoint !== undefined && connector.settings.scopes.some(promisesClaims);
  if (idToken === undefined && !hasUserinfo) return { claims: signIn.claims, refreshToken: next };
  const told = { idToken: idToken ?? { sub: signIn.subject }, accessToken, names };
  return { claims: await completeClaims(connector, metadata, told, dependencies), refreshToken: next };
}
