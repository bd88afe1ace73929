import { errors, jwtVerify } from "jose";
import type { SignalsConfiguration } from "../config/signals-configuration.ts";
import type { ConnectorKeys } from "../connectors/connectors.ts";
import type { Clock } from "../kernel/clock.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { RefreshingCache, WaitUntil } from "../kernel/refreshing-cache.ts";
import { ASYMMETRIC_ALGORITHMS } from "../protocol/oauth/asymmetric-algorithms.ts";
import { parseCompactJws } from "../protocol/oauth/jws.ts";
import { meaningOf } from "./event-meaning.ts";
import { SetError, SignalNotTakenError } from "./set-error.ts";

/** A security event token that was verified (RFC 8417 §2). Times in milliseconds since the epoch. */
export interface SecurityEvent {
  readonly jti: string;
  /** When it counts as unknown again: one of that age is refused. */
  readonly forgottenAt: number;
  /** URI of the event's type. */
  readonly type: string;
  readonly content: JsonObject;
  /** RFC 9493; absent where the event names none. */
  readonly subject: unknown;
  /** When it happened, as far as is told; never later than now. */
  readonly at: number;
}

/** A transmitter, and what its events are verified with. */
export interface EventSource {
  readonly settings: SignalsConfiguration;
  /** Of the people: the connector's. Undefined: its metadata could not be had. */
  readonly issuer: (waitUntil: WaitUntil) => Promise<string | undefined>;
  readonly keys: RefreshingCache<ConnectorKeys>;
  /** Whether an event with an unknown key may cause a fetch of the keys. Each call counts. */
  readonly mayLookUpKeys: () => boolean;
}

/** Characters of a token: far more than an event of one person takes. */
const LONGEST = 16_384;
const LONGEST_ID = 256;
/** Names of one and the same event (OpenID Shared Signals Framework 1.0 §4.1.2). */
const MOST_NAMES = 8;
/** Milliseconds by which clocks may differ. */
const SKEW = 60_000;
/** An event may wait that long at the transmitter, milliseconds. Its `jti` is remembered for longer. */
const OLDEST = 30 * 86_400_000;

/**
 * Verifies a security event token: `typ`, `iss`, signature, `aud`, `iat`, `jti` (RFC 8417, OpenID Shared Signals Framework 1.0 §4.1).
 * Whether it came before is for the caller to find out.
 *
 * @param issuer of the connector
 * @throws {SetError} what is wrong with it
 * @throws {SignalNotTakenError} the keys cannot be had
 */
export async function verifySecurityEvent(
  token: string,
  issuer: string,
  source: EventSource,
  context: { readonly clock: Clock; readonly waitUntil: WaitUntil },
): Promise<SecurityEvent> {
  const jws = token.length > LONGEST ? undefined : parseCompactJws(token);
  if (jws === undefined) throw malformed(`is no signed token (RFC 8417) of at most ${LONGEST} characters`);
  const { header, payload } = jws;
  // Nothing else that the provider signs may pass as an event, nor the other way round (RFC 8417 §2.3, RFC 8725 §3.11).
  if (shortened(header.typ) !== "secevent+jwt") throw malformed("has another typ than secevent+jwt");
  if (typeof header.alg !== "string" || !ASYMMETRIC_ALGORITHMS.includes(header.alg))
    throw new SetError(
      "invalid_key",
      `The event is signed with an algorithm that is not accepted; accepted: ${ACCEPTED}.`,
    );
  if (payload.iss !== (source.settings.issuer ?? issuer))
    throw new SetError("invalid_issuer", "The event is of another issuer than the one that is configured.");
  const now = context.clock.now();
  await verifySignature(token, source, now, context.waitUntil);
  if (!audiencesOf(payload).some((one) => source.settings.audience.includes(one)))
    throw new SetError("invalid_audience", "The event is for another audience than those that are configured.");
  return readEvent(payload, now);
}

const ACCEPTED = ASYMMETRIC_ALGORITHMS.join(", ");

/** RFC 7515 §4.1.9: compared without case, and `application/` goes without saying. */
function shortened(type: unknown): unknown {
  return typeof type === "string" ? type.toLowerCase().replace(/^application\//, "") : type;
}

function audiencesOf({ aud }: JsonObject): readonly string[] {
  return [aud].flat().filter((one): one is string => typeof one === "string");
}

/** An unknown key may be new. The provider is asked once more if the budget allows it. */
async function verifySignature(
  token: string,
  { keys, mayLookUpKeys: mayFetch }: EventSource,
  now: number,
  waitUntil: WaitUntil,
): Promise<void> {
  const known = await keys.get(waitUntil);
  if (known === undefined) throw new SignalNotTakenError("the keys of the transmitter cannot be had");
  if (await isSignedBy(known, token, now)) return;
  const suffices = (keySet: ConnectorKeys) => isSignedBy(keySet, token, now);
  const renewed = await keys.renew(known, { waitUntil, suffices, mayFetch });
  // Neither that it is not known now, nor that nobody may ask for now, says that the event is not genuine.
  if (renewed === undefined) throw new SignalNotTakenError("the keys of the transmitter cannot be had");
  if (!(await isSignedBy(renewed, token, now)))
    throw new SetError("invalid_key", "The event is signed with a key that is not known.");
}

/** False: its key is not among these. @throws {SetError} its signature or its times are wrong */
async function isSignedBy(keys: ConnectorKeys, token: string, now: number): Promise<boolean> {
  try {
    await jwtVerify(token, keys, {
      algorithms: [...ASYMMETRIC_ALGORITHMS],
      clockTolerance: SKEW / 1_000,
      currentDate: new Date(now),
    });
    return true;
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) return false;
    if (cause instanceof errors.JWKSMultipleMatchingKeys)
      throw new SetError("invalid_key", "The event does not say which key signed it (kid), and several may have.");
    if (cause instanceof errors.JWTExpired || cause instanceof errors.JWTClaimValidationFailed)
      throw malformed("is not valid at this time");
    throw new SetError("invalid_key", "The signature of the event does not verify.");
  }
}

function readEvent(payload: JsonObject, now: number): SecurityEvent {
  const { jti, iat, toe, events, sub_id: subject } = payload;
  if (typeof jti !== "string" || jti === "" || jti.length > LONGEST_ID || !jti.isWellFormed())
    throw malformed(`has no jti of 1 to ${LONGEST_ID} characters`);
  const issuedAt = milliseconds(iat);
  if (issuedAt === undefined) throw malformed("has no iat");
  if (issuedAt > now + SKEW) throw malformed("is of the future");
  if (issuedAt < now - OLDEST) throw malformed("is older than 30 days");
  const [type, content] = eventOf(events);
  const happenedAt = endOfSecond(content.event_timestamp) ?? endOfSecond(toe) ?? endOfSecond(iat) ?? now;
  return {
    ...{ jti, type, content, forgottenAt: issuedAt + OLDEST + SKEW },
    subject: subject ?? content.subject,
    at: Math.min(happenedAt, now),
  };
}

/** The event, by the name of it that means something here: a transmitter may call one event by several (RFC 8417 §2.2). */
function eventOf(events: unknown): readonly [string, JsonObject] {
  const named = isJsonObject(events) ? Object.entries(events) : [];
  if (named.length > MOST_NAMES) throw malformed(`has more than ${MOST_NAMES} names`);
  const read = named.flatMap(([type, content]) =>
    isJsonObject(content) ? [{ type, content, meaning: meaningOf(type, content) }] : [],
  );
  const known = read.filter(({ meaning }) => meaning.about !== "other");
  const effects = new Set(known.map(({ meaning }) => (meaning.about === "person" ? meaning.change : meaning.about)));
  // Half of it would be done, and all of it acknowledged.
  if (effects.size > 1)
    throw malformed("has names that mean different things; accepted: one event, by any of its names");
  const isPurged = ({ meaning }: (typeof known)[number]) => meaning.about === "person" && meaning.isPurged === true;
  const chosen = known.find(isPurged) ?? known[0] ?? read[0];
  if (chosen === undefined) throw malformed("names no event");
  return [chosen.type, chosen.content];
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}

/** Times of events are in whole seconds: what began in the same one counts as before. */
function endOfSecond(seconds: unknown): number | undefined {
  return milliseconds(Number.isInteger(seconds) ? Number(seconds) + 1 : seconds);
}

function malformed(problem: string): SetError {
  return new SetError("invalid_request", `The event ${problem}.`);
}
