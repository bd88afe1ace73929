import {
  AuthorizationResponseError,
  JWT_TIMESTAMP_CHECK,
  OperationProcessingError,
  RESPONSE_IS_NOT_CONFORM,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import { reasonOf } from "../../health/report.ts";

/**
 * Why a connector brought nobody.
 * - `answered`: it said so itself, by an error code.
 * - `clocks`: an ID token that was not valid now.
 * - `invalid`: what it sent does not stand up to the checks, or is more than fits.
 * - `unavailable`: it does not answer, or not as it should.
 */
export type SignInFailure = "answered" | "clocks" | "invalid" | "unavailable";

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

/**
 * What an error of the library or of the connection means. Causes of the library's errors repeat tokens and claims, so only
 * its own words are taken.
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
