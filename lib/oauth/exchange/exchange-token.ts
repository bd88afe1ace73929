import { TOKEN_EXCHANGE } from "../../config/served-grant-types.ts";
import type { Dependencies } from "../../dependencies.ts";
import { ulid } from "../../ids.ts";
import type { StoredToken, TokenRecord } from "../../stores/tokens.ts";
import { mintAccessToken } from "../../tokens/access-token.ts";
import type { OAuthClient } from "../clients/client.ts";
import { organizationOf } from "../clients/organization.ts";
import { oidcProviderOf } from "../provider.ts";
import { type NamedActor, namedActor } from "./actor-token.ts";
import { actorClaims } from "./delegation.ts";
import { exchangeEvent } from "./exchange-event.ts";
import { keptClaims } from "./kept-claims.ts";
import { invalidExchange, unacceptableToken, unauthorizedExchange } from "./refusals.ts";
import type { ExchangeContext, Subject } from "./subject.ts";
import { subjectOf } from "./subject-token.ts";
import { exchangeTarget } from "./target.ts";
import { type ExchangedFormat, exchangedExpiry, exchangedFormat, exchangedScopes } from "./terms.ts";

/** RFC 8693 §2.1, read and not yet judged. */
export interface ExchangeRequest {
  readonly subjectToken: string;
  readonly subjectTokenType: string;
  readonly actorToken?: string;
  readonly actorTokenType?: string;
  readonly audience?: string;
  readonly resource?: string;
  readonly scope?: string;
  readonly requestedTokenType?: string;
  /** Extension `requested_expires_in`: seconds; only shortens. */
  readonly requestedExpiresIn?: number;
  /** Extension `requested_mode`; impersonation needs the caller's permission and leaves no `act`. */
  readonly mode: "delegation" | "impersonation";
  readonly requestId: string;
}

/** RFC 8693 §2.2.1. `expires_in` in seconds. */
export interface ExchangeResponse {
  readonly access_token: string;
  readonly issued_token_type: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope?: string;
}

/**
 * Exchanges a token for one of the caller, who has authenticated. The token endpoint and the gateway of the same instance
 * both come here. What is asked for is judged by the caller's registration alone, before any token is looked at; the store
 * has the last word on whether the subject is still alive.
 *
 * @param context absent: tokens of other issuers are refused
 * @throws {OAuthError} `invalid_request` (also for tokens that are not acceptable, RFC 8693 §2.2.2), `invalid_target`,
 *   `invalid_scope`, `unauthorized_client`
 */
export async function exchangeToken(
  request: ExchangeRequest,
  caller: OAuthClient,
  dependencies: Dependencies,
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
  if (!grantTypes.includes(TOKEN_EXCHANGE)) throw unauthorizedExchange("the client may not exchange tokens");
  if (mode === "impersonation" && !tokenExchange.impersonation) {
    throw unauthorizedExchange("the client may not impersonate");
  }
}

/** Impersonations name no actors, whose number would bound them; each use of a token looks up all that it descends from. */
function refuseEndless({ lineage: { ancestors = [] } }: Subject): void {
  if (ancestors.length > MAX_EXCHANGES)
    throw invalidExchange(`more than ${MAX_EXCHANGES} exchanges, one after the other`);
}

const MAX_EXCHANGES = 10;

function termsOf(request: ExchangeRequest, caller: OAuthClient, { configuration }: Dependencies): Terms {
  return {
    format: exchangedFormat(request.requestedTokenType, caller),
    audience: exchangeTarget(request, caller, configuration().configuration),
    scopes: exchangedScopes(request.scope, caller),
  };
}

/** What the new token says. It stays with the organization whose chain it joins. */
async function decide(
  { request, caller, terms: { audience, scopes }, subject, named }: Exchange,
  dependencies: Dependencies,
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
    ...(organizationId !== undefined && { organizationId }),
    subject: subject.subject,
    audience,
    scopes,
    issuedAt,
    expiresAt: exchangedExpiry(sources, request, caller, issuedAt),
    claims: { ...keptClaims(subject, caller), ...acting },
  };
}

interface ToIssue extends Pick<Exchange, "request" | "subject"> {
  readonly token: TokenRecord;
  readonly stored: StoredToken | undefined;
}

/** The one durable step: it refuses when anything that the token descends from was ended meanwhile. */
async function issue({ token, stored, subject, request }: ToIssue, dependencies: Dependencies): Promise<void> {
  const isIssued = await dependencies.stores.tokens.exchange({
    token,
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
