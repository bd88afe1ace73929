import { auditEvent } from "../../audit/event.ts";
import { boundedMap } from "../../bounded-map.ts";
import type { Dependencies } from "../../dependencies.ts";
import { createRateLimit } from "../../rate-limit.ts";
import type { KeySet, SigningKeyRecord, SigningKeys } from "../../stores/signing-keys.ts";
import { knownKeys } from "./known-keys.ts";
import { type KeySecret, makeOwnKey, openOwnKey } from "./own-key.ts";
import { type Rotation, rotate, signingKeyAt } from "./rotation.ts";
import { rotationSchedule } from "./schedule.ts";
import type { SigningKey } from "./signing-crypto.ts";

/** A key that signs, with the `kid` that it has in the JWKS. */
export interface Signer {
  readonly keyId: string;
  readonly key: SigningKey;
}

/** The keys that the service makes for itself, one set for all instances of a region. */
export interface OwnKeys {
  /**
   * The key that signs now; makes the first one.
   * @throws KeySecretError when it cannot be opened
   */
  signer(): Promise<Signer>;
  /**
   * Takes the step of the rotation that is due, if one is, and opens the key that signs.
   * @throws KeySecretError when it cannot be opened
   */
  tend(): Promise<void>;
  /** Removes all of them, at once and for good. */
  remove(): Promise<void>;
  /** Those that are not removed yet, by the id that a signature names. Re-reads, within bounds, when it is not known. */
  find(keyId: string): Promise<SigningKeyRecord | undefined>;
  /** All that are not removed yet. */
  published(): Promise<readonly SigningKeyRecord[]>;
}

export interface OwnKeysParts extends Pick<Dependencies, "configuration" | "clock" | "random"> {
  readonly signingKeys: SigningKeys;
  readonly keySecret: KeySecret;
}

/** Ids that are invented cost nothing, so what they make the store do is bounded, for all of them together. */
const REREADS = { capacity: 10, perSecond: 1 };
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;
/** Each further round means that another instance changed the keys meanwhile. */
const MAX_ROUNDS = 5;
const UNSTEADY = "The signing keys keep changing.";
const MAX_OPENED = 10;

export function createOwnKeys(parts: OwnKeysParts): OwnKeys {
  const { clock, signingKeys, keySecret } = parts;
  const keys = knownKeys(signingKeys, clock);
  const opened = boundedMap<string, SigningKey>(MAX_OPENED);
  const rereads = createRateLimit(clock, REREADS, 1);

  /** Of many instances that see the same step due, the store lets one take it; all go on with what came of it. */
  async function rotated(): Promise<KeySet> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const known = await keys.read();
      const step = rotate(known.keys, clock.now(), rotationSchedule(parts.configuration().configuration));
      if (step === undefined) return known;
      await take(step, known, parts);
    }
    throw new Error(UNSTEADY);
  }

  async function signer(): Promise<Signer> {
    const known = signingKeyAt((await keys.current()).keys, clock.now());
    const record = known ?? signingKeyAt((await rotated()).keys, clock.now());
    if (record === undefined) throw new Error("There is no signing key.");
    const { keyId } = record;
    const key = opened.get(keyId) ?? (await openOwnKey(record, keySecret));
    opened.put(keyId, key);
    return { keyId, key };
  }

  async function remove(): Promise<void> {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const known = await keys.read();
      if (known.keys.length === 0) return;
      await take({ keys: [] }, known, parts);
    }
    throw new Error(UNSTEADY);
  }

  const isPublished = ({ removedAt = Number.POSITIVE_INFINITY }: SigningKeyRecord) => clock.now() < removedAt;
  const among = (set: KeySet, keyId: string) => set.keys.find((key) => key.keyId === keyId && isPublished(key));
  return {
    signer,
    remove,
    tend: async () => {
      await rotated();
      await signer();
    },
    find: async (keyId) => {
      const known = among(await keys.current(), keyId);
      if (known !== undefined || !THUMBPRINT.test(keyId) || !rereads.take("all")) return known;
      const found = among(await keys.read(), keyId);
      if (found !== undefined) rereads.giveBack("all");
      return found;
    },
    published: async () => {
      const known = await keys.current();
      // Another instance may have made the first key a moment ago, which signs at once.
      const newest = known.keys.length > 0 || !rereads.take("all") ? known : await keys.read();
      return newest.keys.filter(isPublished);
    },
  };
}

/** Nothing happens when the keys are not the known ones any more. */
async function take(step: Rotation, known: KeySet, parts: OwnKeysParts): Promise<void> {
  const next = step.next && (await makeOwnKey(step.next, parts.keySecret, parts.random));
  const keys = next === undefined ? step.keys : [...step.keys, next];
  const removed = known.keys.filter(({ keyId }) => !keys.some((key) => key.keyId === keyId));
  const event = auditEvent(parts, {
    type: "signing_keys.changed",
    outcome: "success",
    details: {
      ...(next !== undefined && { published: next.keyId }),
      ...(removed.length > 0 && { removed: removed.map(({ keyId }) => keyId).join(" ") }),
    },
  });
  await parts.signingKeys.replace(known.revision, keys, event);
}
