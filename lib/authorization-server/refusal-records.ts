import type { ApiClientPorts } from "../api-clients/ports.ts";
import type { VerifiedClient } from "../api-clients/verification.ts";
import { findRevokedSigner, mayBeRevokedSigner, type UnverifiedSignature } from "../api-clients/verification.ts";
import { auditEvent } from "../audit/event.ts";
import type { Clock } from "../kernel/clock.ts";
import { createRateLimit, type Limit } from "../kernel/rate-limit.ts";
import { pause } from "../kernel/timers.ts";
import { sourceKey } from "../net/source.ts";
import { OAuthError } from "../protocol/oauth/errors.ts";
import type { VerificationRecord } from "../stores/api-clients.ts";
import type { Stores } from "../stores/stores.ts";
import type { ClientRequest } from "./client-request.ts";
import type { ClientRefusal } from "./refusals.ts";

/**
 * Limits the `token.refused` audit records. An old assertion still verifies, so anybody who has a copy can cause these
 * records without the client's key. Refusals beyond the limit appear in the log only.
 */
export interface RefusalRecords {
  allow(clientId: string, source: string | undefined): boolean;
  /**
   * Whether the client may be read to find out if one of its revoked keys signed. This limit is separate from `allow` and
   * from re-reads: forged signatures must take neither a record nor a read from the client that they name.
   */
  allowSearch(clientId: string, source: string | undefined): boolean;
}

const SOURCE_LIMIT = { capacity: 20, perSecond: 1 };
const CLIENT_LIMIT = { capacity: 60, perSecond: 1 };
/** Lower than the limit of records, because a forged signature is enough to get here. */
const SEARCH_SOURCE_LIMIT = { capacity: 10, perSecond: 1 };

export function createRefusalRecords(clock: Clock): RefusalRecords {
  return { allow: bound(clock, SOURCE_LIMIT), allowSearch: bound(clock, SEARCH_SOURCE_LIMIT) };
}

/** The ports that record a refusal. */
export interface RefusalPorts extends Omit<ApiClientPorts, "stores"> {
  readonly stores: ApiClientPorts["stores"] & Pick<Stores, "auditLog">;
  readonly refusalRecords: RefusalRecords;
}

/**
 * Runs a step and records its refusal. The step takes an assertion that one of the client's keys signed. No other refusal
 * is recorded, and the number of records is limited: otherwise anybody could write to the store as fast as they send requests.
 */
export async function recordingRefusals<T>(
  { client, keyPairId }: VerifiedClient,
  request: ClientRequest,
  dependencies: RefusalPorts,
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
 * Records that somebody still signs with a revoked key of the client. The search runs after the answer was sent, so the
 * time of the answer does not tell whether there is such a key.
 */
export function recordRevokedSigner(
  unverified: UnverifiedSignature,
  request: ClientRequest,
  dependencies: RefusalPorts,
): void {
  const { client } = unverified;
  if (!mayBeRevokedSigner(unverified)) return;
  if (!dependencies.refusalRecords.allowSearch(client.clientId, request.source)) return;
  const search = async () => {
    // Stores and verifiers that answer at once would otherwise come before what is left to do for the answer.
    await pause(0);
    const signer = await findRevokedSigner(unverified, dependencies);
    if (signer === undefined) return;
    await record({ client, keyPairId: signer.keyPairId, reason: KEY_REVOKED }, request, dependencies);
  };
  request.waitUntil(search());
}

function bound(clock: Clock, sourceLimit: Limit): RefusalRecords["allow"] {
  const sources = createRateLimit(clock, sourceLimit);
  const clients = createRateLimit(clock, CLIENT_LIMIT);
  return (clientId, source) => sources.take(sourceKey(source)) && clients.take(clientId);
}

interface RecordedRefusal {
  readonly client: VerificationRecord;
  readonly keyPairId: string;
  readonly reason: string;
}

async function record(
  { client: { clientId, organizationId }, keyPairId, reason }: RecordedRefusal,
  { requestId, source }: ClientRequest,
  dependencies: RefusalPorts,
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

/** The signature verified with the cached record. If the signature is refused now, the key was revoked since. */
function reasonOf({ description, code }: OAuthError): string {
  return description === UNVERIFIED ? KEY_REVOKED : (description ?? code);
}

const UNVERIFIED: ClientRefusal = "invalid JWT signature";
const KEY_REVOKED = "key pair revoked";
