import type { Dependencies } from "../dependencies.ts";
import { uuid } from "../ids.ts";
import { ProblemError } from "../problem.ts";
import type { ApiClientRecord, ChangeTarget, KeyPairRecord, PublicKeyJwk } from "../stores/api-clients.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import {
  type Administrator,
  type ClientTarget,
  clientEvent,
  resultOf,
  targetOf,
  unknownClient,
} from "./client-event.ts";
import { fingerprint } from "./fingerprint.ts";
import { generateKeyPair } from "./key-pair.ts";
import { parsePublicKey } from "./public-key.ts";

/** A key pair, and the revision of its client that a change of it led to. */
export interface ChangedKeyPair extends KeyPairRecord {
  readonly clientRevision: number;
}

export interface AddedKeyPair {
  readonly keyPair: ChangedKeyPair;
  /** PKCS#8 PEM of a generated pair: exists here and nowhere else (D12). Absent when a public key was registered. */
  readonly privateKeyPem?: string;
}

/** Active key pairs of one client: an assertion without `kid` is tried on each of them. */
const MAX_ACTIVE = 10;
/** Active and revoked ones, which are kept so that no revoked key comes back: a client is one record. */
const MAX_TOTAL = 100;

/**
 * Adds a key pair: a generated one, or the pair of a given public key (PEM or JWK).
 * @throws ProblemError `invalid_field`, `not_found`, `stale`, `conflict` when the client has or had this key, or has as
 * many as it may have
 */
export async function addKeyPair(
  dependencies: Dependencies,
  actor: Administrator,
  target: ClientTarget,
  registered?: string | object,
): Promise<AddedKeyPair> {
  const pair = registered === undefined ? await generateKeyPair() : { publicKey: await parsePublicKey(registered) };
  const keyPair = await newKeyPair(dependencies, pair.publicKey);
  const event = clientEvent(dependencies, actor, "key_pair.added", {
    clientId: target.clientId,
    keyPairId: keyPair.keyPairId,
    fingerprint: keyPair.fingerprint,
    origin: registered === undefined ? "generated" : "registered",
  });
  const client = await addWithinLimits(dependencies, targetOf(actor, target), keyPair, event);
  return {
    keyPair: changedKeyPair(client, keyPair.keyPairId),
    ...("privateKeyPem" in pair && { privateKeyPem: pair.privateKeyPem }),
  };
}

/**
 * Revokes a key pair for good; again and again without effect, whatever revision is expected. Tokens issued earlier stay
 * valid (D12).
 * @throws ProblemError `not_found`, `stale`
 */
export async function revokeKeyPair(
  dependencies: Dependencies,
  actor: Administrator,
  target: ClientTarget,
  keyPairId: string,
): Promise<ChangedKeyPair> {
  if (!KEY_PAIR_ID.test(keyPairId)) throw unknownClient();
  const event = clientEvent(dependencies, actor, "key_pair.revoked", { clientId: target.clientId, keyPairId });
  const { apiClients } = dependencies.stores;
  const result = await apiClients.revokeKeyPair(targetOf(actor, target), keyPairId, event.time, event);
  return changedKeyPair(resultOf(result), keyPairId);
}

function changedKeyPair({ keyPairs, revision }: ApiClientRecord, keyPairId: string): ChangedKeyPair {
  const keyPair = keyPairs.find((known) => known.keyPairId === keyPairId) as KeyPairRecord;
  return { ...keyPair, clientRevision: revision };
}

/** Counts at a revision and adds at that revision only, so that parallel additions stay within the limits too. */
async function addWithinLimits(
  { stores }: Dependencies,
  target: ChangeTarget,
  keyPair: KeyPairRecord,
  event: AuditEvent,
): Promise<ApiClientRecord> {
  const { organizationId, clientId } = target;
  // Each further round means that another change got through.
  for (let rounds = 2 * MAX_ACTIVE; ; rounds--) {
    const client = await stores.apiClients.get(organizationId, clientId);
    if (client === undefined) throw unknownClient();
    refuseBeyondLimits(client.keyPairs);
    const result = await stores.apiClients.addKeyPair({ expectedRevision: client.revision, ...target }, keyPair, event);
    const outrun = result.outcome === "stale" && target.expectedRevision === undefined && rounds > 1;
    if (!outrun) return resultOf(result);
  }
}

function refuseBeyondLimits(keyPairs: readonly KeyPairRecord[]): void {
  if (keyPairs.filter(({ status }) => status === "active").length >= MAX_ACTIVE) {
    throw new ProblemError("conflict", `An API client has at most ${MAX_ACTIVE} active key pairs. Revoke one first.`);
  }
  if (keyPairs.length >= MAX_TOTAL) {
    const limit = `An API client has at most ${MAX_TOTAL} key pairs in its life, revoked ones included.`;
    throw new ProblemError("conflict", `${limit} Create a new API client.`);
  }
}

async function newKeyPair(dependencies: Dependencies, publicKey: PublicKeyJwk): Promise<KeyPairRecord> {
  return {
    keyPairId: `key_${uuid(dependencies.random)}`,
    fingerprint: fingerprint(publicKey),
    publicKey,
    status: "active",
    createdAt: dependencies.clock.now(),
  };
}

/** What cannot be an id reaches no store. */
const KEY_PAIR_ID = /^key_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
