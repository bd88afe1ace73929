import type { ApiClientRecord, ChangeResult, ChangeTarget, KeyPairRecord } from "../api-clients.ts";
import type { AuditEvent } from "../audit-log.ts";
import { tombstoneId } from "../tombstone.ts";
import { changeable, getApiClient } from "./api-clients.ts";
import type { Consequences } from "./consequences.ts";
import type { SqlDatabase } from "./database.ts";
import { insertKeyPair } from "./key-pairs.ts";

export function addKeyPair(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  keyPair: KeyPairRecord,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return db.transaction(() => {
    const found = changeable(db, target);
    if (found.outcome !== "done") return found;
    const client = found.value;
    if (client.keyPairs.some((known) => known.fingerprint === keyPair.fingerprint)) {
      return { outcome: "conflict", reason: "fingerprint_known" };
    }
    insertKeyPair(db, client.clientId, keyPair);
    const changed = { updatedAt: keyPair.createdAt, revision: client.revision + 1 };
    writeRevision(db, client.clientId, changed.revision, changed.updatedAt);
    consequences.event(event);
    return { outcome: "done", value: { ...client, ...changed, keyPairs: [...client.keyPairs, keyPair] } };
  });
}

/** A key pair that is revoked already is the answer, whatever revision the caller saw: nothing is left to change. */
export function revokeKeyPair(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  keyPairId: string,
  at: number,
  event: AuditEvent,
): ChangeResult<KeyPairRecord> {
  return db.transaction(() => {
    const client = getApiClient(db, target.organizationId, target.clientId);
    const keyPair = client?.keyPairs.find((known) => known.keyPairId === keyPairId);
    if (client === undefined || keyPair === undefined) return { outcome: "not_found" };
    if (keyPair.status === "revoked") return { outcome: "done", value: keyPair };
    const found = changeable(db, target);
    if (found.outcome !== "done") return found;
    const revoked: KeyPairRecord = { ...keyPair, status: "revoked", revokedAt: at };
    db.run("UPDATE key_pairs SET status = 'revoked', revoked_at = ? WHERE key_pair_id = ?", at, keyPairId);
    writeRevision(db, client.clientId, client.revision + 1, at);
    consequences.tombstones(client.clientId, [{ id: tombstoneId.key(keyPairId) }]);
    consequences.event(event);
    return { outcome: "done", value: revoked };
  });
}

function writeRevision(db: SqlDatabase, clientId: string, revision: number, at: number): void {
  db.run("UPDATE api_clients SET revision = ?, updated_at = ? WHERE client_id = ?", revision, at, clientId);
}
