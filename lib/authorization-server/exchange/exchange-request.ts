import { present } from "../../config/assemble/context.ts";
import { type Form, requiredParameter } from "../form.ts";
import { invalidExchange } from "../refusals.ts";

/** Token type identifiers (RFC 8693 §3). */
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
export const ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";

/** The parameters of RFC 8693 §2.1. Nothing is checked yet against the caller's registration. */
export interface ExchangeRequest {
  readonly subjectToken: string;
  readonly subjectTokenType: string;
  readonly actorToken?: string;
  readonly actorTokenType?: string;
  readonly audience?: string;
  readonly resource?: string;
  readonly scope?: string;
  readonly requestedTokenType?: string;
  /** Extension `requested_expires_in`: seconds; only shortens. */
  readonly requestedExpiresIn?: number;
  /** Extension `requested_mode`; impersonation needs the caller's permission and leaves no `act`. */
  readonly mode: "delegation" | "impersonation";
  readonly requestId: string;
}

/**
 * The parameters of RFC 8693 §2.1 and the extensions `requested_expires_in` and `requested_mode`.
 *
 * @throws {OAuthError} `invalid_request`
 */
export function exchangeRequest(form: Form, requestId: string): ExchangeRequest {
  if (form.has("actor_token") !== form.has("actor_token_type")) {
    throw invalidExchange("actor_token and actor_token_type go together");
  }
  return {
    subjectToken: requiredParameter(form, "subject_token"),
    subjectTokenType: requiredParameter(form, "subject_token_type"),
    ...present({
      actorToken: form.get("actor_token"),
      actorTokenType: form.get("actor_token_type"),
      audience: form.get("audience"),
      resource: form.get("resource"),
      scope: form.get("scope"),
      requestedTokenType: form.get("requested_token_type"),
      requestedExpiresIn: requestedSeconds(form.get("requested_expires_in")),
    }),
    mode: requestedMode(form.get("requested_mode")),
    requestId,
  };
}

function requestedMode(text: string | undefined): ExchangeRequest["mode"] {
  if (text === undefined || text === "delegation" || text === "impersonation") return text ?? "delegation";
  throw invalidExchange("requested_mode is neither delegation nor impersonation");
}

function requestedSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalidExchange("requested_expires_in is not a number of seconds");
  return Number(text);
}
