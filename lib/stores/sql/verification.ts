import type { PublicKeyJwk, VerificationRecord } from "../api-clients.ts";
import type { SqlDatabase, SqlRow } from "./database.ts";

/** One statement, because each token request asks: a row for each active key pair, or one row without any. */
export function readVerificationRecord(db: SqlDatabase, clientId: string): VerificationRecord | undefined {
  const rows = db.all(
    `SELECT organization_id, scopes, resources, grant_revision, key_pair_id, fingerprint, public_key, hour
     FROM api_clients
       LEFT JOIN key_pairs ON key_pairs.client_id = api_clients.client_id AND status = 'active'
       LEFT JOIN key_pair_uses ON key_pair_uses.sequence = key_pairs.sequence
     WHERE api_clients.client_id = ? ORDER BY key_pairs.sequence`,
    clientId,
  );
  const [client] = rows;
  return (
    client && {
      clientId,
      organizationId: String(client.organization_id),
      scopes: JSON.parse(String(client.scopes)) as readonly string[],
      resources: JSON.parse(String(client.resources)) as readonly string[],
      grantRevision: Number(client.grant_revision),
      keyPairs: rows.filter((row) => row.key_pair_id !== null).map(keyPairOf),
    }
  );
}

function keyPairOf(row: SqlRow): VerificationRecord["keyPairs"][number] {
  return {
    keyPairId: String(row.key_pair_id),
    fingerprint: String(row.fingerprint),
    publicKey: JSON.parse(String(row.public_key)) as PublicKeyJwk,
    ...(row.hour !== null && { lastUsedAt: Number(row.hour) }),
  };
}
