import type { OidcProviderConfiguration } from "../../config/configuration.ts";
import type { OAuthClient } from "../clients/client.ts";
import { OAuthError, type OAuthErrorCode } from "../errors.ts";
import type { Form } from "../form.ts";
import { type AuthorizationRequest, PROMPTS, type Prompt } from "./authorization-request.ts";
import type { AuthorizationParameters } from "./parameters.ts";
import { requestedScopes } from "./requested-scopes.ts";
import type { ResponseTarget } from "./target.ts";

/**
 * Checks an authorization request for the code flow with PKCE (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2, OpenID
 * Connect Core 1.0 §3.1.2.1). Parameters that mean nothing here are ignored.
 *
 * @throws {OAuthError} a code of RFC 6749 §4.1.2.1 or OpenID Connect Core §3.1.2.6, with a description
 */
export function readAuthorizationRequest(
  { form, resources }: AuthorizationParameters,
  { client, redirectURL, namedRedirect, state }: ResponseTarget,
  provider: OidcProviderConfiguration,
): AuthorizationRequest {
  refuseRequestObjects(form);
  refuseOtherFlows(form, client);
  const scopes = requestedScopes(form.get("scope"), client.scopes);
  const nonce = form.get("nonce");
  const maxAge = readMaxAge(form);
  const loginHint = form.get("login_hint");
  return {
    clientId: client.clientId,
    redirectURL,
    namedRedirect,
    ...(state !== undefined && { state }),
    scopes,
    resources: readResources(resources, client, scopes, provider),
    codeChallenge: readCodeChallenge(form),
    ...(nonce !== undefined && { nonce }),
    prompt: readPrompt(form),
    ...(maxAge !== undefined && { maxAge }),
    acrValues: words(form.get("acr_values")),
    ...(loginHint !== undefined && { loginHint }),
  };
}

/** OpenID Connect Core 1.0 §6, §7.2.1: what is not supported is refused, for it could say more than the request does. */
function refuseRequestObjects(form: Form): void {
  if (form.has("request")) throw refused("request_not_supported", "request objects are not supported");
  if (form.has("request_uri")) throw refused("request_uri_not_supported", "request_uri is not supported");
  if (form.has("registration")) throw refused("registration_not_supported", "registration is not supported");
}

function refuseOtherFlows(form: Form, { grantTypes }: OAuthClient): void {
  const responseType = form.get("response_type");
  if (responseType === undefined) throw refused("invalid_request", "response_type is missing");
  if (responseType !== "code") throw refused("unsupported_response_type", "response_type must be code");
  if (!grantTypes.includes("authorization_code")) {
    throw refused("unauthorized_client", "the client may not use the authorization code grant");
  }
  const mode = form.get("response_mode");
  if (mode !== undefined && mode !== "query") throw refused("invalid_request", "response_mode must be query");
}

/** The method's default is `plain` (RFC 7636 §4.3), which is not accepted, so it has to be named. */
function readCodeChallenge(form: Form): string {
  const challenge = form.get("code_challenge");
  if (challenge === undefined) throw refused("invalid_request", "code_challenge is missing: PKCE is required");
  if (form.get("code_challenge_method") !== "S256") {
    throw refused("invalid_request", "code_challenge_method must be S256");
  }
  if (!SHA256.test(challenge)) throw refused("invalid_request", "code_challenge is not a SHA-256 hash as base64url");
  return challenge;
}

/** Compared as text. Without any it is the client's first; a client that only wants to know who somebody is has us alone. */
function readResources(
  asked: readonly string[],
  { audiences }: OAuthClient,
  scopes: readonly string[],
  { issuer }: OidcProviderConfiguration,
): readonly string[] {
  const allowed = audiences.length === 0 && scopes.includes("openid") ? [issuer] : audiences;
  if (asked.some((resource) => !allowed.includes(resource))) {
    throw refused("invalid_target", "resource is not one that the client may ask for");
  }
  const [first] = allowed;
  if (first === undefined) throw refused("invalid_target", "there is no resource that the client may ask for");
  return asked.length > 0 ? asked : [first];
}

function readPrompt(form: Form): readonly Prompt[] {
  const prompt = words(form.get("prompt"));
  const unknown = prompt.find((value) => !PROMPTS.some((known) => known === value));
  if (unknown !== undefined) throw refused("invalid_request", `prompt must be of ${PROMPTS.join(", ")}`);
  if (prompt.includes("none") && prompt.length > 1) throw refused("invalid_request", "prompt none stands alone");
  return prompt as readonly Prompt[];
}

function readMaxAge(form: Form): number | undefined {
  const text = form.get("max_age");
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw refused("invalid_request", "max_age is not a number of seconds");
  return Number(text);
}

function words(text: string | undefined): readonly string[] {
  return text?.split(" ").filter((word) => word !== "") ?? [];
}

function refused(code: OAuthErrorCode, description: string): OAuthError {
  return new OAuthError(code, { description });
}

const SHA256 = /^[A-Za-z0-9_-]{43}$/;
