import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";
import { uuid } from "../ids.ts";
import { ProblemError } from "../problem.ts";
import type {
  ApiClientRecord,
  ChangeResult,
  ChangeTarget,
  KeyPairRecord,
  PublicKeyJwk,
} from "../stores/api-clients.ts";
import type { AuditEvent, AuditEventType } from "../stores/audit-log.ts";
import { newClientId } from "./client-id.ts";
import { parseApiClientChange, parseNewApiClient } from "./fields.ts";
import { fingerprint } from "./fingerprint.ts";
import { generateKeyPair } from "./key-pair.ts";
import { parsePublicKey } from "./public-key.ts";

/** An owner, or the operator of the embedded store, at work in one organization. Who may be one is the caller's matter. */
export interface Administrator {
  /** `user_…` or `operator:<login name>`. */
  readonly id: string;
  readonly organizationId: string;
  readonly requestId?: string;
}

/** An API client of the administrator's organization; with `expectedRevision` only while that is its revision. */
export type ClientTarget = Omit<ChangeTarget, "organizationId">;

export interface AddedKeyPair {
  readonly keyPair: KeyPairRecord;
  /** PKCS#8 PEM of a generated pair: exists here and nowhere else (D12). Absent when a public key was registered. */
  readonly privateKeyPem?: string;
}

/**
 * Creates an API client from `{name, description?, scopes?, resources?}`.
 * @throws ProblemError `invalid_body`, `invalid_field`
 */
export async function createApiClient(
  dependencies: Dependencies,
  actor: Administrator,
  input: unknown,
): Promise<ApiClientRecord> {
  const fields = parseNewApiClient(input);
  const now = dependencies.clock.now();
  const record: ApiClientRecord = {
    ...fields,
    clientId: await newClientId(dependencies.clientIdSecret, dependencies.random),
    organizationId: actor.organizationId,
    createdAt: now,
    updatedAt: now,
    revision: 1,
    keyPairs: [],
  };
  await dependencies.stores.apiClients.create(
    record,
    clientEvent(dependencies, actor, "api_client.created", { clientId: record.clientId }),
  );
  return record;
}

/**
 * One API client of the organization.
 * @throws ProblemError `not_found`
 */
export async function showApiClient(
  dependencies: Dependencies,
  organizationId: string,
  clientId: string,
): Promise<ApiClientRecord> {
  if (!CLIENT_ID.test(clientId)) throw unknownClient();
  const record = await dependencies.stores.apiClients.get(organizationId, clientId);
  if (record === undefined) throw unknownClient();
  return record;
}

/**
 * Changes the fields that the merge patch names.
 * @throws ProblemError `invalid_body`, `invalid_field`, `not_found`, `stale`
 */
export async function updateApiClient(
  dependencies: Dependencies,
  actor: Administrator,
  target: ClientTarget,
  input: unknown,
): Promise<ApiClientRecord> {
  const change = parseApiClientChange(input);
  const event = clientEvent(dependencies, actor, "api_client.updated", {
    clientId: target.clientId,
    fields: Object.keys(change).join(" "),
  });
  const { apiClients } = dependencies.stores;
  return done(await apiClients.update(within(actor, target), change, event.time, event));
}

/**
 * Deletes an API client with its key pairs. Issued tokens live on until they expire unless `revokeTokens` (D12).
 * @throws ProblemError `not_found`, `stale`
 */
export async function deleteApiClient(
  dependencies: Dependencies,
  actor: Administrator,
  target: ClientTarget,
  options: { readonly revokeTokens: boolean },
): Promise<void> {
  const event = clientEvent(dependencies, actor, "api_client.deleted", {
    clientId: target.clientId,
    revokeTokens: String(options.revokeTokens),
  });
  done(await dependencies.stores.apiClients.delete(within(actor, target), options, event.time, event));
}

/**
 * Adds a key pair: a generated one, or the pair of a given public key (PEM or JWK).
 * @throws ProblemError `invalid_field`, `not_found`, `stale`, `conflict` when the client has or had this key
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
  done(await dependencies.stores.apiClients.addKeyPair(within(actor, target), keyPair, event));
  return { keyPair, ...("privateKeyPem" in pair && { privateKeyPem: pair.privateKeyPem }) };
}

/**
 * Revokes a key pair for good; again and again without effect. Tokens issued earlier stay valid (D12).
 * @throws ProblemError `not_found`, `stale`
 */
export async function revokeKeyPair(
  dependencies: Dependencies,
  actor: Administrator,
  target: ClientTarget,
  keyPairId: string,
): Promise<KeyPairRecord> {
  if (!KEY_PAIR_ID.test(keyPairId)) throw unknownClient();
  const event = clientEvent(dependencies, actor, "key_pair.revoked", { clientId: target.clientId, keyPairId });
  const { apiClients } = dependencies.stores;
  return done(await apiClients.revokeKeyPair(within(actor, target), keyPairId, event.time, event));
}

async function newKeyPair(dependencies: Dependencies, publicKey: PublicKeyJwk): Promise<KeyPairRecord> {
  return {
    keyPairId: `key_${uuid(dependencies.random)}`,
    fingerprint: await fingerprint(publicKey),
    publicKey,
    status: "active",
    createdAt: dependencies.clock.now(),
  };
}

function within(actor: Administrator, target: ClientTarget): ChangeTarget {
  if (!CLIENT_ID.test(target.clientId)) throw unknownClient();
  return { ...target, organizationId: actor.organizationId };
}

function clientEvent(
  dependencies: Dependencies,
  actor: Administrator,
  type: AuditEventType,
  details: Readonly<Record<string, string>>,
): AuditEvent {
  return auditEvent(dependencies, {
    type,
    outcome: "success",
    organizationId: actor.organizationId,
    actor: actor.id,
    ...(actor.requestId !== undefined && { requestId: actor.requestId }),
    details,
  });
}

function done<T>(result: ChangeResult<T>): T {
  switch (result.outcome) {
    case "done":
      return result.value;
    case "not_found":
      throw unknownClient();
    case "stale":
      throw new ProblemError("stale", `The API client was changed meanwhile; its revision is now ${result.revision}.`);
    case "conflict":
      throw new ProblemError("conflict", "This key belongs, or once belonged, to the API client. Use another key.");
  }
}

function unknownClient(): ProblemError {
  return new ProblemError("not_found", "There is no such API client or key pair in this organization.");
}

/** What cannot be an id reaches no store. */
const CLIENT_ID = /^client_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KEY_PAIR_ID = /^key_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
