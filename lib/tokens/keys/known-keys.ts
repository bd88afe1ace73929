import type { Clock } from "../../clock.ts";
import type { KeySet, SigningKeys } from "../../stores/signing-keys.ts";

/** The region's key set as this instance knows it: plain values, no promise is shared between requests (D29). */
export interface KnownKeys {
  /** What was read a few seconds ago at most. */
  current(): Promise<KeySet>;
  /** Reads now. */
  read(): Promise<KeySet>;
}

/** Milliseconds. A key signs long after it was published, so that what is as old as this lacks nothing but a first key. */
const FRESH = 10_000;

export function knownKeys(signingKeys: Pick<SigningKeys, "read">, clock: Clock): KnownKeys {
  let known: KeySet | undefined;
  /** When the latest read began; whoever comes meanwhile goes on with what is known. */
  let askedAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<KeySet> {
    askedAt = clock.now();
    try {
      const found = await signingKeys.read();
      // The same objects as before: what was made of them stays in use.
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

/** Of two reads at once the later answer may be the older one. */
function newer(known: KeySet | undefined, found: KeySet): KeySet {
  return known !== undefined && known.revision > found.revision ? known : found;
}
