import { MANAGEMENT_SCOPES } from "../../api-clients/audiences.ts";
import { OPENID_SCOPES } from "../../config/openid-scopes.ts";
import type { OAuthClient } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import { parseScope } from "../scope.ts";
import type { ExchangeRequest } from "./exchange-token.ts";
import { invalidExchange } from "./refusals.ts";
import { ACCESS_TOKEN_TYPE, JWT_TYPE } from "./token-types.ts";

/** The format of the new token, and how the answer calls it. */
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
 * What was asked for, which has to be within the caller's registration: the subject's own scopes play no part (D25), and
 * nothing asked is nothing given. Scopes that open the management API or userinfo are those of no exchanged token.
 *
 * @throws {OAuthError} `invalid_scope`
 */
export function exchangedScopes(asked: string | undefined, { scopes }: Pick<OAuthClient, "scopes">): readonly string[] {
  if (asked === undefined) return [];
  const wanted = [...parseScope(asked)];
  if (wanted.every((scope) => scopes.includes(scope) && !RESERVED.has(scope))) return wanted;
  throw new OAuthError("invalid_scope", { description: "the client may not ask for all of these scopes" });
}

const RESERVED: ReadonlySet<string> = new Set([...OPENID_SCOPES, ...MANAGEMENT_SCOPES]);

/**
 * When the new token expires, milliseconds since the epoch: the earliest of what its sources, the caller's registration
 * and the request allow.
 *
 * @param sources when the tokens expire that it comes of
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

function seconds(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1_000;
}
