import type { KeyPairRecord, KeyPairStatus, PublicKeyJwk } from "../api-clients.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";

/** Throws when the client has or had the fingerprint. */
export function insertKeyPair(db: SqlDatabase, clientId: string, keyPair: KeyPairRecord): void {
  db.run(
    `INSERT INTO key_pairs (key_pair_id, client_id, fingerprint, public_key, status, created_at, revoked_at, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    keyPair.keyPairId,
    clientId,
    keyPair.fingerprint,
    JSON.stringify(keyPair.publicKey),
    keyPair.status,
    keyPair.createdAt,
    keyPair.revokedAt ?? null,
    RECORD_SCHEMA,
  );
}

/** In the order they were added, revoked ones included. */
export function keyPairsOf(db: SqlDatabase, clientId: string): readonly KeyPairRecord[] {
  return db.all("SELECT * FROM key_pairs WHERE client_id = ? ORDER BY sequence", clientId).map(keyPairOf);
}

function keyPairOf(row: SqlRow): KeyPairRecord {
  return {
    keyPairId: String(row.key_pair_id),
    fingerprint: String(row.fingerprint),
    publicKey: JSON.parse(String(row.public_key)) as PublicKeyJwk,
    status: row.status as KeyPairStatus,
    createdAt: Number(row.created_at),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
  };
}
