import { present } from "../../config/assemble/present.ts";
import { type Form, requiredParameter } from "../form.ts";
import type { ExchangeRequest } from "./exchange-token.ts";
import { invalidExchange } from "./refusals.ts";

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
