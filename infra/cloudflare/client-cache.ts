import { boundedCache } from "../../lib/kernel/bounded-cache.ts";
import type { Clock } from "../../lib/kernel/clock.ts";
import { withTimeout } from "../../lib/kernel/timers.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { VerificationRecord } from "../../lib/stores/api-clients.ts";

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
/** How long an isolate remembers what KV had, seconds. */
const BORROWED = 30;
/** How long KV may take to answer, milliseconds: the registry would. */
const KV_TIMEOUT = 1000;
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
  logger: Pick<Logger, "error">,
): ClientCache {
  const memory = boundedCache<string, Kept>(CAPACITY);
  const logFailure = (cause: unknown) => logger.error("the cache of API clients failed", { cause: causeOf(cause) });
  return {
    get: async (clientId) => {
      const kept = memory.get(clientId);
      if (kept !== undefined && clock.now() < kept.until) return kept.record;
      const record = await read(clients, clientId, logFailure);
      // What the registry said meanwhile is newer.
      if (record !== undefined && memory.get(clientId) === kept) {
        const until = clock.now() + BORROWED * 1000;
        memory.put(clientId, { record, until, writtenUntil: kept?.writtenUntil ?? 0 });
      }
      return record;
    },
    keep: (clientId, record) => {
      const now = clock.now();
      const until = now + LIFETIME * 1000;
      const writtenUntil = memory.get(clientId)?.writtenUntil ?? 0;
      const isDue = writtenUntil <= now;
      memory.put(clientId, { record, until, writtenUntil: isDue ? until : writtenUntil });
      if (isDue) waitUntil(write(clients, clientId, record).catch(logFailure));
    },
    forget: (clientId) => memory.delete(clientId),
  };
}

/** In KV only; isolates forget by themselves. */
export async function forgetVerification(clients: ClientNamespace, clientId: string): Promise<void> {
  await clients.delete(keyOf(clientId));
}

async function read(
  clients: ClientNamespace,
  clientId: string,
  logFailure: (cause: unknown) => void,
): Promise<VerificationRecord | null | undefined> {
  try {
    const text = await withTimeout(KV_TIMEOUT, clients.get(keyOf(clientId)));
    const record: unknown = text === null ? undefined : JSON.parse(text);
    return isRecordOf(clientId, record) ? record : undefined;
  } catch (cause) {
    logFailure(cause);
    return undefined;
  }
}

/** Releases that run side by side may write to one entry what only one of them reads. */
function isRecordOf(clientId: string, value: unknown): value is VerificationRecord | null {
  if (value === null) return true;
  const record: Partial<VerificationRecord> = typeof value === "object" ? { ...value } : {};
  return record.clientId === clientId && typeof record.grantRevision === "number" && Array.isArray(record.keyPairs);
}

async function write(clients: ClientNamespace, clientId: string, record: VerificationRecord | null): Promise<void> {
  await clients.put(keyOf(clientId), JSON.stringify(record), { expirationTtl: LIFETIME });
}

/** The number is the schema of the cached record: a release that changes it reads its own entries only. */
function keyOf(clientId: string): string {
  return `verification/2/${clientId}`;
}
