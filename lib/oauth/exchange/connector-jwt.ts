import { errors, type JWTPayload, jwtVerify } from "jose";
import type { ConnectorKeys } from "../../connectors/keys.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { JsonObject } from "../../json.ts";
import { isIdToken } from "../../tokens/id-token-claims.ts";
import type { OAuthClient } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import { oidcProviderOf } from "../provider.ts";
import type { ConnectorToken } from "./connector-token.ts";
import { unacceptableToken } from "./refusals.ts";
import type { ExchangeContext } from "./subject.ts";
import { ACCESS_TOKEN_TYPE, ID_TOKEN_TYPE, JWT_TYPE } from "./token-types.ts";

/** A token of a connector's provider that is good, and meant for this instance or the caller. */
export interface VerifiedConnectorToken {
  readonly issuer: string;
  readonly sub: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Whom the provider issued it to. */
  readonly client: string;
  readonly claims: JsonObject;
}

/** Asymmetric only: a key that a provider publishes must never pass as a shared secret. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
const ACCEPTED_TYPES: ReadonlySet<string> = new Set([ACCESS_TOKEN_TYPE, JWT_TYPE, ID_TOKEN_TYPE]);

/**
 * Signature, issuer, times and audience of a token that a connector's provider issued: an ID token is for the connector's
 * own client, another token for that or for one of the caller's `subjectAudiences`. What tells that it is an ID token goes
 * under that type alone, or the rules of ID tokens could be left aside by naming another.
 *
 * @throws {OAuthError} `invalid_request`; `temporarily_unavailable` when the provider's keys cannot be had
 */
export async function verifyConnectorToken(
  token: ConnectorToken,
  type: string,
  { tokenExchange }: Pick<OAuthClient, "tokenExchange">,
  dependencies: Pick<Dependencies, "configuration" | "clock">,
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

/** A key that is not known may be new: the provider is asked once more, as far as there is budget for it. */
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
  readonly dependencies: Pick<Dependencies, "configuration" | "clock">;
}

/** The claims, or why there are none. */
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
      algorithms: ALGORITHMS,
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
