import type { PublicKeyJwk, VerificationRecord } from "../api-clients.ts";
import type { SqlDatabase } from "./database.ts";

/** What the token endpoint needs of a client, with its active key pairs only. */
export function readVerificationRecord(db: SqlDatabase, clientId: string): VerificationRecord | undefined {
  const client = db.all("SELECT organization_id, scopes, resources FROM api_clients WHERE client_id = ?", clientId)[0];
  if (client === undefined) return undefined;
  const keyPairs = db.all(
    "SELECT key_pair_id, fingerprint, public_key FROM key_pairs WHERE client_id = ? AND status = 'active' ORDER BY sequence",
    clientId,
  );
  return {
    clientId,
    organizationId: String(client.organization_id),
    scopes: JSON.parse(String(client.scopes)) as readonly string[],
    resources: JSON.parse(String(client.resources)) as readonly string[],
    keyPairs: keyPairs.map((row) => ({
      keyPairId: String(row.key_pair_id),
      fingerprint: String(row.fingerprint),
      publicKey: JSON.parse(String(row.public_key)) as PublicKeyJwk,
    })),
  };
}
