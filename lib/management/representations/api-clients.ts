import type { ApiClientRecord, KeyPairRecord } from "../../stores/api-clients.ts";
import type { ApiClient } from "../schemas/api-clients.ts";
import type { KeyPair } from "../schemas/key-pairs.ts";

/** An API client as the management API and the CLI show it. Times are ISO 8601 in UTC. */
export function representApiClient(record: ApiClientRecord): ApiClient {
  return {
    clientId: record.clientId,
    name: record.name,
    description: record.description ?? "",
    scopes: record.scopes,
    resources: record.resources,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    keyPairs: record.keyPairs.map(representKeyPair),
  };
}

/** A key pair without key material; the fingerprint names the key. `lastUsedAt`, an hour, is absent until its first token. */
export function representKeyPair(keyPair: KeyPairRecord): KeyPair {
  return {
    keyPairId: keyPair.keyPairId,
    fingerprint: keyPair.fingerprint,
    status: keyPair.status,
    createdAt: new Date(keyPair.createdAt).toISOString(),
    ...(keyPair.lastUsedAt !== undefined && { lastUsedAt: new Date(keyPair.lastUsedAt).toISOString() }),
    ...(keyPair.revokedAt !== undefined && { revokedAt: new Date(keyPair.revokedAt).toISOString() }),
  };
}
