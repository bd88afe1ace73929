import type { ApiClients } from "../api-clients.ts";
import { createApiClient, deleteApiClient, getApiClient, listApiClients, updateApiClient } from "./api-clients.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import { addKeyPair, revokeKeyPair } from "./key-pair-changes.ts";
import { recordKeyPairUse } from "./key-pairs.ts";
import { readVerificationRecord } from "./verification.ts";

/** Reads for verification are never cached here, so each is authoritative. */
export function sqlApiClients(executor: SqlExecutor): ApiClients {
  return {
    create: (record, event) => executor.write((db) => createApiClient(db, localConsequences(db), record, event)),
    get: (organizationId, clientId) => executor.read((db) => getApiClient(db, organizationId, clientId)),
    list: (organizationId, page) => executor.read((db) => listApiClients(db, organizationId, page)),
    update: (target, change, at, event) =>
      executor.write((db) => updateApiClient(db, localConsequences(db), target, change, at, event)),
    delete: (target, options, event) =>
      executor.write((db) => deleteApiClient(db, localConsequences(db), target, options, event)),
    addKeyPair: (target, keyPair, event) =>
      executor.write((db) => addKeyPair(db, localConsequences(db), target, keyPair, event)),
    revokeKeyPair: (target, keyPairId, at, event) =>
      executor.write((db) => revokeKeyPair(db, localConsequences(db), target, keyPairId, at, event)),
    recordUse: (use) => executor.write((db) => recordKeyPairUse(db, use)),
    getForVerification: async (clientId) => ({
      record: await executor.readLatest((db) => readVerificationRecord(db, clientId)),
      authoritative: true,
    }),
  };
}
