import type { TokenRefusal } from "../stores/tokens.ts";
import { OAuthError } from "./errors.ts";

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

/** The store's refusal in the words of the check that a cached read let pass (D8). */
export function refusedByStore({ reason }: TokenRefusal): OAuthError {
  return invalidClient(REFUSALS[reason], "refused by the store");
}

const REFUSALS: Readonly<Record<TokenRefusal["reason"], ClientRefusal>> = {
  client_deleted: "invalid client",
  key_revoked: "invalid JWT signature",
  assertion_used: "replayed JWT",
};

/** A parameter is missing, empty or malformed: 400 `invalid_request` without description (D7). */
export function invalidRequest(detail: string): OAuthError {
  return new OAuthError("invalid_request", { detail });
}

/** Client authentication by secret failed or is missing: 401, which needs a challenge (RFC 6749 §5.2, RFC 9110 §15.5.2). */
export function clientUnauthenticated(detail: string): OAuthError {
  return new OAuthError("invalid_client", {
    status: 401,
    challenge: 'Basic realm="countersign", charset="UTF-8"',
    detail,
  });
}
