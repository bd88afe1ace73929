import { auditEvent } from "../../audit/event.ts";
import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { Clock } from "../../kernel/clock.ts";
import { createRateLimit } from "../../kernel/rate-limit.ts";
import type { KeySet, SigningKeyRecord, SigningKeys } from "../../stores/signing-keys.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { type KeySecret, makeOwnKey, openOwnKey } from "./own-key.ts";
import { type Rotation, rotate, rotationSchedule, signingKeyAt } from "./rotation.ts";
import type { SigningKey } from "./signing-crypto.ts";

/** A key that signs, with the `kid` that it has in the JWKS. */
export interface Signer {
  readonly keyId: string;
  readonly key: SigningKey;
}

/** The keys that the service generates. All instances of a region share one set. */
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
  refresh(): Promise<void>;
  /** Removes all of them, at once and for good. */
  remove(): Promise<void>;
  /** The key with the id that a signature names, if it is not removed. An unknown id causes a read, within limits. */
  find(keyId: string): Promise<SigningKeyRecord | undefined>;
  /** All keys that are not removed. */
  published(): Promise<readonly SigningKeyRecord[]>;
}

export interface OwnKeysParts extends Pick<AuthorizationServerPorts, "configuration" | "clock" | "random"> {
  readonly signingKeys: SigningKeys;
  readonly keySecret: KeySecret;
}

/** Anybody can invent ids, so the reads that they cause are limited, for all ids together. */
const REREADS = { capacity: 10, perSecond: 1 };
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;
/** Each further round means that another instance has changed the keys. */
const MAX_ROUNDS = 5;
const UNSTEADY = "The signing keys keep changing.";
const MAX_OPENED = 10;

export function createOwnKeys(parts: OwnKeysParts): OwnKeys {
  const { clock, signingKeys, keySecret } = parts;
  const keys = knownKeys(signingKeys, clock);
  const opened = boundedCache<string, SigningKey>(MAX_OPENED);
  const rereads = createRateLimit(clock, REREADS, 1);

  /** Several instances may see that the same step is due. The store lets one of them take it, and all use the result. */
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
    refresh: async () => {
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

/** Nothing happens if the keys have changed since they were read. */
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

/** The region's key set as this instance knows it. It holds plain values: requests share no promise (D29). */
interface KnownKeys {
  /** The key set, at most a few seconds old. */
  current(): Promise<KeySet>;
  /** Reads now. */
  read(): Promise<KeySet>;
}

/** Milliseconds. A key signs long after it was published, so a set of this age can lack only a first key. */
const FRESH = 10_000;

function knownKeys(signingKeys: Pick<SigningKeys, "read">, clock: Clock): KnownKeys {
  let known: KeySet | undefined;
  /** When the latest read began. Requests that come meanwhile use the known set. */
  let askedAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<KeySet> {
    askedAt = clock.now();
    try {
      const found = await signingKeys.read();
      // Keeps the same objects: what was derived from them stays in use.
      if (known === undefined || found.revision !== known.revision) known = newer(known, found);
      return known;
    } catch (error) {
      askedAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  return {
    current: async () => {
      // A clock that was set back counts as passed time.
      if (known !== undefined && Math.abs(clock.now() - askedAt) < FRESH) return known;
      return read();
    },
    read,
  };
}

/** Of two concurrent reads, the later answer may be the older one. */
function newer(known: KeySet | undefined, found: KeySet): KeySet {
  return known !== undefined && known.revision > found.revision ? known : found;
}
