import { auditEvent, named, nameIn } from "../../audit/event.ts";
import { TOKEN_EXCHANGE } from "../../config/app-configuration.ts";
import { ulid } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { AuditEvent } from "../../stores/audit-log.ts";
import type { StoredToken, TokenRecord } from "../../stores/tokens.ts";
import type { OAuthClient } from "../clients/client.ts";
import { organizationOf } from "../clients/find-client.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { invalidExchange, unacceptableToken, unauthorizedClient } from "../refusals.ts";
import { mintAccessToken } from "../tokens/access-token.ts";
import { actorClaims, actorsOf } from "./delegation.ts";
import type { ExchangeRequest } from "./exchange-request.ts";
import { type NamedActor, namedActor, subjectOf } from "./presented-tokens.ts";
import type { ExchangeContext, Subject } from "./subject.ts";
import { appScopes, type ExchangedFormat, exchangedExpiry, exchangedFormat, exchangeTarget } from "./terms.ts";

/** RFC 8693 §2.2.1. `expires_in` in seconds. */
export interface ExchangeResponse {
  readonly access_token: string;
  readonly issued_token_type: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope?: string;
}

/**
 * Exchanges a token for a token of the caller, who has authenticated. The token endpoint and the gateway of the same instance
 * use it. First the request is checked against the caller's registration, then the tokens. The store decides at the end
 * whether the subject token is still active.
 *
 * @param context absent: tokens of other issuers are refused
 * @throws {OAuthError} `invalid_request` (also for tokens that are not acceptable, RFC 8693 §2.2.2), `invalid_target`,
 *   `invalid_scope`, `unauthorized_client`
 */
export async function exchangeToken(
  request: ExchangeRequest,
  caller: OAuthClient,
  dependencies: AuthorizationServerPorts,
  context?: ExchangeContext,
): Promise<ExchangeResponse> {
  requirePermission(request, caller);
  const terms = termsOf(request, caller, dependencies);
  const subject = await subjectOf(request, caller, dependencies, context);
  refuseEndless(subject);
  const named = await namedActor(request, caller, dependencies);
  const token = await decide({ request, caller, terms, subject, named }, dependencies);
  const { text, stored } = await mintAccessToken(token, terms.format.type, dependencies);
  await issue({ token, stored, subject, request }, dependencies);
  return exchangeResponse(text, token, terms.format);
}

interface Terms {
  readonly format: ExchangedFormat;
  readonly audience: string;
  readonly scopes: readonly string[];
}

interface Exchange {
  readonly request: ExchangeRequest;
  readonly caller: OAuthClient;
  readonly terms: Terms;
  readonly subject: Subject;
  readonly named: NamedActor | undefined;
}

function requirePermission({ mode }: ExchangeRequest, { grantTypes, tokenExchange }: OAuthClient): void {
  if (!grantTypes.includes(TOKEN_EXCHANGE)) throw unauthorizedClient("the client may not exchange tokens");
  if (mode === "impersonation" && !tokenExchange.impersonation) {
    throw unauthorizedClient("the client may not impersonate");
  }
}

/** The limit of actors does not apply to impersonations. Each use of a token looks up all its ancestors, so these are limited, too. */
function refuseEndless({ lineage: { ancestors = [] } }: Subject): void {
  if (ancestors.length > MAX_EXCHANGES)
    throw invalidExchange(`more than ${MAX_EXCHANGES} exchanges, one after the other`);
}

const MAX_EXCHANGES = 10;

function termsOf(request: ExchangeRequest, caller: OAuthClient, { configuration }: AuthorizationServerPorts): Terms {
  return {
    format: exchangedFormat(request.requestedTokenType, caller),
    audience: exchangeTarget(request, caller, configuration().configuration),
    scopes: appScopes(request.scope, caller),
  };
}

/** The record of the new token. It belongs to the organization of the chain that it joins. */
async function decide(
  { request, caller, terms: { audience, scopes }, subject, named }: Exchange,
  dependencies: AuthorizationServerPorts,
): Promise<TokenRecord> {
  const { issuer } = oidcProviderOf(dependencies.configuration().configuration);
  const acting = actorClaims({ mode: request.mode, subject, actor: named?.actor, caller, issuer });
  const organizationId = subject.organizationId ?? (await organizationOf(caller, dependencies));
  const issuedAt = dependencies.clock.now();
  const sources = [subject.expiresAt, ...(named === undefined ? [] : [named.expiresAt])];
  return {
    ...subject.lineage,
    tokenId: `tok_${ulid(issuedAt, dependencies.random)}`,
    clientId: caller.clientId,
    clientName: caller.name,
    ...(organizationId !== undefined && { organizationId }),
    subject: subject.subject,
    ...(subject.presented.subjectName !== undefined && { subjectName: subject.presented.subjectName }),
    audience,
    scopes,
    issuedAt,
    expiresAt: exchangedExpiry(sources, request, caller, issuedAt),
    claims: { ...exchangedClaims(subject, caller), ...acting },
  };
}

/**
 * The claims of the new token about person and sign-in: those of the subject token that the caller's own tokens would have.
 * `act` and `may_act` come from `actorClaims`.
 */
function exchangedClaims(
  { claims }: Pick<Subject, "claims">,
  { claimsMapping }: Pick<OAuthClient, "claimsMapping">,
): JsonObject {
  const mapped = Object.keys(claimsMapping).filter((name) => name !== "act" && name !== "may_act");
  const names = [...SIGN_IN_CLAIMS, ...mapped].filter((name) => Object.hasOwn(claims, name));
  return Object.fromEntries(names.map((name) => [name, claims[name]]));
}

/** Claims of access tokens about the sign-in (RFC 9068 §2.2.1). */
const SIGN_IN_CLAIMS = ["auth_time", "acr", "amr"];

interface ToIssue extends Pick<Exchange, "request" | "subject"> {
  readonly token: TokenRecord;
  readonly stored: StoredToken | undefined;
}

/** The one durable step. The store refuses if an ancestor of the token was ended meanwhile. */
async function issue(
  { token, stored, subject, request }: ToIssue,
  dependencies: AuthorizationServerPorts,
): Promise<void> {
  const isIssued = await dependencies.stores.tokens.exchange({
    token,
    subject: subject.presented,
    ...(stored !== undefined && { reference: stored.reference }),
    event: exchangeEvent(token, subject, request, dependencies),
  });
  if (isIssued) return;
  throw unacceptableToken("subject_token", "is not active, or not meant for this client", "refused by the store");
}

function exchangeResponse(
  text: string,
  { issuedAt, expiresAt, scopes }: TokenRecord,
  { issuedTokenType }: ExchangedFormat,
): ExchangeResponse {
  return {
    access_token: text,
    issued_token_type: issuedTokenType,
    token_type: "Bearer",
    expires_in: Math.floor((expiresAt - issuedAt) / 1_000),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
}

/** `token.exchanged` or `token.impersonated` (checklist 19): the caller, the actor and the subject. */
function exchangeEvent(
  token: TokenRecord,
  { client, presented }: Subject,
  { mode, requestId }: Pick<ExchangeRequest, "mode" | "requestId">,
  dependencies: AuthorizationServerPorts,
): AuditEvent {
  const { clientId, clientName, subject, subjectName, organizationId, tokenId, chainId, audience, claims } = token;
  const { ancestors = [] } = token;
  const actChain = actorsOf(claims?.act) ?? [];
  const subjectTokenId = ancestors.at(-1);
  return auditEvent(dependencies, {
    type: mode === "delegation" ? "token.exchanged" : "token.impersonated",
    ...(organizationId !== undefined && { organizationId }),
    outcome: "success",
    actor: clientId,
    agent: actChain[0] ?? client.sub,
    ...(subject !== client.sub && { user: subject }),
    ...(actChain.length > 0 && { actChain }),
    requestId,
    ...named(
      [subject, subjectName ?? nameIn(claims)],
      [presented.clientId, presented.clientName],
      [clientId, clientName],
    ),
    details: { clientId, tokenId, chainId, audience, ...(subjectTokenId !== undefined && { subjectTokenId }) },
  });
}
