import { OAuthError } from "../../protocol/oauth/errors.ts";
import { isLoopbackRedirect, isPrivateUseRedirect } from "../../protocol/oauth/redirect-url.ts";
import type { BrowserSessionRecord, ConnectorSignIn } from "../../stores/directory.ts";
import type { ConsentRecord } from "../../stores/grants.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { Authorizing } from "./interaction.ts";

/** A session of a person who signed in through a connector. */
export type ConnectorSession = BrowserSessionRecord & { readonly signIn: ConnectorSignIn };

export interface Situation extends Authorizing {
  readonly client: OAuthClient;
  /** Through a connector of this client's. */
  readonly session: ConnectorSession | undefined;
  /** What the session's person allowed this client before. */
  readonly consent: ConsentRecord | undefined;
  readonly now: number;
}

export type Step = "consent" | "sign_in" | "complete";

/**
 * The next step. For a dynamic client the consent comes before the connector: no client that anybody can register may lead
 * people through their sign-in unseen. For an app of the configuration the consent comes after the connector.
 *
 * @throws {OAuthError} `consent_required` where nothing may be shown (`prompt=none`)
 */
export function nextStep(situation: Situation): Step {
  const { client, request, session, isSignedIn, now } = situation;
  const isKnown = session !== undefined && (isSignedIn || suffices(session.signIn, request, now));
  const isConsentDue = needsConsent(situation);
  if (isConsentDue && (isKnown || client.kind !== "app")) {
    if (!request.prompt.includes("none")) return "consent";
    throw new OAuthError("consent_required", { description: "the person has not allowed this before" });
  }
  return isKnown ? "complete" : "sign_in";
}

/** Whether an earlier sign-in meets the request's conditions (OpenID Connect Core 1.0 §3.1.2.1, RFC 9470 §4). */
function suffices(signIn: ConnectorSignIn, { prompt, maxAge, acrValues }: AuthorizationRequest, now: number): boolean {
  if (prompt.includes("login") || prompt.includes("select_account")) return false;
  const { authenticatedAt = Number.NEGATIVE_INFINITY } = signIn;
  if (maxAge !== undefined && now - authenticatedAt >= maxAge * 1000) return false;
  return meetsAcr(signIn, acrValues);
}

export function meetsAcr({ acr }: Pick<ConnectorSignIn, "acr">, acrValues: readonly string[]): boolean {
  return acrValues.length === 0 || (acr !== undefined && acrValues.includes(acr));
}

function needsConsent({ client, request, consent, isConsented }: Situation): boolean {
  if (isConsented) return false;
  if (request.prompt.includes("consent")) return true;
  if (client.kind !== "app") return isAnybodys(request.redirectURL) || !covers(consent, request);
  return client.consent === "always" || (client.consent === "once" && !covers(consent, request));
}

/** Any program on the machine may receive this redirect, whatever the client claims to be (RFC 8252 §8.6). */
function isAnybodys(redirectURL: string): boolean {
  return isLoopbackRedirect(redirectURL) || isPrivateUseRedirect(redirectURL);
}

/** Whether an earlier consent covers a request. */
export function covers(consent: ConsentRecord | undefined, { scopes, resources }: AuthorizationRequest): boolean {
  return (
    consent !== undefined &&
    scopes.every((scope) => consent.scopes.includes(scope)) &&
    resources.every((resource) => consent.resources.includes(resource))
  );
}
