import type { ConnectorSignInError } from "../../connectors/sign-in/sign-in-error.ts";
import { PageError } from "../../pages/page-error.ts";
import { OAuthError, type OAuthErrorCode } from "../errors.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** Codes of a connector that mean the same to the client. */
const PASSED_ON: readonly string[] = [
  ...["access_denied", "login_required", "interaction_required", "consent_required"],
  ...["account_selection_required", "unmet_authentication_requirements"],
];

/**
 * What the client is told when a connector brought nobody: what the connector said that means the same here, and with
 * `prompt=none` whatever it is.
 *
 * @throws {PageError} everything else is for the person, who can try again or ask somebody
 */
export function failedSignIn(error: ConnectorSignInError, { prompt }: AuthorizationRequest): OAuthError {
  const { failure, code } = error;
  if (code !== undefined && PASSED_ON.includes(code)) {
    return new OAuthError(code as OAuthErrorCode, { description: "the identity provider said so" });
  }
  if (prompt.includes("none")) {
    const isTemporary = failure === "unavailable";
    return new OAuthError(isTemporary ? "temporarily_unavailable" : "server_error", {
      description: "signing in at the identity provider failed",
    });
  }
  const { title, message, status } = PAGES[failure];
  throw new PageError(title, message, {
    status,
    advice:
      "Go back to the application and try again. If it stays so, tell whoever runs this service, with the request number below.",
  });
}

/** 400 where the fault may be the browser's as well: whoever has begun a sign-in can come back with anything. */
const PAGES = {
  answered: {
    title: "Signing in failed",
    message: "The identity provider did not sign you in.",
    status: 400,
  },
  clocks: {
    title: "Signing in failed",
    message:
      "What the identity provider sent is not valid at this time: its clock and ours differ by more than a minute, or the sign-in there is older than the application accepts.",
    status: 400,
  },
  invalid: {
    title: "Signing in failed",
    message: "What the identity provider sent could not be verified.",
    status: 400,
  },
  unavailable: {
    title: "The identity provider does not answer",
    message: "You came back from the identity provider, but it could not be asked who you are.",
    status: 503,
  },
} as const;
