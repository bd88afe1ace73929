import { isJsonObject, type JsonObject } from "../json.ts";
import type { TokenRecord } from "../stores/tokens.ts";
import { chainShard } from "./sharding.ts";

/**
 * The claims of an access token as a JWT (RFC 9068 §2.2), from which `tokenOfClaims` makes the same record, in whole
 * seconds. `chain` is ours: what the token descends from.
 */
export function claimsOfToken(token: TokenRecord, issuer: string): JsonObject {
  const { chainId, consentId, apiClientId, ancestors, organizationId } = token;
  return {
    ...token.claims,
    iss: issuer,
    sub: token.subject,
    aud: token.audience,
    client_id: token.clientId,
    iat: Math.floor(token.issuedAt / 1_000),
    exp: Math.floor(token.expiresAt / 1_000),
    jti: token.tokenId,
    ...(token.scopes.length > 0 && { scope: token.scopes.join(" ") }),
    chain: {
      id: chainId,
      ...(consentId !== undefined && { consent: consentId }),
      ...(apiClientId !== undefined && { apiClient: apiClientId }),
      ...(ancestors !== undefined && { ancestors }),
      ...(organizationId !== undefined && { organization: organizationId }),
    },
  };
}

/** The record that the claims tell; undefined unless each of them is there as `claimsOfToken` writes it. */
export function tokenOfClaims(claims: JsonObject, issuer: string): TokenRecord | undefined {
  const { iss, sub, aud, client_id, iat, exp, jti, scope, chain, ...others } = claims;
  const lineage = isJsonObject(chain) ? lineageOf(chain) : undefined;
  if (iss !== issuer || lineage === undefined) return undefined;
  if (!isText(sub) || !isText(aud) || !isText(client_id) || !isText(jti)) return undefined;
  if (!isTime(iat) || !isTime(exp) || !(scope === undefined || isText(scope))) return undefined;
  return {
    ...lineage,
    tokenId: jti,
    clientId: client_id,
    subject: sub,
    audience: aud,
    scopes: scope?.split(" ") ?? [],
    issuedAt: iat * 1_000,
    expiresAt: exp * 1_000,
    ...(Object.keys(others).length > 0 && { claims: others }),
  };
}

type JwtLineage = Pick<TokenRecord, "chainId" | "consentId" | "apiClientId" | "ancestors" | "organizationId">;

function lineageOf({ id, consent, apiClient, ancestors, organization }: JsonObject): JwtLineage | undefined {
  if (!isText(id) || chainShard(id) === undefined) return undefined;
  if (![consent, apiClient, organization].every((value) => value === undefined || isText(value))) return undefined;
  if (!(ancestors === undefined || (Array.isArray(ancestors) && ancestors.every(isText)))) return undefined;
  return {
    chainId: id,
    ...(isText(consent) && { consentId: consent }),
    ...(isText(apiClient) && { apiClientId: apiClient }),
    ...(ancestors !== undefined && { ancestors }),
    ...(isText(organization) && { organizationId: organization }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
