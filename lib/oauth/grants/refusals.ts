import type { ClientGrantType, OAuthClient } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";

/**
 * A code or refresh token that brings nothing (RFC 6749 §5.2). One text for all reasons, so that whoever tries values learns
 * nothing of them; `detail` is for the log.
 */
export function invalidGrant(what: keyof typeof DESCRIPTIONS, detail: string): OAuthError {
  return new OAuthError("invalid_grant", { description: DESCRIPTIONS[what], detail });
}

const DESCRIPTIONS = {
  code: "the code is unknown, expired or used, or client, redirect_uri or code_verifier are not those it was issued for",
  "refresh token": "the refresh token is unknown, expired, revoked or used, or was issued to another client",
} as const;

/** The client is who it says, and the grant is none of its own (RFC 6749 §5.2). */
export function unauthorizedGrant(description: string): OAuthError {
  return new OAuthError("unauthorized_client", { description });
}

/** @throws {OAuthError} `unauthorized_client` */
export function requireGrantType(grantType: ClientGrantType, { grantTypes }: Pick<OAuthClient, "grantTypes">): void {
  if (grantTypes.includes(grantType)) return;
  throw unauthorizedGrant(`the client is not registered for ${grantType}`);
}
