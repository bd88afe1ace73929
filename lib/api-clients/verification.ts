import type { Dependencies } from "../dependencies.ts";
import type { VerificationRead, VerificationRecord } from "../stores/api-clients.ts";

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
export interface SignatureClaim {
  readonly clientId: string;
  /** The key's fingerprint when the signer names one; then no other key is tried. */
  readonly kid: string | undefined;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** Address of the sender, for the re-read budget. */
  readonly source: string | undefined;
}

/**
 * Verifies against the active keys of the client. A cached record may lack a client or key that was just added, so a
 * failure on one is tried once more on an authoritative read, as long as sender and client have budget (checklist 7).
 * Re-reads that lead to a verified signature cost nothing, so that a busy client can change its key while caches are stale.
 */
export async function verifyClientSignature(
  claim: SignatureClaim,
  dependencies: Pick<Dependencies, "stores" | "signatures" | "rereads">,
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

async function verifyWith(
  { record: client, authoritative }: VerificationRead,
  { kid, data, signature }: SignatureClaim,
  { signatures }: Pick<Dependencies, "signatures">,
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
