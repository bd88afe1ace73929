import type { Configuration } from "../../config/configuration.ts";
import type { SigningKeyRecord } from "../../stores/signing-keys.ts";

/** Milliseconds, all of them. */
interface RotationSchedule {
  /** How long a key signs. */
  readonly period: number;
  /** How long a key is in the JWKS before it signs. After this time no cached copy of the document lacks it. */
  readonly ahead: number;
  /** How long a key stays in the JWKS after it signed. After this time every token that it signed has expired. */
  readonly retention: number;
}

/** One step of the rotation. */
export interface Rotation {
  /** The keys that stay. */
  readonly keys: readonly SigningKeyRecord[];
  /** Present if another key is needed. */
  readonly next?: Pick<SigningKeyRecord, "publishedAt" | "signsFrom">;
}

/**
 * The step that is due now: published → signing → retired → removed. Undefined if there is none. If no key can sign, the next
 * key signs at once, because nobody can know another key.
 */
export function rotate(
  keys: readonly SigningKeyRecord[],
  now: number,
  schedule: RotationSchedule,
): Rotation | undefined {
  const staying = keys
    .filter(({ removedAt = Number.POSITIVE_INFINITY }) => now < removedAt)
    .map((key) => withRetention(key, schedule));
  const newest = staying.find(({ retiresAt }) => retiresAt === undefined);
  if (newest === undefined) return { keys: staying, next: { publishedAt: now, signsFrom: now } };
  const endsAt = newest.signsFrom + schedule.period;
  if (now >= endsAt - schedule.ahead) {
    const signsFrom = Math.max(endsAt, now + schedule.ahead);
    const retiring = { ...newest, retiresAt: signsFrom, removedAt: signsFrom + schedule.retention };
    return {
      keys: staying.map((key) => (key === newest ? retiring : key)),
      next: { publishedAt: now, signsFrom },
    };
  }
  const isSame = staying.length === keys.length && staying.every((key, index) => key === keys[index]);
  return isSame ? undefined : { keys: staying };
}

/**
 * The key that signs at a time. If the clock was set back before all keys, it is the newest one. Undefined if there is no
 * key.
 */
export function signingKeyAt(keys: readonly SigningKeyRecord[], now: number): SigningKeyRecord | undefined {
  const signing = keys.filter(
    ({ signsFrom, retiresAt = Number.POSITIVE_INFINITY }) => signsFrom <= now && now < retiresAt,
  );
  const [latest] = signing.sort((one, other) => other.signsFrom - one.signsFrom);
  return latest ?? keys.find(({ retiresAt }) => retiresAt === undefined);
}

/** The rotation of the service's own keys under a configuration (D84). */
export function rotationSchedule(configuration: Configuration): RotationSchedule {
  return { period: PERIOD, ahead: AHEAD, retention: Math.max(MIN_RETENTION, longestLifetime(configuration)) + MARGIN };
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const PERIOD = 90 * DAY;
/** The JWKS may be cached for five minutes. Libraries cache it for ten minutes anyway, and clocks differ. */
const AHEAD = 15 * MINUTE;
/** For instances that learn late that a key has retired, and for clocks that differ. */
const MARGIN = 5 * MINUTE;
/** ID tokens are compared (`id_token_hint`) long after they were issued. */
const MIN_RETENTION = DAY;

/** The longest lifetime of any signed token, milliseconds. An exchanged token lives as long as the other tokens of its app. */
function longestLifetime({ apps, oidcProvider }: Configuration): number {
  const ofApps = apps.map((app) => (app.type === "oidc" ? app.accessToken.lifetime : 0));
  const { apiClients, registration } = oidcProvider ?? {};
  return Math.max(0, ...ofApps, registration?.accessToken.lifetime ?? 0, apiClients?.accessTokenLifetime ?? 0);
}

/** Tokens may now live longer than when the removal of the key was decided. The removal only ever moves to a later time. */
function withRetention(key: SigningKeyRecord, { retention }: RotationSchedule): SigningKeyRecord {
  const { retiresAt, removedAt } = key;
  if (retiresAt === undefined || removedAt === undefined || removedAt >= retiresAt + retention) return key;
  return { ...key, removedAt: retiresAt + retention };
}
