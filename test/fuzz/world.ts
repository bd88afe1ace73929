import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import {
  addKey,
  createClient,
  createSigner,
  type Key,
  manage,
  type Owner,
  setUpOwner,
  tokenEndpointOf,
} from "../behaviour/fixture.ts";
import type { RunningRegions } from "../support/runtime.ts";
import { pemLines } from "../support/secret-looks.ts";

export const REST_API = "https://rest.example/api";
export const SCOPES: readonly string[] = ["audit:read", "tools:read", "books:read"];

export interface KnownKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly fingerprint: string;
  readonly isActive: boolean;
}

export interface KnownClient {
  readonly clientId: string;
  readonly isDeleted: boolean;
  readonly keys: readonly KnownKey[];
}

export interface KnownToken {
  readonly clientId: string;
  /** Perhaps: a revocation was sent, and nobody knows what became of it. */
  readonly isRevoked: boolean | "perhaps";
}

/** What is true of one running product: enough to say how it has to answer. */
export interface World {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** Clients by their id: those of this region, deleted ones too, and one of the other region, which counts as deleted. */
  readonly clients: ReadonlyMap<string, KnownClient>;
  /** Lines of the clients' private keys. */
  readonly privateLines: readonly string[];
  /** Tokens issued since the start. */
  readonly tokens: Map<string, KnownToken>;
  /** Client and `jti` of each assertion that was accepted. */
  readonly usedIds: Set<string>;
  /**
   * The same of assertions that may have been accepted without that being known: they were on their way twice at the same
   * time, as lanes choose the same few odd values, or the connection was closed instead of an answer.
   */
  readonly contestedIds: Set<string>;
  /** The same of assertions that are on their way. */
  readonly sentIds: Set<string>;
}

/** Clients with scopes {@link SCOPES} for {@link REST_API}: plain, with two keys, with a revoked one, without any, deleted. */
export async function createWorld({ us, uk }: RunningRegions): Promise<World> {
  const owner = await setUpOwner(us);
  const fields = { scopes: SCOPES, resources: [REST_API] };
  const plain = await createSigner(owner, fields);
  const rotating = await createSigner(owner, fields);
  const second = await addKey(owner, rotating.clientId);
  const revoked = await createSigner(owner, fields);
  const kept = await addKey(owner, revoked.clientId);
  await succeed(owner, "POST", `/api-clients/${revoked.clientId}/key-pairs/${revoked.key.keyPairId}/revoke`);
  const keyless = await createClient(owner, fields);
  const deleted = await createSigner(owner, fields);
  await succeed(owner, "DELETE", `/api-clients/${deleted.clientId}`);
  const foreign = await createSigner(await setUpOwner(uk), fields);
  const clients = [
    known(plain.clientId, [plain.key]),
    known(rotating.clientId, [rotating.key, second]),
    known(revoked.clientId, [kept], [revoked.key]),
    known(keyless, []),
    { ...known(deleted.clientId, [deleted.key]), isDeleted: true },
    { ...known(foreign.clientId, [foreign.key]), isDeleted: true },
  ];
  return {
    issuer: us.url,
    tokenEndpoint: tokenEndpointOf(us),
    clients: new Map(clients.map((client) => [client.clientId, client])),
    privateLines: [plain.key, rotating.key, second, revoked.key, kept, deleted.key].flatMap(({ pem }) => pemLines(pem)),
    tokens: new Map(),
    usedIds: new Set(),
    contestedIds: new Set(),
    sentIds: new Set(),
  };
}

function known(clientId: string, active: readonly Key[], revoked: readonly Key[] = []): KnownClient {
  const keys = [...active.map((key) => knownKey(key, true)), ...revoked.map((key) => knownKey(key, false))];
  return { clientId, isDeleted: false, keys };
}

function knownKey({ pem, fingerprint }: Key, isActive: boolean): KnownKey {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey), fingerprint, isActive };
}

async function succeed(owner: Owner, method: string, path: string): Promise<void> {
  const response = await manage(owner, method, path);
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}
