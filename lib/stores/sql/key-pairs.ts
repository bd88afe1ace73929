import type { KeyPairRecord, KeyPairStatus, KeyPairUse, PublicKeyJwk } from "../api-clients.ts";
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
  const { keyPairId, lastUsedAt } = keyPair;
  if (lastUsedAt !== undefined) recordKeyPairUse(db, { clientId, keyPairId, hour: lastUsedAt });
}

/** In the order they were added, revoked ones included. */
export function keyPairsOf(db: SqlDatabase, clientId: string): readonly KeyPairRecord[] {
  const uses = "key_pairs LEFT JOIN key_pair_uses USING (sequence)";
  return db.all(`SELECT * FROM ${uses} WHERE client_id = ? ORDER BY sequence`, clientId).map(keyPairOf);
}

/** Never moves the hour back. Changes nothing else, and nothing at all for ids that are unknown. */
export function recordKeyPairUse(db: SqlDatabase, { clientId, keyPairId, hour }: KeyPairUse): void {
  db.run(
    `INSERT INTO key_pair_uses (sequence, hour) SELECT sequence, ? FROM key_pairs WHERE client_id = ? AND key_pair_id = ?
     ON CONFLICT (sequence) DO UPDATE SET hour = excluded.hour WHERE key_pair_uses.hour < excluded.hour`,
    hour,
    clientId,
    keyPairId,
  );
}

/** With what is noted about them. */
export function deleteKeyPairs(db: SqlDatabase, clientId: string): void {
  db.run("DELETE FROM key_pair_uses WHERE sequence IN (SELECT sequence FROM key_pairs WHERE client_id = ?)", clientId);
  db.run("DELETE FROM key_pairs WHERE client_id = ?", clientId);
}

function keyPairOf(row: SqlRow): KeyPairRecord {
  return {
    keyPairId: String(row.key_pair_id),
    fingerprint: String(row.fingerprint),
    publicKey: JSON.parse(String(row.public_key)) as PublicKeyJwk,
    status: row.status as KeyPairStatus,
    createdAt: Number(row.created_at),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
    ...(row.hour !== null && { lastUsedAt: Number(row.hour) }),
  };
}
