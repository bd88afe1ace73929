import { uuid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import { fingerprint } from "../protocol/oauth/fingerprint.ts";
import { toPem } from "../protocol/oauth/pem.ts";
import { type PublicKeyJwk, parsePublicKey } from "../protocol/oauth/public-key.ts";
import type {
  ApiClientRecord,
  ChangeTarget,
  KeyPairRecord,
  KeyPairUse,
  VerificationRecord,
} from "../stores/api-clients.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import {
  type Administrator,
  type ClientTarget,
  clientEvent,
  nameOf,
  resultOf,
  targetOf,
  unknownClient,
} from "./client-event.ts";
import type { ApiClientPorts } from "./ports.ts";

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
  dependencies: ApiClientPorts,
  actor: Administrator,
  target: ClientTarget,
  registered?: string | object,
): Promise<AddedKeyPair> {
  const pair = registered === undefined ? await generateKeyPair() : { publicKey: await parsePublicKey(registered) };
  const keyPair = await newKeyPair(dependencies, pair.publicKey);
  const event = clientEvent(
    dependencies,
    actor,
    "key_pair.added",
    {
      clientId: target.clientId,
      keyPairId: keyPair.keyPairId,
      fingerprint: keyPair.fingerprint,
      origin: registered === undefined ? "generated" : "registered",
    },
    await nameOf(dependencies, actor, target),
  );
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
  dependencies: ApiClientPorts,
  actor: Administrator,
  target: ClientTarget,
  keyPairId: string,
): Promise<ChangedKeyPair> {
  if (!KEY_PAIR_ID.test(keyPairId)) throw unknownClient();
  const event = clientEvent(
    dependencies,
    actor,
    "key_pair.revoked",
    { clientId: target.clientId, keyPairId },
    await nameOf(dependencies, actor, target),
  );
  const { apiClients } = dependencies.stores;
  const result = await apiClients.revokeKeyPair(targetOf(actor, target), keyPairId, event.time, event);
  return changedKeyPair(resultOf(result), keyPairId);
}

interface GeneratedKeyPair {
  readonly publicKey: PublicKeyJwk;
  /** PKCS#8 (RFC 5958) in PEM. Hand it over once; it is stored nowhere (D12). */
  readonly privateKeyPem: string;
}

/** A new ES256 key pair (RFC 7518 §3.4), from the runtime's own generator. */
export async function generateKeyPair(): Promise<GeneratedKeyPair> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const { x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  return {
    publicKey: { kty: "EC", crv: "P-256", x: x as string, y: y as string },
    privateKeyPem: toPem("PRIVATE KEY", der),
  };
}

/**
 * The use to record after an assertion of the key pair brought a token at a time in milliseconds; undefined when the
 * record shows one of this hour already, as it does for all but the first tokens of an hour.
 */
export function useToRecord(
  { clientId, keyPairs }: Pick<VerificationRecord, "clientId" | "keyPairs">,
  keyPairId: string,
  at: number,
): KeyPairUse | undefined {
  const hour = at - (at % HOUR);
  const lastUsedAt = keyPairs.find((keyPair) => keyPair.keyPairId === keyPairId)?.lastUsedAt;
  return lastUsedAt !== undefined && lastUsedAt >= hour ? undefined : { clientId, keyPairId, hour };
}

const HOUR = 60 * 60_000;

function changedKeyPair({ keyPairs, revision }: ApiClientRecord, keyPairId: string): ChangedKeyPair {
  const keyPair = keyPairs.find((known) => known.keyPairId === keyPairId) as KeyPairRecord;
  return { ...keyPair, clientRevision: revision };
}

/** Counts at a revision and adds at that revision only, so that parallel additions stay within the limits too. */
async function addWithinLimits(
  { stores }: ApiClientPorts,
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

async function newKeyPair(dependencies: ApiClientPorts, publicKey: PublicKeyJwk): Promise<KeyPairRecord> {
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
