import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import type { VerificationRecord } from "../../lib/stores/api-clients.ts";
import { logCacheFailure } from "./log.ts";

/**
 * Verification records as they were read from the registry not long ago; null stands for a client that did not exist.
 * They may be stale; issuing a token checks what must not be.
 */
export interface ClientCache {
  /** Undefined when nothing is known. A cache that does not answer knows nothing. */
  get(clientId: string): Promise<VerificationRecord | null | undefined>;
  /** Keeps what was just read from the registry. The request does not wait for KV. */
  keep(clientId: string, record: VerificationRecord | null): void;
  /** After a change that this isolate made. */
  forget(clientId: string): void;
}

/** What is used of a KV namespace. */
export interface ClientNamespace {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options: { readonly expirationTtl: number }): Promise<void>;
  delete(key: string): Promise<void>;
}

/** How long a record may outlive a change that KV has not spread yet, seconds. KV accepts 60 and more. */
const LIFETIME = 60;
/** Clients that one isolate remembers. */
const CAPACITY = 10_000;

interface Kept {
  readonly record: VerificationRecord | null;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** KV takes one write a second for a key; it gets one a minute from an isolate. */
  readonly writtenUntil: number;
}

/** The isolate's own memory, as plain values (D29), over KV. */
export function clientCache(
  clients: ClientNamespace,
  clock: Clock,
  waitUntil: (work: Promise<void>) => void,
): ClientCache {
  const memory = boundedMap<string, Kept>(CAPACITY);
  return {
    get: async (clientId) => {
      const kept = memory.get(clientId);
      return kept !== undefined && clock.now() < kept.until ? kept.record : read(clients, clientId);
    },
    keep: (clientId, record) => {
      const now = clock.now();
      const until = now + LIFETIME * 1000;
      const writtenUntil = memory.get(clientId)?.writtenUntil ?? 0;
      const isDue = writtenUntil <= now;
      memory.put(clientId, { record, until, writtenUntil: isDue ? until : writtenUntil });
      if (isDue) waitUntil(write(clients, clientId, record).catch(logCacheFailure));
    },
    forget: (clientId) => memory.delete(clientId),
  };
}

/** In KV only; isolates forget by themselves. */
export async function forgetVerification(clients: ClientNamespace, clientId: string): Promise<void> {
  await clients.delete(keyOf(clientId));
}

async function read(clients: ClientNamespace, clientId: string): Promise<VerificationRecord | null | undefined> {
  try {
    const text = await clients.get(keyOf(clientId));
    return text === null ? undefined : (JSON.parse(text) as VerificationRecord | null);
  } catch (cause) {
    logCacheFailure(cause);
    return undefined;
  }
}

async function write(clients: ClientNamespace, clientId: string, record: VerificationRecord | null): Promise<void> {
  await clients.put(keyOf(clientId), JSON.stringify(record), { expirationTtl: LIFETIME });
}

/** The number is the schema of the cached record: a release that changes it reads its own entries only. */
function keyOf(clientId: string): string {
  return `verification/1/${clientId}`;
}
