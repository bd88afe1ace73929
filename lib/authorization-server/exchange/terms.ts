import { MANAGEMENT_SCOPES, managementAudience } from "../../api-clients/audiences.ts";
import { OPENID_SCOPES } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { OAuthClient } from "../clients/client.ts";
import { invalidExchange } from "../refusals.ts";
import { parseScope } from "../scope.ts";
import { ACCESS_TOKEN_TYPE, type ExchangeRequest, JWT_TYPE } from "./exchange-request.ts";

/** The format of the new token, and its name in the answer. */
export interface ExchangedFormat {
  readonly type: "opaque" | "jwt";
  readonly issuedTokenType: string;
}

/** @throws {OAuthError} `invalid_request` for types that are not issued here */
export function exchangedFormat(
  requested: string = ACCESS_TOKEN_TYPE,
  { accessToken }: Pick<OAuthClient, "accessToken">,
): ExchangedFormat {
  if (requested === ACCESS_TOKEN_TYPE) return { type: accessToken.type, issuedTokenType: ACCESS_TOKEN_TYPE };
  if (requested === JWT_TYPE) return { type: "jwt", issuedTokenType: JWT_TYPE };
  throw invalidExchange("requested_token_type is neither an access token nor a JWT");
}

/**
 * The target of an exchange: `audience` or `resource`, or both if they are equal (RFC 8693 §2.1). It must be exactly one of the
 * caller's registered audiences. The management API is never a target: it serves people and API clients only.
 *
 * @throws {OAuthError} `invalid_target`
 */
export function exchangeTarget(
  { audience, resource }: Pick<ExchangeRequest, "audience" | "resource">,
  { audiences }: Pick<OAuthClient, "audiences">,
  configuration: Pick<Configuration, "publicURL">,
): string {
  const target = audience ?? resource;
  if (target === undefined) throw invalidTarget("audience or resource is missing");
  if ((resource ?? target) !== target) throw invalidTarget("audience and resource differ; one target is accepted");
  if (!audiences.includes(target) || target === managementAudience(configuration)) {
    throw invalidTarget("the client may not ask for this target");
  }
  return target;
}

/**
 * The requested scopes of an app for an exchange or for itself, all of which it must be registered for. The scopes of a subject
 * token do not matter (D25). Without `scope` the token has none. It never has a scope of the management API, nor one of OpenID
 * Connect, which is about a person who signs in.
 *
 * @throws {OAuthError} `invalid_scope`
 */
export function appScopes(asked: string | undefined, { scopes }: Pick<OAuthClient, "scopes">): readonly string[] {
  if (asked === undefined) return [];
  const wanted = [...parseScope(asked)];
  if (wanted.every((scope) => scopes.includes(scope) && !RESERVED.has(scope))) return wanted;
  throw new OAuthError("invalid_scope", {
    description: "the client may not ask for all of these scopes; accepted: those of its customScopes and scopes",
  });
}

/**
 * The expiry of the new token, milliseconds since the epoch: the earliest that its source tokens, the caller's registration and
 * the request allow.
 *
 * @param sources the expiry of each source token
 * @throws {OAuthError} `invalid_request` when not even a second is left
 */
export function exchangedExpiry(
  sources: readonly number[],
  { requestedExpiresIn }: Pick<ExchangeRequest, "requestedExpiresIn">,
  { accessToken, tokenExchange }: Pick<OAuthClient, "accessToken" | "tokenExchange">,
  now: number,
): number {
  const lifetimes = [accessToken.lifetime, tokenExchange.maxLifetime, seconds(requestedExpiresIn)];
  const latest = lifetimes.flatMap((lifetime) => (lifetime === undefined ? [] : [now + lifetime]));
  const expiresAt = Math.min(...sources, ...latest);
  if (expiresAt < now + 1_000) throw invalidExchange("what is left of the tokens' lifetime is less than a second");
  return expiresAt;
}

const RESERVED: ReadonlySet<string> = new Set([...OPENID_SCOPES, ...MANAGEMENT_SCOPES]);

function seconds(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1_000;
}

function invalidTarget(description: string): OAuthError {
  return new OAuthError("invalid_target", { description });
}
