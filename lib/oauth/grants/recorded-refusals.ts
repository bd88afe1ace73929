import { findRevokedSigner, mayBeRevokedSigner, type UnverifiedSignature } from "../../api-clients/revoked-signer.ts";
import { auditEvent } from "../../audit/event.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { VerificationRecord } from "../../stores/api-clients.ts";
import type { VerifiedAssertion } from "../client-assertion.ts";
import { OAuthError } from "../errors.ts";
import type { ClientRefusal } from "../refusals.ts";
import type { ClientRequest } from "../request.ts";

/**
 * Only a refusal of an assertion that one of the client's keys signed is recorded, and only so many of them: everything
 * else would let strangers write to the store as fast as they can send requests.
 */
export async function recordingRefusals<T>(
  { client, keyPairId }: VerifiedAssertion,
  request: ClientRequest,
  dependencies: Dependencies,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof OAuthError) {
      await record({ client, keyPairId, reason: reasonOf(error) }, request, dependencies);
    }
    throw error;
  }
}

/**
 * A revoked key was the client's, too: the owner learns that somebody still signs with it. It is looked for behind the
 * answer, which thus tells nobody by its time whether there is one.
 */
export function recordRevokedSigner(
  unverified: UnverifiedSignature,
  request: ClientRequest,
  dependencies: Dependencies,
): void {
  const { client } = unverified;
  if (!mayBeRevokedSigner(unverified)) return;
  if (!dependencies.refusalRecords.allowSearch(client.clientId, request.source)) return;
  const search = async () => {
    await answerSent();
    const signer = await findRevokedSigner(unverified, dependencies);
    if (signer === undefined) return;
    await record({ client, keyPairId: signer.keyPairId, reason: KEY_REVOKED }, request, dependencies);
  };
  request.waitUntil(search());
}

/** Stores and verifiers that answer at once would otherwise come before what is left to do for the answer. */
function answerSent(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

interface RecordedRefusal {
  readonly client: VerificationRecord;
  readonly keyPairId: string;
  readonly reason: string;
}

async function record(
  { client: { clientId, organizationId }, keyPairId, reason }: RecordedRefusal,
  { requestId, source }: ClientRequest,
  dependencies: Dependencies,
): Promise<void> {
  if (!dependencies.refusalRecords.allow(clientId, source)) return;
  const event = auditEvent(dependencies, {
    type: "token.refused",
    organizationId,
    outcome: "refused",
    actor: clientId,
    agent: clientId,
    reason,
    requestId,
    details: { clientId, keyPairId },
  });
  await dependencies.stores.auditLog.append(event);
}

/** What verified by a cached record is refused for its signature only because the key was revoked since. */
function reasonOf({ description, code }: OAuthError): string {
  return description === UNVERIFIED ? KEY_REVOKED : (description ?? code);
}

const UNVERIFIED: ClientRefusal = "invalid JWT signature";
const KEY_REVOKED = "key pair revoked";
