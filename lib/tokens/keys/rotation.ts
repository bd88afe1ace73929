import type { SigningKeyRecord } from "../../stores/signing-keys.ts";

/** Milliseconds, all of them. */
export interface RotationSchedule {
  /** How long a key signs. */
  readonly period: number;
  /** How long a key is in the JWKS before it signs, until no copy of the document is left that lacks it. */
  readonly ahead: number;
  /** How long a key stays there after it signed, until the last token that it can have signed has expired. */
  readonly kept: number;
}

/** What is to be done about the keys. */
export interface Rotation {
  /** Those that stay, as they are from now on. */
  readonly keys: readonly SigningKeyRecord[];
  /** Present when it takes another one beside them. */
  readonly next?: Pick<SigningKeyRecord, "publishedAt" | "signsFrom">;
}

/**
 * The step that the keys take now: published → signing → retired → removed. Undefined when there is none. Where no key can
 * sign the next one does at once, as nobody can know another.
 */
export function rotate(
  keys: readonly SigningKeyRecord[],
  now: number,
  schedule: RotationSchedule,
): Rotation | undefined {
  const staying = keys
    .filter(({ removedAt = Number.POSITIVE_INFINITY }) => now < removedAt)
    .map((key) => keptLongEnough(key, schedule));
  const newest = staying.find(({ retiresAt }) => retiresAt === undefined);
  if (newest === undefined) return { keys: staying, next: { publishedAt: now, signsFrom: now } };
  const endsAt = newest.signsFrom + schedule.period;
  if (now >= endsAt - schedule.ahead) {
    const signsFrom = Math.max(endsAt, now + schedule.ahead);
    const retiring = { ...newest, retiresAt: signsFrom, removedAt: signsFrom + schedule.kept };
    return {
      keys: staying.map((key) => (key === newest ? retiring : key)),
      next: { publishedAt: now, signsFrom },
    };
  }
  const isSame = staying.length === keys.length && staying.every((key, index) => key === keys[index]);
  return isSame ? undefined : { keys: staying };
}

/**
 * The key that signs at a time. Where a clock was set back behind all of them it is the newest; undefined when there is
 * none.
 */
export function signingKeyAt(keys: readonly SigningKeyRecord[], now: number): SigningKeyRecord | undefined {
  const signing = keys.filter(
    ({ signsFrom, retiresAt = Number.POSITIVE_INFINITY }) => signsFrom <= now && now < retiresAt,
  );
  const [latest] = signing.sort((one, other) => other.signsFrom - one.signsFrom);
  return latest ?? keys.find(({ retiresAt }) => retiresAt === undefined);
}

/** Tokens may live longer than when the key's end was decided: it only ever moves away. */
function keptLongEnough(key: SigningKeyRecord, { kept }: RotationSchedule): SigningKeyRecord {
  const { retiresAt, removedAt } = key;
  if (retiresAt === undefined || removedAt === undefined || removedAt >= retiresAt + kept) return key;
  return { ...key, removedAt: retiresAt + kept };
}
