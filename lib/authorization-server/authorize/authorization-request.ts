import type { OidcProviderConfiguration } from "../../config/configuration.ts";
import { OAuthError, type OAuthErrorCode } from "../../protocol/oauth/errors.ts";
import type { OAuthClient } from "../clients/client.ts";
import { type Form, formDecode, parseForm } from "../form.ts";
import { invalidRequest } from "../refusals.ts";
import type { ResponseTarget } from "./response-target.ts";

/** A checked authorization request. It is stored while its person consents and signs in. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectURL: string;
  readonly namedRedirect: boolean;
  readonly state?: string;
  readonly scopes: readonly string[];
  /** At least one. */
  readonly resources: readonly string[];
  /** S256 (RFC 7636 §4.2). */
  readonly codeChallenge: string;
  readonly nonce?: string;
  readonly prompt: readonly Prompt[];
  /** Seconds. */
  readonly maxAge?: number;
  /** Any of them is enough (RFC 9470 §4). Empty: no condition. */
  readonly acrValues: readonly string[];
  readonly loginHint?: string;
  /** The person who has to sign in: the subject of the client's `id_token_hint`. */
  readonly expectedUserId?: string;
}

/** OpenID Connect Core 1.0 §3.1.2.1. */
export const PROMPTS = ["none", "login", "consent", "select_account"] as const;
type Prompt = (typeof PROMPTS)[number];

/** The parameters of an authorization request. All but `resource` stand at most once (RFC 6749 §3.1, RFC 8707 §2). */
export interface AuthorizationParameters {
  readonly form: Form;
  readonly resources: readonly string[];
}

/**
 * Reads a query or form body.
 *
 * @throws {OAuthError} `invalid_request` when it is malformed, longer than 8 KiB, or repeats another parameter
 */
export function readAuthorizationParameters(text: string): AuthorizationParameters {
  if (text.length > MAX_LENGTH) throw invalidRequest(`more than ${MAX_LENGTH} characters`);
  const pairs = text.split("&");
  const isResource = (pair: string) => formDecode(pair.split("=", 1)[0] as string) === "resource";
  const form = parseForm(pairs.filter((pair) => !isResource(pair)).join("&"));
  const resources = pairs.filter(isResource).flatMap((pair) => parseForm(pair).get("resource") ?? []);
  return { form, resources: [...new Set(resources)] };
}

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
  const scopes = requestedScopes(form.get("scope"), client);
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

/** The request is stored with the sign-in, and most of it is sent in URLs. */
const MAX_LENGTH = 8 * 1024;

/** OpenID Connect Core 1.0 §6, §7.2.1. Unsupported parameters are refused, because they could change the meaning of the request. */
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

/**
 * The requested scopes that the client may have. A request without `scope` gets the client's default scopes (RFC 6749 §3.3):
 * none, unless its owner has configured some. Access that nobody asked for is not granted.
 *
 * @throws {OAuthError} `invalid_scope` when `scope` is malformed, or the client may have none of these scopes
 */
function requestedScopes(
  asked: string | undefined,
  { scopes: allowed, defaultScopes }: Pick<OAuthClient, "scopes" | "defaultScopes">,
): readonly string[] {
  if (asked === undefined) return allowed.filter((scope) => defaultScopes.includes(scope));
  if (!SCOPE.test(asked)) throw new OAuthError("invalid_scope", { description: "scope is malformed" });
  const wanted = new Set(asked.split(" "));
  const scopes = allowed.filter((scope) => wanted.has(scope));
  if (scopes.length > 0) return scopes;
  throw new OAuthError("invalid_scope", { description: "the client may have none of these scopes" });
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The method must be named: its default is `plain` (RFC 7636 §4.3), which is not accepted. */
function readCodeChallenge(form: Form): string {
  const challenge = form.get("code_challenge");
  if (challenge === undefined) throw refused("invalid_request", "code_challenge is missing: PKCE is required");
  if (form.get("code_challenge_method") !== "S256") {
    throw refused("invalid_request", "code_challenge_method must be S256");
  }
  if (!SHA256.test(challenge)) throw refused("invalid_request", "code_challenge is not a SHA-256 hash as base64url");
  return challenge;
}

/** Compared as text. The default is the client's first audience. A client without audiences that asks for `openid` has this issuer. */
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
