import type { ApiClientRecord, KeyPairRecord, VerificationRead, VerificationRecord } from "../stores/api-clients.ts";
import type { ApiClientPorts } from "./ports.ts";

/** A client and the one of its active keys that verified. */
export interface VerifiedClient {
  readonly client: VerificationRecord;
  readonly keyPairId: string;
  /** False when the record came from a cache: what was granted since may be missing. */
  readonly authoritative: boolean;
}

export type ClientVerification =
  | { readonly outcome: "verified"; readonly value: VerifiedClient }
  | { readonly outcome: "unknown_client" }
  | { readonly outcome: "no_key_verifies"; readonly client: VerificationRecord };

/** What a signature claims to be: made by a key of this client over this data. */
interface SignatureClaim {
  readonly clientId: string;
  /** The key's fingerprint when the signer names one; then no other key is tried. */
  readonly kid: string | undefined;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** Address of the sender, for the re-read budget. */
  readonly source: string | undefined;
}

/**
 * Verifies a signature against the active keys of the client. A cached record may lack a client or key that was just added.
 * After a failure with a cached record, the check runs once more on an authoritative read if sender and client have budget
 * (checklist 7). A re-read that leads to a verified signature costs nothing: a busy client can change its key while caches
 * are stale.
 */
export async function verifyClientSignature(
  claim: SignatureClaim,
  dependencies: Pick<ApiClientPorts, "stores" | "signatures" | "rereads">,
): Promise<ClientVerification> {
  const { apiClients } = dependencies.stores;
  const read = await apiClients.getForVerification(claim.clientId);
  const first = await verifyWith(read, claim, dependencies);
  if (first.outcome === "verified" || read.authoritative) return first;
  if (!dependencies.rereads.allow(claim.clientId, claim.source)) return first;
  const fresh = await apiClients.getForVerification(claim.clientId, { authoritative: true });
  const second = await verifyWith(fresh, claim, dependencies);
  if (second.outcome === "verified") dependencies.rereads.refund(claim.clientId, claim.source);
  return second;
}

/** A signature that no active key of the client verifies. */
export interface UnverifiedSignature {
  readonly client: VerificationRecord;
  readonly claim: SignatureClaim;
}

/** Whether a revoked key may have signed. This needs no read: the named key must not be an active one. */
export function mayBeRevokedSigner({ client, claim: { kid } }: UnverifiedSignature): boolean {
  return kid === undefined || (THUMBPRINT.test(kid) && client.keyPairs.every(({ fingerprint }) => fingerprint !== kid));
}

/** The revoked key pair that made the signature: the named one, or one of those that were revoked last. Reads the client. */
export async function findRevokedSigner(
  { client, claim: { kid, data, signature } }: UnverifiedSignature,
  { stores, signatures }: Pick<ApiClientPorts, "stores" | "signatures">,
): Promise<KeyPairRecord | undefined> {
  const record = await stores.apiClients.get(client.organizationId, client.clientId);
  for (const keyPair of record === undefined ? [] : candidates(record, kid)) {
    if (await signatures.verify(keyPair.publicKey, keyPair.fingerprint, data, signature)) return keyPair;
  }
  return undefined;
}

async function verifyWith(
  { record: client, authoritative }: VerificationRead,
  { kid, data, signature }: SignatureClaim,
  { signatures }: Pick<ApiClientPorts, "signatures">,
): Promise<ClientVerification> {
  if (client === undefined) return { outcome: "unknown_client" };
  for (const { keyPairId, fingerprint, publicKey } of client.keyPairs) {
    if (kid !== undefined && kid !== fingerprint) continue;
    if (await signatures.verify(publicKey, fingerprint, data, signature)) {
      return { outcome: "verified", value: { client, keyPairId, authoritative } };
    }
  }
  return { outcome: "no_key_verifies", client };
}

function candidates({ keyPairs }: ApiClientRecord, kid: string | undefined): readonly KeyPairRecord[] {
  const revoked = keyPairs.filter(({ status }) => status === "revoked");
  if (kid !== undefined) return revoked.filter(({ fingerprint }) => fingerprint === kid);
  return revoked.sort((a, b) => (b.revokedAt ?? 0) - (a.revokedAt ?? 0)).slice(0, MAX_TRIED);
}

/** The number of revoked keys to try if the signature names none. */
const MAX_TRIED = 3;
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;
