import { auditEvent, named, nameIn } from "../../audit/event.ts";
import { ulid } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { AuditEvent } from "../../stores/audit-log.ts";
import type { AuthorizationCodeRecord, GrantRecord, NewRefreshToken } from "../../stores/grants.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import type { ClientRequest } from "../client-request.ts";
import type { OAuthClient } from "../clients/client.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import { signIdToken } from "../openid/id-token.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { parseScope } from "../scope.ts";
import { type MintedAccessToken, mintAccessToken } from "../tokens/access-token.ts";
import { mintToken } from "../tokens/opaque.ts";
import { chainShard } from "../tokens/sharding.ts";
import type { TokenResponse } from "./grant.ts";

/** The input of the decision on an access token of a person's chain. */
interface AccessRequest {
  readonly grant: GrantRecord;
  /** Scopes of the code or refresh token. */
  readonly granted: readonly string[];
  readonly request: ClientRequest;
  readonly client: OAuthClient;
}

/**
 * The next access token of a chain. It stays within the person's grant and the client's current registration, and never
 * outlives the chain.
 *
 * @throws {OAuthError} `invalid_scope`, `invalid_target`
 */
export function decideAccess(
  { grant, granted, request: { form }, client }: AccessRequest,
  { configuration, clock, random }: Pick<AuthorizationServerPorts, "configuration" | "clock" | "random">,
): TokenRecord {
  const { issuer } = oidcProviderOf(configuration().configuration);
  const issuedAt = clock.now();
  return {
    tokenId: `tok_${ulid(issuedAt, random)}`,
    chainId: grant.chainId,
    consentId: grant.consentId,
    clientId: client.clientId,
    clientName: client.name,
    ...(grant.organizationId !== undefined && { organizationId: grant.organizationId }),
    subject: grant.subject,
    ...(grant.subjectName !== undefined && { subjectName: grant.subjectName }),
    ...(grant.memberId !== undefined && { memberId: grant.memberId }),
    audience: audienceOf(form.get("resource"), grant, client, issuer),
    scopes: scopesOf(form.get("scope"), granted, client),
    issuedAt,
    expiresAt: Math.min(issuedAt + client.accessToken.lifetime, grant.expiresAt),
    claims: accessTokenClaims(grant, client),
  };
}

/** The content of the tokens of one answer. */
export interface ChainTokenTerms {
  readonly access: TokenRecord;
  readonly grant: GrantRecord;
  readonly client: OAuthClient;
  /** The refresh token's own, which do not shrink with those of an access token (RFC 6749 §6). */
  readonly refreshScopes: readonly string[];
  /** Of the sign-in itself; a refresh has none. */
  readonly code?: Pick<AuthorizationCodeRecord, "nonce">;
}

/** Tokens that are not recorded yet. */
export interface ChainTokens extends MintedAccessToken {
  readonly token: TokenRecord;
  readonly refreshToken?: NewRefreshToken;
  readonly refreshText?: string;
  readonly idToken?: string;
}

/**
 * Makes the tokens of one answer. A client that is registered for refresh tokens gets one, whether it asked for
 * `offline_access` or not (D91).
 */
export async function mintChainTokens(
  terms: ChainTokenTerms,
  dependencies: AuthorizationServerPorts,
): Promise<ChainTokens> {
  const { access, grant, client, code } = terms;
  const minted = await mintAccessToken(access, client.accessToken.type, dependencies);
  const idToken = access.scopes.includes("openid")
    ? await signIdToken({ access, accessText: minted.text, grant, nonce: code?.nonce }, dependencies)
    : undefined;
  return {
    ...minted,
    token: access,
    ...(client.grantTypes.includes("refresh_token") && mintRefreshToken(terms, dependencies)),
    ...(idToken !== undefined && { idToken }),
  };
}

/** `token.issued` for a token of a person's chain. */
export function issuedEvent(
  grantType: string,
  token: TokenRecord,
  requestId: string,
  dependencies: AuthorizationServerPorts,
): AuditEvent {
  const { clientId, tokenId, chainId, audience } = token;
  return auditEvent(dependencies, {
    ...ofChain(token, requestId),
    type: "token.issued",
    outcome: "success",
    details: { clientId, tokenId, chainId, audience, grantType },
  });
}

/** `token.revoked`: the chain ends because its code or a refresh token was presented twice. */
export function reuseEvent(
  reason: "authorization code used again" | "refresh token used again",
  token: TokenRecord,
  requestId: string,
  dependencies: AuthorizationServerPorts,
): AuditEvent {
  const { clientId, chainId } = token;
  return auditEvent(dependencies, {
    ...ofChain(token, requestId),
    type: "token.revoked",
    outcome: "success",
    reason,
    details: { clientId, chainId },
  });
}

/** @param refreshToken in place of the one that was made */
export function chainResponse(
  { text, token: { issuedAt, expiresAt, scopes }, refreshText, idToken }: ChainTokens,
  refreshToken: string | undefined = refreshText,
): TokenResponse {
  return {
    access_token: text,
    token_type: "Bearer",
    expires_in: Math.floor((expiresAt - issuedAt) / 1_000),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(idToken !== undefined && { id_token: idToken }),
  };
}

/** RFC 8707 §2.2: one of the grant's resources, by default the first. For a client without audiences it is this issuer. */
function audienceOf(
  asked: string | undefined,
  { resources }: GrantRecord,
  { audiences }: OAuthClient,
  issuer: string,
): string {
  const allowed = resources.filter((resource) => audiences.includes(resource) || resource === issuer);
  const audience = asked ?? allowed[0];
  if (audience !== undefined && allowed.includes(audience)) return audience;
  throw new OAuthError("invalid_target", { description: "resource is not one that the person granted" });
}

/**
 * RFC 6749 §6: the client may ask for fewer scopes, but not for others. It gets no scope that its registration has lost. If no
 * scope is left, the request is refused: `scope` in an answer names at least one (§3.3, §5.1).
 */
function scopesOf(
  asked: string | undefined,
  granted: readonly string[],
  { scopes: registered }: OAuthClient,
): readonly string[] {
  const wanted = asked === undefined ? granted : [...parseScope(asked)];
  if (!wanted.every((scope) => granted.includes(scope))) {
    throw new OAuthError("invalid_scope", { description: "scope goes beyond what the person granted" });
  }
  const left = wanted.filter((scope) => registered.includes(scope));
  if (left.length > 0 || wanted.length === 0) return left;
  throw new OAuthError("invalid_scope", {
    description: "the client is not registered for any of these scopes any more",
  });
}

/** Claims about the sign-in (RFC 9068 §2.2.1), and the client's mapped claims. */
function accessTokenClaims({ claims }: GrantRecord, { claimsMapping }: OAuthClient): JsonObject {
  const names = ["auth_time", "acr", "amr", ...Object.keys(claimsMapping)].filter((name) =>
    Object.hasOwn(claims, name),
  );
  return Object.fromEntries(names.map((name) => [name, claims[name]]));
}

/** A refresh token in the shard of the chain, with the lifetime of the chain. */
function mintRefreshToken(
  { grant: { chainId, expiresAt }, refreshScopes: scopes }: ChainTokenTerms,
  { configuration, random }: AuthorizationServerPorts,
): Required<Pick<ChainTokens, "refreshToken" | "refreshText">> {
  const shard = chainShard(chainId);
  if (shard === undefined) throw new Error("the chain's id tells no shard");
  const { region } = oidcProviderOf(configuration().configuration);
  const { text, reference } = mintToken(region, shard, random, "refresh");
  return { refreshToken: { reference, record: { scopes, expiresAt } }, refreshText: text };
}

function ofChain(token: TokenRecord, requestId: string) {
  const { clientId, clientName, subject, subjectName, organizationId, claims } = token;
  return {
    ...named([clientId, clientName], [subject, subjectName ?? nameIn(claims)]),
    ...(organizationId !== undefined && { organizationId }),
    actor: clientId,
    agent: clientId,
    user: subject,
    requestId,
  };
}
