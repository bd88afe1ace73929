import { errors, type JWTPayload, jwtVerify } from "jose";
import type { OidcProviderConfiguration } from "../../config/configuration.ts";
import { isOwnConnector } from "../../config/oauth-features.ts";
import type { Connector, ConnectorKeys } from "../../connectors/connectors.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { ASYMMETRIC_ALGORITHMS } from "../../protocol/oauth/asymmetric-algorithms.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { isSameIssuer, issuerFromWellKnown } from "../../protocol/oauth/issuer.ts";
import { parseCompactJws } from "../../protocol/oauth/jws.ts";
import { personId } from "../../stores/identities.ts";
import type { OAuthClient } from "../clients/client.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import { isIdToken } from "../openid/id-token.ts";
import { personClaims } from "../person-claims.ts";
import { personName } from "../person-name.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { unacceptableToken } from "../refusals.ts";
import { grantShard, newChainId } from "../tokens/sharding.ts";
import { ACCESS_TOKEN_TYPE, ID_TOKEN_TYPE, JWT_TYPE } from "./exchange-request.ts";
import type { ExchangeContext, Subject } from "./subject.ts";

/** A subject token whose `iss` is the provider of a connector. Nothing is verified yet. */
interface ConnectorToken {
  readonly text: string;
  readonly connector: Connector;
}

/**
 * The connector that the token's `iss` names, if the caller may exchange its tokens. Nothing is fetched. A connector to this
 * same instance does not count, because the instance knows its own tokens.
 */
export function connectorToken(
  text: string,
  { tokenExchange: { subjectConnectors } }: Pick<OAuthClient, "tokenExchange">,
  connectors: readonly Connector[],
  provider: OidcProviderConfiguration,
): ConnectorToken | undefined {
  const issuer = subjectConnectors.length > 0 ? parseCompactJws(text)?.payload.iss : undefined;
  if (typeof issuer !== "string") return undefined;
  const connector = connectors.find(({ settings }) => {
    if (!subjectConnectors.includes(settings.name) || isOwnConnector(settings, provider)) return false;
    const expected = issuerFromWellKnown(settings.wellKnownURL);
    return expected !== undefined && isSameIssuer(expected, issuer);
  });
  return connector && { text, connector };
}

/**
 * The subject that a connector's token names, with a new chain. It is the same person who signs in at that connector. If the
 * person has consented to the caller, the chain depends on that consent.
 *
 * @throws {OAuthError} `invalid_request`; `temporarily_unavailable` when the provider's keys cannot be had
 */
export async function connectorSubject(
  token: ConnectorToken,
  type: string,
  caller: OAuthClient,
  dependencies: AuthorizationServerPorts,
  context: ExchangeContext,
): Promise<Subject> {
  const verified = await verifyConnectorToken(token, type, caller, dependencies, context);
  const { issuer, sub, exp, client } = verified;
  const { stores, clock, random } = dependencies;
  const subject = personId({ issuer, subject: sub });
  const claims = subjectClaims(verified, token.connector.settings.name, caller);
  const named = { issuer, subject: sub, claims: verified.claims, shown: claims };
  const [consent, account, subjectName] = await Promise.all([
    stores.grants.consent(subject, caller.clientId),
    stores.identities.findIdentity({ issuer, subject: sub }),
    personName(named, caller, dependencies),
  ]);
  return {
    subject,
    client: { sub: client, iss: issuer },
    expiresAt: exp * 1_000,
    lineage: {
      chainId: newChainId(grantShard(subject, caller.clientId), clock.now(), random),
      ...(consent !== undefined && { consentId: consent.consentId }),
      ...(account !== undefined && { memberId: account.userId }),
    },
    // The person is known here by another name than at the provider: both can be stopped.
    presented: {
      ...{ issuer, subject: sub, clientId: client, claims: verified.claims, ...issuedAt(verified.claims) },
      ...(subjectName !== undefined && { subjectName }),
    },
    claims,
  };
}

/** The claims with which the chain begins: about the sign-in, about actors, and those of the caller's mapping. */
function subjectClaims(
  { issuer, sub, claims }: Pick<VerifiedConnectorToken, "issuer" | "sub" | "claims">,
  connector: string,
  caller: Pick<OAuthClient, "claimsMapping">,
): JsonObject {
  const { auth_time, acr, amr, act, may_act } = claims;
  return {
    ...personClaims({ connector, issuer, subject: sub, claims }, [], caller),
    ...(typeof auth_time === "number" && { auth_time }),
    ...(typeof acr === "string" && { acr }),
    ...(Array.isArray(amr) && amr.every((method) => typeof method === "string") && { amr }),
    ...(act !== undefined && { act: ofIssuer(act, issuer) }),
    ...(may_act !== undefined && { may_act: ofIssuer(may_act, issuer) }),
  };
}

function issuedAt({ iat }: JsonObject): { readonly issuedAt?: number } {
  return typeof iat === "number" ? { issuedAt: iat * 1_000 } : {};
}

/** Adds the issuer to the parties that another issuer names (RFC 8693 §4.1). */
function ofIssuer(party: unknown, iss: string): unknown {
  if (!isJsonObject(party)) return party;
  return { iss, ...party, ...(party.act !== undefined && { act: ofIssuer(party.act, iss) }) };
}

/** A verified token of a connector's provider, for this instance or for the caller. */
interface VerifiedConnectorToken {
  readonly issuer: string;
  readonly sub: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Whom the provider issued it to. */
  readonly client: string;
  readonly claims: JsonObject;
}

const ACCEPTED_TYPES: ReadonlySet<string> = new Set([ACCESS_TOKEN_TYPE, JWT_TYPE, ID_TOKEN_TYPE]);

/**
 * Verifies signature, issuer, times and audience of a token that a connector's provider issued. The audience of an ID token
 * is the connector's own client. Any other token may also be for one of the caller's `subjectAudiences`. A token with claims
 * of an ID token is accepted only as that type; otherwise a caller could avoid the rules of ID tokens by naming another type.
 *
 * @throws {OAuthError} `invalid_request`; `temporarily_unavailable` when the provider's keys cannot be had
 */
async function verifyConnectorToken(
  token: ConnectorToken,
  type: string,
  { tokenExchange }: Pick<OAuthClient, "tokenExchange">,
  dependencies: Pick<AuthorizationServerPorts, "configuration" | "clock">,
  context: ExchangeContext,
): Promise<VerifiedConnectorToken> {
  if (!ACCEPTED_TYPES.has(type)) throw ofAnotherType();
  const { settings, metadata } = token.connector;
  const issuer = (await metadata.get(context.waitUntil))?.issuer;
  if (issuer === undefined) throw unavailable();
  const asIdToken = type === ID_TOKEN_TYPE;
  const audience = [settings.clientID, ...(asIdToken ? [] : (tokenExchange.subjectAudiences ?? []))];
  const claims = await verifiedClaims(token, { issuer, audience, dependencies }, context);
  if (!asIdToken && isIdToken(claims)) throw ofAnotherType("it is an ID token");
  const { sub, exp, azp } = claims;
  const client = clientOf(claims, settings.clientID);
  if (exp === undefined || sub === undefined || client === undefined) throw unusable("it names no subject or client");
  if (asIdToken && azp !== undefined && azp !== settings.clientID) throw unusable("it is another client's ID token");
  return { issuer, sub, exp, client, claims };
}

/** An unknown key may be new. The provider is asked once more if the budget allows it. */
async function verifiedClaims(
  { text, connector: { keys, mayLookUpKeys: mayFetch } }: ConnectorToken,
  expected: Expected,
  { waitUntil }: ExchangeContext,
): Promise<JWTPayload> {
  const known = await keys.get(waitUntil);
  if (known === undefined) throw unavailable();
  let claims = await verified(text, known, expected);
  if (claims === UNKNOWN_KEY) {
    const suffices = async (keySet: ConnectorKeys) => (await verified(text, keySet, expected)) !== UNKNOWN_KEY;
    const renewed = await keys.renew(known, { waitUntil, suffices, mayFetch });
    if (renewed !== undefined) claims = await verified(text, renewed, expected);
  }
  if (typeof claims === "string") throw unusable(claims);
  return claims;
}

const UNKNOWN_KEY = "no known key verifies";

interface Expected {
  readonly issuer: string;
  readonly audience: string[];
  readonly dependencies: Pick<AuthorizationServerPorts, "configuration" | "clock">;
}

/** The claims, or the reason why the token is refused. */
async function verified(
  text: string,
  keys: ConnectorKeys,
  { issuer, audience, dependencies: { configuration, clock } }: Expected,
): Promise<JWTPayload | string> {
  const { clockSkew } = oidcProviderOf(configuration().configuration).assertion;
  try {
    const { payload, protectedHeader } = await jwtVerify(text, keys, {
      issuer,
      audience,
      algorithms: [...ASYMMETRIC_ALGORITHMS],
      requiredClaims: ["exp", "sub"],
      clockTolerance: clockSkew / 1_000,
      currentDate: new Date(clock.now()),
    });
    if (!TYPES.has(shortened(protectedHeader.typ))) return "typ names another kind of JWT";
    // A logout token has them (OpenID Connect Back-Channel Logout 1.0 §2.4), and a bound token proves nothing by itself.
    if (payload.events !== undefined || payload.cnf !== undefined) return "it is no bearer token";
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) return UNKNOWN_KEY;
    // Keys that cannot be used are the provider's doing, and WebCrypto has errors of its own for them.
    return cause instanceof errors.JOSEError ? cause.code : "no key could verify it";
  }
}

const TYPES: ReadonlySet<string | undefined> = new Set([undefined, "jwt", "at+jwt"]);

/** RFC 7515 §4.1.9: compared without case, and `application/` goes without saying. */
function shortened(type: string | undefined): string | undefined {
  return type?.toLowerCase().replace(/^application\//, "");
}

/** RFC 9068 §2.2 and OpenID Connect Core §2; an ID token of one audience names nobody else. */
function clientOf({ client_id, azp, aud }: JWTPayload, clientID: string): string | undefined {
  const named = client_id ?? azp ?? ([aud].flat().includes(clientID) ? clientID : undefined);
  return typeof named === "string" && named !== "" && named.length <= MAX_NAME && !/\p{Cc}/u.test(named)
    ? named
    : undefined;
}

/** Names go into audit records. */
const MAX_NAME = 512;

function ofAnotherType(detail?: string): OAuthError {
  return unacceptableToken("subject_token", "is not of the type that is given", detail);
}

function unusable(detail: string): OAuthError {
  return unacceptableToken("subject_token", "is not active, or not meant for this client", detail);
}

function unavailable(): OAuthError {
  return new OAuthError("temporarily_unavailable", {
    status: 503,
    retryAfter: 5,
    description: "the subject_token cannot be verified for now",
  });
}
