import type { PublicKeyJwk } from "../protocol/oauth/public-key.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read, write } from "./operations.ts";
import type { Page, PageRequest, Total } from "./paging.ts";

/** Status of a key pair (specification, key pair states). `revoked` is final. */
export type KeyPairStatus = "active" | "revoked";

/** Public half of a key pair. The private key is never stored (D12). */
export interface KeyPairRecord {
  /** `key_<uuid>`, assigned by the service. */
  readonly keyPairId: string;
  /** RFC 7638 SHA-256 thumbprint, base64url. Also the key's `kid`. */
  readonly fingerprint: string;
  readonly publicKey: PublicKeyJwk;
  readonly status: KeyPairStatus;
  /** Milliseconds since the epoch, like every time in a record. */
  readonly createdAt: number;
  readonly revokedAt?: number;
  /** When an assertion of it last brought a token, rounded down to the hour. It may be late and is never ahead. */
  readonly lastUsedAt?: number;
}

export interface ApiClientRecord {
  /** `client_<uuid>` (D23). */
  readonly clientId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly description?: string;
  /** Everything the owner granted: management permissions and tool scopes (D10). */
  readonly scopes: readonly string[];
  /** Audiences besides the management API that the client may ask for (RFC 8707). */
  readonly resources: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Grows with each change; the management API's ETag. */
  readonly revision: number;
  /** Grows with each change of `scopes` or `resources`, so that a cached record cannot grant what was taken away. */
  readonly grantRevision: number;
  readonly keyPairs: readonly KeyPairRecord[];
}

/** The fields of an API client that its owner edits. */
export type ApiClientChange = Partial<Pick<ApiClientRecord, "name" | "description" | "scopes" | "resources">>;

/** What the token endpoint needs of a client. */
export type VerificationRecord = Pick<
  ApiClientRecord,
  "clientId" | "organizationId" | "scopes" | "resources" | "grantRevision"
> & {
  /** Absent where another release has cached it. */
  readonly name?: string;
  readonly keyPairs: readonly Pick<KeyPairRecord, "keyPairId" | "fingerprint" | "publicKey" | "lastUsedAt">[];
};

/** An assertion of a key pair brought a token. */
export interface KeyPairUse {
  readonly clientId: string;
  readonly keyPairId: string;
  /** The hour of it, milliseconds since the epoch. */
  readonly hour: number;
}

/** A cached answer may be stale in one direction only: what it misses may exist, what it shows may be revoked. */
export interface VerificationRead {
  readonly record: VerificationRecord | undefined;
  /** True when the answer is linearizable; false when it came from a cache. */
  readonly authoritative: boolean;
}

export type ChangeResult<T> =
  | { readonly outcome: "done"; readonly value: T }
  | { readonly outcome: "not_found" }
  | { readonly outcome: "stale"; readonly revision: number }
  | { readonly outcome: "conflict"; readonly reason: "fingerprint_known" };

/** What a list is ordered by; `-`: from the end. Names from A to Z whatever their case, other letters by their code points. */
export const API_CLIENT_SORTS = ["-createdAt", "createdAt", "-name", "name"] as const;
export type ApiClientSort = (typeof API_CLIENT_SORTS)[number];

export interface ApiClientListRequest extends PageRequest {
  /** Absent: `-createdAt`. */
  readonly sort?: ApiClientSort;
  /** In lower case: those that have it (`hasText`). */
  readonly search?: string;
}

export interface ApiClientPage extends Page<ApiClientRecord> {
  /** How many there are of what was asked for, on all pages together; the first page has it. */
  readonly total?: Total;
  /** Not all were looked at: it came to those of this time. A `nextCursor` goes on, but where names are sorted. */
  readonly searchedTo?: number;
}

/** Whether a client has a text, which is in lower case, in its name, description or id. */
export function hasText(
  { name, description, clientId }: Pick<ApiClientRecord, "clientId" | "name" | "description">,
  text: string,
): boolean {
  return [name, description ?? "", clientId].some((field) => field.toLowerCase().includes(text));
}

/**
 * API clients and their key pairs. Every change carries its audit event, which becomes durable together with it.
 * Everything but `getForVerification` is linearizable.
 */
export const API_CLIENTS = {
  /** False, and nothing is written, where the organization was deleted. */
  create: once<(record: ApiClientRecord, event: AuditEvent) => boolean>(),
  get: read<(organizationId: string, clientId: string) => ApiClientRecord | undefined>(),
  /** Newest first unless another order is asked for. A page of a search may be short, or empty, and not the last. */
  list: read<(organizationId: string, request: ApiClientListRequest) => ApiClientPage>(),
  /**
   * Once a change of `scopes` or `resources` resolves, no token is issued on the strength of an earlier record, on any
   * instance: `Tokens.issue` answers `grant_changed`.
   */
  update:
    once<
      (target: ChangeTarget, change: ApiClientChange, at: number, event: AuditEvent) => ChangeResult<ApiClientRecord>
    >(),
  /**
   * Removes the client with its key pairs. Once this resolves, no token is issued to it on any instance;
   * with `revokeTokens`, the issued ones are inactive too.
   */
  delete:
    once<
      (target: ChangeTarget, options: { readonly revokeTokens: boolean }, event: AuditEvent) => ChangeResult<void>
    >(),
  /** Refuses a fingerprint that the client has or had, so that a revoked key never comes back. */
  addKeyPair:
    once<(target: ChangeTarget, keyPair: KeyPairRecord, event: AuditEvent) => ChangeResult<ApiClientRecord>>(),
  /**
   * Idempotent: revoking a revoked key pair returns the client unchanged and records nothing, whatever revision is expected.
   * Once this resolves, no token is issued for an assertion of this key on any instance.
   */
  revokeKeyPair:
    write<(target: ChangeTarget, keyPairId: string, at: number, event: AuditEvent) => ChangeResult<ApiClientRecord>>(),
  /**
   * Keeps the hour as the key pair's `lastUsedAt` unless a later one is kept. No change of the client: neither its
   * revision nor `updatedAt` move and nothing is recorded. Unknown ids are ignored. Not linearizable.
   */
  recordUse: write<(use: KeyPairUse) => void>(),
  /** May answer from a cache unless `authoritative` is asked for. Only active key pairs are in the answer. */
  getForVerification: read<(clientId: string, options?: { readonly authoritative?: boolean }) => VerificationRead>(),
};

export type ApiClients = Port<typeof API_CLIENTS>;

export interface ChangeTarget {
  readonly organizationId: string;
  readonly clientId: string;
  /** From `If-Match`: refuse with `stale` when the record's revision is another. */
  readonly expectedRevision?: number;
}
