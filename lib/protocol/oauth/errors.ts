/**
 * Error codes that we answer with: RFC 6749 §4.1.2.1 and §5.2, RFC 8707 §2, RFC 7591 §3.2.2, RFC 6750 §3.1, OpenID
 * Connect Core 1.0 §3.1.2.6.
 */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied"
  | "server_error"
  | "temporarily_unavailable"
  | "login_required"
  | "consent_required"
  | "interaction_required"
  | "account_selection_required"
  | "unmet_authentication_requirements"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "invalid_token"
  | "insufficient_scope";

export type OAuthErrorStatus = 400 | 401 | 403 | 413 | 429 | 503;

export interface OAuthErrorOptions {
  /** Goes to the caller as `error_description`; verbatim from the specification where it lists one (D7). */
  readonly description?: string;
  /** 400 unless stated (RFC 6749 §5.2, D7). */
  readonly status?: OAuthErrorStatus;
  /** Value of `WWW-Authenticate` on a 401. */
  readonly challenge?: string;
  /** The caller is told nothing but the challenge: it showed no credentials (RFC 6750 §3.1). */
  readonly isChallengeOnly?: boolean;
  /** Seconds, for `Retry-After` on a 429 or 503. */
  readonly retryAfter?: number;
  /** For the log only. */
  readonly detail?: string;
}

/** A refusal by an OAuth endpoint: code and description are public, `detail` is for the log. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly description: string | undefined;
  readonly status: OAuthErrorStatus;
  readonly challenge: string | undefined;
  readonly isChallengeOnly: boolean;
  readonly retryAfter: number | undefined;
  readonly detail: string | undefined;
  constructor(code: OAuthErrorCode, options: OAuthErrorOptions = {}) {
    super(options.detail ?? options.description ?? code);
    this.name = "OAuthError";
    this.code = code;
    this.description = options.description;
    this.status = options.status ?? 400;
    this.challenge = options.challenge;
    this.isChallengeOnly = options.isChallengeOnly ?? false;
    this.retryAfter = options.retryAfter;
    this.detail = options.detail;
  }
}

/** The JSON body of RFC 6749 §5.2; without members where no error is told. */
export function oauthErrorBody(error: OAuthError): Readonly<Record<string, string>> {
  if (error.isChallengeOnly) return {};
  return { error: error.code, ...(error.description !== undefined && { error_description: error.description }) };
}
