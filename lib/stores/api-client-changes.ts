import type {
  ApiClientChange,
  ApiClientRecord,
  ChangeResult,
  ChangeTarget,
  KeyPairRecord,
  VerificationRecord,
} from "./api-clients.ts";
import { type Tombstone, tombstoneId } from "./tombstone.ts";

/**
 * What to do about a change to a client of the right organization, as it was found. Stores only read and carry it out,
 * all or nothing, together with its audit event.
 */
export type Decision<T> =
  /** Nothing changes and nothing is recorded. */
  | { readonly kind: "answer"; readonly result: ChangeResult<T> }
  | {
      readonly kind: "write";
      readonly next: ApiClientRecord;
      readonly tombstones: readonly Tombstone[];
      readonly value: T;
    }
  /** Removes the client with its key pairs. */
  | { readonly kind: "remove"; readonly tombstones: readonly Tombstone[]; readonly value: T };

/**
 * Tokens that are decided on the former grants after a change of them are refused by its tombstone, for as long as any
 * copy of the former record may be believed. Caches live minutes.
 */
export function decideUpdate(
  found: ApiClientRecord,
  target: ChangeTarget,
  change: ApiClientChange,
  at: number,
): Decision<ApiClientRecord> {
  const changed = withChange(found, change, at);
  const isSame = grantsSame(found, changed);
  const next = isSame ? changed : { ...changed, grantRevision: found.grantRevision + 1 };
  const former = {
    id: tombstoneId.grant(found.clientId, found.grantRevision),
    expiresAt: at + GRANT_TOMBSTONE_LIFETIME,
  };
  return unlessStale(found, target) ?? { kind: "write", next, tombstones: isSame ? [] : [former], value: next };
}

export function decideDelete(
  found: ApiClientRecord,
  target: ChangeTarget,
  options: { readonly revokeTokens: boolean },
): Decision<void> {
  const { clientId } = found;
  const tombstones = [{ id: tombstoneId.client(clientId) }];
  if (options.revokeTokens) tombstones.push({ id: tombstoneId.clientTokens(clientId) });
  return unlessStale(found, target) ?? { kind: "remove", tombstones, value: undefined };
}

/** Refuses a fingerprint that the client has or had. */
export function decideAddKeyPair(
  found: ApiClientRecord,
  target: ChangeTarget,
  keyPair: KeyPairRecord,
): Decision<ApiClientRecord> {
  const stale = unlessStale(found, target);
  if (stale !== undefined) return stale;
  if (found.keyPairs.some(({ fingerprint }) => fingerprint === keyPair.fingerprint)) {
    return { kind: "answer", result: { outcome: "conflict", reason: "fingerprint_known" } };
  }
  const next = { ...revised(found, keyPair.createdAt), keyPairs: [...found.keyPairs, keyPair] };
  return { kind: "write", next, tombstones: [], value: next };
}

/** A key pair that is revoked already is the answer, whatever revision the caller saw: nothing is left to change. */
export function decideRevokeKeyPair(
  found: ApiClientRecord,
  target: ChangeTarget,
  keyPairId: string,
  at: number,
): Decision<ApiClientRecord> {
  const keyPair = found.keyPairs.find((known) => known.keyPairId === keyPairId);
  if (keyPair === undefined) return { kind: "answer", result: { outcome: "not_found" } };
  if (keyPair.status === "revoked") return { kind: "answer", result: { outcome: "done", value: found } };
  const revoked: KeyPairRecord = { ...keyPair, status: "revoked", revokedAt: at };
  const keyPairs = found.keyPairs.map((known) => (known === keyPair ? revoked : known));
  const next = { ...revised(found, at), keyPairs };
  const tombstones = [{ id: tombstoneId.key(keyPairId) }];
  return unlessStale(found, target) ?? { kind: "write", next, tombstones, value: next };
}

/** What the token endpoint needs of a client, with its active key pairs only. */
export function verificationOf(record: ApiClientRecord): VerificationRecord {
  const { clientId, organizationId, name, scopes, resources, grantRevision } = record;
  const keyPairs = record.keyPairs
    .filter(({ status }) => status === "active")
    .map(({ keyPairId, fingerprint, publicKey, lastUsedAt }) => ({
      keyPairId,
      fingerprint,
      publicKey,
      ...(lastUsedAt !== undefined && { lastUsedAt }),
    }));
  return { clientId, organizationId, name, scopes, resources, grantRevision, keyPairs };
}

/** The refusal of a caller that saw another revision. */
function unlessStale({ revision }: ApiClientRecord, { expectedRevision }: ChangeTarget): Decision<never> | undefined {
  if (expectedRevision === undefined || expectedRevision === revision) return undefined;
  return { kind: "answer", result: { outcome: "stale", revision } };
}

/** A `description` that is present but undefined removes the description. */
function withChange(record: ApiClientRecord, change: ApiClientChange, at: number): ApiClientRecord {
  const { description: before, ...rest } = revised(record, at);
  const description = "description" in change ? change.description : before;
  return {
    ...rest,
    name: change.name ?? record.name,
    ...(description !== undefined && { description }),
    scopes: change.scopes ?? record.scopes,
    resources: change.resources ?? record.resources,
  };
}

function revised(record: ApiClientRecord, at: number): ApiClientRecord {
  return { ...record, updatedAt: at, revision: record.revision + 1 };
}

function grantsSame(before: ApiClientRecord, after: ApiClientRecord): boolean {
  return sameEntries(before.scopes, after.scopes) && sameEntries(before.resources, after.resources);
}

/** Their order grants nothing. */
function sameEntries(before: readonly string[], after: readonly string[]): boolean {
  const [former, next] = [new Set(before), new Set(after)];
  return former.size === next.size && after.every((entry) => former.has(entry));
}

/** Milliseconds. */
const GRANT_TOMBSTONE_LIFETIME = 24 * 60 * 60_000;
