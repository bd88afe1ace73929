import type { Dependencies } from "../dependencies.ts";
import type { ApiClientRecord, KeyPairRecord, VerificationRecord } from "../stores/api-clients.ts";
import type { SignatureClaim } from "./verification.ts";

/** A signature that no active key of the client verifies. */
export interface UnverifiedSignature {
  readonly client: VerificationRecord;
  readonly claim: SignatureClaim;
}

/** How many revoked keys a signature is tried on that names none. */
const MAX_TRIED = 3;
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/** Whether a revoked key can have signed, as far as that is known without a read: the named key must not be an active one. */
export function mayBeRevokedSigner({ client, claim: { kid } }: UnverifiedSignature): boolean {
  return kid === undefined || (THUMBPRINT.test(kid) && client.keyPairs.every(({ fingerprint }) => fingerprint !== kid));
}

/** The revoked key pair that made the signature: the named one, or one of those that were revoked last. Reads the client. */
export async function findRevokedSigner(
  { client, claim: { kid, data, signature } }: UnverifiedSignature,
  { stores, signatures }: Pick<Dependencies, "stores" | "signatures">,
): Promise<KeyPairRecord | undefined> {
  const record = await stores.apiClients.get(client.organizationId, client.clientId);
  for (const keyPair of record === undefined ? [] : candidates(record, kid)) {
    if (await signatures.verify(keyPair.publicKey, keyPair.fingerprint, data, signature)) return keyPair;
  }
  return undefined;
}

function candidates({ keyPairs }: ApiClientRecord, kid: string | undefined): readonly KeyPairRecord[] {
  const revoked = keyPairs.filter(({ status }) => status === "revoked");
  if (kid !== undefined) return revoked.filter(({ fingerprint }) => fingerprint === kid);
  return revoked.sort((a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0)).slice(0, MAX_TRIED);
}
