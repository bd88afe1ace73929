import { OAuthError } from "../errors.ts";

/** A subject or actor token that is not good for the exchange: RFC 8693 §2.2.2 has `invalid_request` for it. */
export function unacceptableToken(
  which: "subject_token" | "actor_token",
  why: TokenProblem,
  detail?: string,
): OAuthError {
  return invalidExchange(`the ${which} ${why}`, detail);
}

/** One text for all that keeps a token from being active, so that it does not tell which tokens exist. */
export type TokenProblem =
  | "is not active, or not meant for this client"
  | "is not of the type that is given"
  | "names an actor and cannot be an actor itself";

/** The caller authenticated, so it is told what to change. */
export function invalidExchange(description: string, detail?: string): OAuthError {
  return new OAuthError("invalid_request", { description, ...(detail !== undefined && { detail }) });
}

export function unauthorizedExchange(description: string): OAuthError {
  return new OAuthError("unauthorized_client", { description });
}
