import { boundedCache } from "../../../lib/kernel/bounded-cache.ts";
import type { Clock } from "../../../lib/kernel/clock.ts";
import type { ApiClients, KeyPairUse, VerificationRecord } from "../../../lib/stores/api-clients.ts";

/** How long a change by another process, a command for instance, may go unseen, milliseconds. Issuing sees it at once. */
const LIFETIME = 10_000;
const CAPACITY = 10_000;

/** The caches of the other processes of a server. */
export interface OtherCaches {
  /** Resolves when none of them has what it knew of the client. */
  changed(clientId: string): Promise<void>;
  /** Told likewise. */
  onChanged(listener: (clientId: string) => void): void;
}

const NONE: OtherCaches = { changed: () => Promise.resolve(), onChanged: () => undefined };

interface Kept {
  readonly record: VerificationRecord;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Keeps verification records for a while: a busy client costs no read for each request. A kept record may be stale, as
 * everywhere; `Tokens.issue` has the last word on all that could be wrong in it.
 */
export function withVerificationCache(apiClients: ApiClients, clock: Clock, others: OtherCaches = NONE): ApiClients {
  const kept = boundedCache<string, Kept>(CAPACITY);
  /** Also after a failure: the change may be stored. */
  const forgetting = async <T>(clientId: string, change: Promise<T>): Promise<T> => {
    try {
      return await change;
    } finally {
      kept.delete(clientId);
      await others.changed(clientId);
    }
  };
  others.onChanged((clientId) => kept.delete(clientId));
  return {
    ...apiClients,
    update: (target, ...change) => forgetting(target.clientId, apiClients.update(target, ...change)),
    delete: (target, ...change) => forgetting(target.clientId, apiClients.delete(target, ...change)),
    addKeyPair: (target, ...change) => forgetting(target.clientId, apiClients.addKeyPair(target, ...change)),
    revokeKeyPair: (target, ...change) => forgetting(target.clientId, apiClients.revokeKeyPair(target, ...change)),
    recordUse: async (use) => {
      const known = kept.get(use.clientId);
      if (known !== undefined) kept.put(use.clientId, { ...known, record: usedAt(known.record, use) });
      await apiClients.recordUse(use);
    },
    getForVerification: async (clientId, options) => {
      const known = options?.authoritative === true ? undefined : kept.get(clientId);
      if (known !== undefined && clock.now() < known.until) return { record: known.record, authoritative: false };
      const { record } = await apiClients.getForVerification(clientId);
      if (record === undefined) kept.delete(clientId);
      else kept.put(clientId, { record, until: clock.now() + LIFETIME });
      return { record, authoritative: true };
    },
  };
}

/** Noted at once, so that the requests until it is stored do not note it again. */
function usedAt(record: VerificationRecord, { keyPairId, hour }: KeyPairUse): VerificationRecord {
  const keyPairs = record.keyPairs.map((keyPair) =>
    keyPair.keyPairId === keyPairId ? { ...keyPair, lastUsedAt: hour } : keyPair,
  );
  return { ...record, keyPairs };
}
