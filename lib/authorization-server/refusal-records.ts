import type { ApiClientPorts } from "../api-clients/ports.ts";
import type { VerifiedClient } from "../api-clients/verification.ts";
import { findRevokedSigner, mayBeRevokedSigner, type UnverifiedSignature } from "../api-clients/verification.ts";
import { auditEvent, named } from "../audit/event.ts";
import type { RefusalPorts } from "../audit/refusals.ts";
import type { Clock } from "../kernel/clock.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { pause } from "../kernel/timers.ts";
import { sourceKey } from "../net/source.ts";
import { OAuthError } from "../protocol/oauth/errors.ts";
import type { VerificationRecord } from "../stores/api-clients.ts";
import type { ClientRequest } from "./client-request.ts";
import type { ClientRefusal } from "./refusals.ts";

/**
 * Whether the store may be read for the record of a request that named a client and did not authenticate as it: to find out if one
 * of its revoked keys signed, or whose app it is. This limit is separate from re-reads: forged signatures, which are enough to get
 * here, must take no read from the client that they name.
 */
export interface RevokedSignerSearches {
  allow(clientId: string, source: string | undefined): boolean;
}

const SOURCE_LIMIT = { capacity: 10, perSecond: 1 };
const CLIENT_LIMIT = { capacity: 60, perSecond: 1 };

export function createRevokedSignerSearches(clock: Clock): RevokedSignerSearches {
  const sources = createRateLimit(clock, SOURCE_LIMIT);
  const clients = createRateLimit(clock, CLIENT_LIMIT);
  return { allow: (clientId, source) => sources.take(sourceKey(source)) && clients.take(clientId) };
}

/** The ports that record a refused token request. */
export interface TokenRefusalPorts extends ApiClientPorts, RefusalPorts {
  readonly revokedSignerSearches: RevokedSignerSearches;
}

/**
 * Runs a step and records its refusal. The step takes an assertion that one of the client's keys signed. No other refusal
 * is recorded. An old assertion still verifies, so anybody who has a copy can cause these records: all but the first of a kind
 * are only counted.
 */
export async function recordingRefusals<T>(
  { client, keyPairId }: VerifiedClient,
  request: ClientRequest,
  dependencies: TokenRefusalPorts,
  step: () => Promise<T>,
): Promise<T> {
  return afterRefusal(step, (refusal) =>
    record({ client, keyPairId, reason: reasonOf(refusal) }, request, dependencies),
  );
}

/** Runs a step. What it refuses is recorded before the refusal goes on. */
export async function afterRefusal<T>(
  step: () => Promise<T>,
  record: (refusal: OAuthError) => Promise<void>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof OAuthError) await record(error);
    throw error;
  }
}

/**
 * Records that somebody still signs with a revoked key of the client. The search runs after the answer was sent, so the
 * time of the answer does not tell whether there is such a key.
 */
export function recordRevokedSigner(
  unverified: UnverifiedSignature,
  request: ClientRequest,
  dependencies: TokenRefusalPorts,
): void {
  const { client } = unverified;
  if (!mayBeRevokedSigner(unverified)) return;
  if (!dependencies.revokedSignerSearches.allow(client.clientId, request.source)) return;
  const search = async () => {
    // Stores and verifiers that answer at once would otherwise come before what is left to do for the answer.
    await pause(0);
    const signer = await findRevokedSigner(unverified, dependencies);
    if (signer === undefined) return;
    await record({ client, keyPairId: signer.keyPairId, reason: KEY_REVOKED }, request, dependencies);
  };
  request.waitUntil(search());
}

interface RecordedRefusal {
  readonly client: VerificationRecord;
  readonly keyPairId: string;
  readonly reason: string;
}

async function record(
  { client: { clientId, organizationId, name }, keyPairId, reason }: RecordedRefusal,
  { requestId }: ClientRequest,
  dependencies: TokenRefusalPorts,
): Promise<void> {
  const event = auditEvent(dependencies, {
    type: "token.refused",
    organizationId,
    outcome: "refused",
    actor: clientId,
    agent: clientId,
    reason,
    requestId,
    ...named([clientId, name]),
    details: { clientId, keyPairId },
  });
  await dependencies.refusals.record(event);
}

/** The signature verified with the cached record. If the signature is refused now, the key was revoked since. */
function reasonOf({ description, code }: OAuthError): string {
  return description === UNVERIFIED ? KEY_REVOKED : (description ?? code);
}

const UNVERIFIED: ClientRefusal = "invalid JWT signature";
const KEY_REVOKED = "key pair revoked";
