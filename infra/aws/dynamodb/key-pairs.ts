import type { ApiClientRecord, ChangeResult, ChangeTarget, KeyPairRecord } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { tombstoneId } from "../../../lib/stores/tombstone.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { type ClientDecision, changeClient, unlessStale } from "./client-change.ts";
import type { Database } from "./database.ts";
import { tombstoneWrite } from "./tombstones.ts";

/** Adds a key pair to its client's item; revoked ones stay in it, so that their fingerprints are known. */
export function addKeyPair(
  database: Database,
  audit: AuditWriter,
  target: ChangeTarget,
  keyPair: KeyPairRecord,
  event: AuditEvent,
): Promise<ChangeResult<ApiClientRecord>> {
  return changeClient<ApiClientRecord>(database, audit, target, event, (record) => {
    const stale = unlessStale(record, target);
    if (stale !== undefined) return stale;
    if (record.keyPairs.some(({ fingerprint }) => fingerprint === keyPair.fingerprint)) {
      return { kind: "answer", result: { outcome: "conflict", reason: "fingerprint_known" } };
    }
    const next = { ...record, keyPairs: [...record.keyPairs, keyPair], updatedAt: keyPair.createdAt };
    return { kind: "write", next, value: (written) => written };
  });
}

/** A key pair that is revoked already is the answer, whatever revision the caller saw: nothing is left to change. */
export function revokeKeyPair(
  database: Database,
  audit: AuditWriter,
  target: ChangeTarget,
  keyPairId: string,
  at: number,
  event: AuditEvent,
): Promise<ChangeResult<KeyPairRecord>> {
  return changeClient<KeyPairRecord>(database, audit, target, event, (record): ClientDecision<KeyPairRecord> => {
    const keyPair = record.keyPairs.find((known) => known.keyPairId === keyPairId);
    if (keyPair === undefined) return { kind: "answer", result: { outcome: "not_found" } };
    if (keyPair.status === "revoked") return { kind: "answer", result: { outcome: "done", value: keyPair } };
    const revoked: KeyPairRecord = { ...keyPair, status: "revoked", revokedAt: at };
    const keyPairs = record.keyPairs.map((known) => (known === keyPair ? revoked : known));
    return (
      unlessStale(record, target) ?? {
        kind: "write",
        next: { ...record, keyPairs, updatedAt: at },
        writes: [tombstoneWrite(database, tombstoneId.key(keyPairId), at)],
        value: () => revoked,
      }
    );
  });
}
