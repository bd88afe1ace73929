import { waitUntil } from "cloudflare:workers";
import type { ApiClients, VerificationRead } from "../../lib/stores/api-clients.ts";
import { cachedVerification, cacheVerification } from "./client-cache.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";

export function cloudflareApiClients(env: StateBindings): ApiClients {
  const registry = () => registryOf(env);
  return {
    create: (record, event) => registry().createClient(record, event),
    get: (organizationId, clientId) => registry().getClient(organizationId, clientId),
    list: (organizationId, page) => registry().listClients(organizationId, page),
    update: (target, change, at, event) => registry().updateClient(target, change, at, event),
    delete: (target, options, _at, event) => registry().deleteClient(target, options, event),
    addKeyPair: (target, keyPair, event) => registry().addKeyPair(target, keyPair, event),
    revokeKeyPair: (target, keyPairId, at, event) => registry().revokeKeyPair(target, keyPairId, at, event),
    getForVerification: (clientId, options) => verificationRead(env, clientId, options?.authoritative === true),
  };
}

/** A miss is never an answer: KV keeps misses too, and the client may have been created since. */
async function verificationRead(
  env: StateBindings,
  clientId: string,
  authoritative: boolean,
): Promise<VerificationRead> {
  const cached = authoritative ? undefined : await cachedVerification(env.CLIENTS, clientId);
  if (cached !== undefined) return { record: cached, authoritative: false };
  const record = await registryOf(env).verificationRecord(clientId);
  if (record !== undefined) waitUntil(cacheVerification(env.CLIENTS, record));
  return { record, authoritative: true };
}
