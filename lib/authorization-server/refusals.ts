import { OAuthError } from "../protocol/oauth/errors.ts";
import type { TokenRefusal } from "../stores/tokens.ts";
import type { ClientRequest } from "./client-request.ts";
import type { ClientGrantType, OAuthClient } from "./clients/client.ts";

/** The descriptions of `invalid_client` that leave the process; the first three are the specification's (D7). */
export type ClientRefusal =
  | "invalid client"
  | "invalid JWT signature"
  | "failed to parse JWT"
  | "invalid JWT audience"
  | "expired JWT"
  | "invalid JWT claims"
  | "replayed JWT";

/** A refused client assertion: 400 `invalid_client` (D7). `detail` goes to the log. */
export function invalidClient(description: ClientRefusal, detail?: string): OAuthError {
  return new OAuthError("invalid_client", { description, ...(detail !== undefined && { detail }) });
}

/** The store refused what a cached read let pass. The client gets the text of the check that the cached read passed (D8). */
export function refusedByStore({ reason }: TokenRefusal): OAuthError {
  const detail =
    reason === "stopped" ? "the client, its key pair or its organization is stopped" : "refused by the store";
  return invalidClient(REFUSALS[reason], detail);
}

const REFUSALS: Readonly<Record<TokenRefusal["reason"], ClientRefusal>> = {
  client_deleted: "invalid client",
  key_revoked: "invalid JWT signature",
  stopped: "invalid client",
  assertion_used: "replayed JWT",
};

/** A parameter is missing, empty or malformed: 400 `invalid_request` without description (D7). */
export function invalidRequest(detail: string): OAuthError {
  return new OAuthError("invalid_request", { detail });
}

/** @throws {OAuthError} `invalid_request` when a parameter is missing or empty */
export function requireParameters(names: readonly string[], { form }: Pick<ClientRequest, "form">): void {
  const missing = names.filter((name) => !form.has(name));
  if (missing.length > 0) throw invalidRequest(`missing: ${missing.join(", ")}`);
}

/** Client authentication by secret failed or is missing: 401, which needs a challenge (RFC 6749 §5.2, RFC 9110 §15.5.2). */
export function clientUnauthenticated(detail: string): OAuthError {
  return new OAuthError("invalid_client", {
    status: 401,
    description: NOT_ITS_AUTHENTICATION,
    challenge: 'Basic realm="countersign", charset="UTF-8"',
    detail,
  });
}

/** The same for what stands in the form: 400 (D7). */
export function clientNotAuthenticated(detail: string): OAuthError {
  return new OAuthError("invalid_client", { description: NOT_ITS_AUTHENTICATION, detail });
}

/** More than one form of client authentication (RFC 6749 §2.3), or none: 400 `invalid_request`, with what is accepted (D177). */
export function ambiguousAuthentication(detail: string): OAuthError {
  return new OAuthError("invalid_request", { description: `authenticate in one way; ${AUTHENTICATIONS}`, detail });
}

const AUTHENTICATIONS =
  "accepted, as the client is registered: its secret by HTTP Basic or as client_secret in the form, a client_assertion signed by its key, or client_id alone for a public client";
/** One text for every reason: it must not tell which clients exist and how they authenticate. */
const NOT_ITS_AUTHENTICATION = `the client is unknown, or this is not its authentication; ${AUTHENTICATIONS}`;

/**
 * The code or refresh token is not accepted (RFC 6749 §5.2). One text covers every reason, because it must not help someone
 * who tries values. `detail` goes to the log.
 */
export function invalidGrant(what: keyof typeof DESCRIPTIONS, detail: string): OAuthError {
  return new OAuthError("invalid_grant", { description: DESCRIPTIONS[what], detail });
}

const DESCRIPTIONS = {
  code: "the code is unknown, expired or used, or client, redirect_uri or code_verifier are not those it was issued for",
  "refresh token": "the refresh token is unknown, expired, revoked or used, or was issued to another client",
} as const;

/** The client authenticated, and may not do this (RFC 6749 §5.2). */
export function unauthorizedClient(description: string): OAuthError {
  return new OAuthError("unauthorized_client", { description });
}

/** @throws {OAuthError} `unauthorized_client` */
export function requireGrantType(grantType: ClientGrantType, { grantTypes }: Pick<OAuthClient, "grantTypes">): void {
  if (grantTypes.includes(grantType)) return;
  throw unauthorizedClient(`the client is not registered for ${grantType}`);
}

/** The subject token or the actor token cannot be exchanged. RFC 8693 §2.2.2 demands `invalid_request`. */
export function unacceptableToken(
  which: "subject_token" | "actor_token",
  why: TokenProblem,
  detail?: string,
): OAuthError {
  return invalidExchange(`the ${which} ${why}`, detail);
}

/** One text covers every reason why a token is not active. It must not tell which tokens exist. */
type TokenProblem =
  | "is not active, or not meant for this client"
  | "is not of the type that is given"
  | "names an actor and cannot be an actor itself";

/** A refused exchange. The caller authenticated, so the description says what to change. */
export function invalidExchange(description: string, detail?: string): OAuthError {
  return new OAuthError("invalid_request", { description, ...(detail !== undefined && { detail }) });
}
