import type { VerificationRecord } from "../../lib/stores/api-clients.ts";

/** How long a cached record may outlive a change that KV has not spread yet, seconds. KV accepts 60 and more. */
const LIFETIME = 300;

/** The record as KV has it, undefined when it has none. It may be stale; issuing a token checks what must not be. */
export async function cachedVerification(
  clients: KVNamespace,
  clientId: string,
): Promise<VerificationRecord | undefined> {
  return (await clients.get<VerificationRecord>(keyOf(clientId), "json")) ?? undefined;
}

export async function cacheVerification(clients: KVNamespace, record: VerificationRecord): Promise<void> {
  await clients.put(keyOf(record.clientId), JSON.stringify(record), { expirationTtl: LIFETIME });
}

export async function forgetVerification(clients: KVNamespace, clientId: string): Promise<void> {
  await clients.delete(keyOf(clientId));
}

/** The number is the schema of the cached record: a release that changes it reads its own entries only. */
function keyOf(clientId: string): string {
  return `verification/1/${clientId}`;
}
