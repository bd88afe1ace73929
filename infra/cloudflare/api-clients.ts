import { waitUntil } from "cloudflare:workers";
import type { Clock } from "../../lib/kernel/clock.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { ApiClients, VerificationRead } from "../../lib/stores/api-clients.ts";
import { type ClientCache, clientCache } from "./client-cache.ts";
import type { StateBindings } from "./env.ts";
import { keyPairUses } from "./key-pair-uses.ts";
import { registryOf } from "./objects.ts";

export function cloudflareApiClients(env: StateBindings, clock: Clock, logger: Pick<Logger, "error">): ApiClients {
  const cache = clientCache(env.CLIENTS, clock, waitUntil, logger);
  const registry = registryOf(env);
  const changing = async <T>(clientId: string, change: Promise<T>): Promise<T> => {
    try {
      return await change;
    } finally {
      // Also after a failure: the change may be stored.
      cache.forget(clientId);
    }
  };
  return {
    create: (record, event) => changing(record.clientId, registry.createClient(record, event)),
    get: registry.getClient,
    list: registry.listClients,
    update: (target, change, at, event) => changing(target.clientId, registry.updateClient(target, change, at, event)),
    delete: (target, options, event) => changing(target.clientId, registry.deleteClient(target, options, event)),
    addKeyPair: (target, keyPair, event) => changing(target.clientId, registry.addKeyPair(target, keyPair, event)),
    revokeKeyPair: (target, keyPairId, at, event) =>
      changing(target.clientId, registry.revokeKeyPair(target, keyPairId, at, event)),
    recordUse: keyPairUses(clock, registry.recordKeyPairUse),
    getForVerification: (clientId, options) =>
      verificationRead(registry, cache, clientId, options?.authoritative === true),
  };
}

/**
 * That a client does not exist is kept too: an id that was deleted costs no read of the registry for each request. Since
 * the client may have been made meanwhile, such an answer is not authoritative (checklist 7).
 */
async function verificationRead(
  registry: ReturnType<typeof registryOf>,
  cache: ClientCache,
  clientId: string,
  authoritative: boolean,
): Promise<VerificationRead> {
  const cached = authoritative ? undefined : await cache.get(clientId);
  if (cached !== undefined) return { record: cached ?? undefined, authoritative: false };
  const read = await registry.verificationRecord(clientId);
  // A registry that still runs the former release knows no revisions: its clients are at the first.
  const record = read && { ...read, grantRevision: read.grantRevision ?? 1 };
  cache.keep(clientId, record ?? null);
  return { record, authoritative: true };
}
