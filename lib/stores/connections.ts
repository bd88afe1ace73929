import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read, write } from "./operations.ts";
import type { Page, PageRequest } from "./paging.ts";

/** What a connection is known by. Everything of one organization and person lies in one place of the store. */
export interface ConnectionKey {
  /** The organization whose agents use it. */
  readonly organizationId: string;
  /** The person's account, as `personId` names it: `user_…`. */
  readonly person: string;
  readonly app: string;
  /** The agent that alone may use it, with `perAgent`; empty: every agent of the person. */
  readonly agent: string;
}

/** Where a pair lies that serves nobody, beside the connection that it was to be. No agent is called so. */
export function heldKey(of: ConnectionKey, connectionId: string): ConnectionKey {
  const { organizationId, person, app } = of;
  return { organizationId, person, app, agent: `${HELD}${connectionId}` };
}

export function isHeld({ agent, connectionId }: Pick<ConnectionRecord, "agent" | "connectionId">): boolean {
  return agent === `${HELD}${connectionId}`;
}

const HELD = "held ";

/**
 * - `connected`: the pair can be used.
 * - `refreshing`: somebody spends the refresh token; the intent is durable.
 * - `uncertain`: nobody knows whether the provider took the spent refresh token. It may be sent once more.
 * - `reconnect`: the provider takes neither token any more. The person has to connect again.
 * - `deleted`: it serves no call. It stays until the provider was told, or cannot be.
 */
export type ConnectionState = "connected" | "refreshing" | "uncertain" | "reconnect" | "deleted";

/** The tokens of a connection, encrypted. Stores keep the texts as they are. */
export interface SealedTokens {
  /** Names the vault key that opens `wrappedKey`: a fingerprint, no part of the key. */
  readonly keyId: string;
  /** The record's own data key, sealed with the vault key. */
  readonly wrappedKey: string;
  /** Access and refresh token, sealed with the data key. */
  readonly tokens: string;
}

/** One person's account at a provider, for one app. Times in milliseconds since the epoch. */
export interface ConnectionRecord extends ConnectionKey {
  /** `connection_<ULID>`: its name in the management API. A new one with each time that the person connects. */
  readonly connectionId: string;
  /** Name of the connector that it was made at. */
  readonly connector: string;
  /** What the provider calls the account, where it says so. */
  readonly account?: { readonly id: string; readonly label?: string };
  /** As the provider granted them. */
  readonly scopes: readonly string[];
  readonly sealed: SealedTokens;
  /** When the access token ends; absent: the provider did not say. */
  readonly expiresAt?: number;
  /** Whether there is a refresh token. */
  readonly canRefresh: boolean;
  readonly state: ConnectionState;
  /**
   * SHA-256, base64url, of the refresh token that is about to be spent, or was. Present while `refreshing` or `uncertain`, and kept
   * with `reconnect`: a slow holder may still bring the pair that the repetition was refused.
   */
  readonly spentDigest?: string;
  /** Which attempt at refreshing this is; grows by one with each. */
  readonly attempt: number;
  /** Until when the attempt is its holder's alone. */
  readonly leaseUntil?: number;
  /** The provider is not asked before; that of a deleted one is not told before. */
  readonly retryAt?: number;
  /** How often in a row the provider refused without a reason that tells whether the grant is over; absent: the last answer was another. */
  readonly refusals?: number;
  readonly connectedAt: number;
  /** Written at most once an hour. */
  readonly lastUsedAt: number;
  /** Present while `deleted`. */
  readonly deletedAt?: number;
}

/** A connection as people may see it. */
export type ConnectionFacts = Omit<ConnectionRecord, "sealed" | "spentDigest" | "leaseUntil">;

/** Somebody is about to spend the refresh token. */
export interface RefreshIntent {
  readonly key: ConnectionKey;
  readonly connectionId: string;
  readonly spentDigest: string;
  /** The record's `attempt` when it was read. The intent is refused when another is there. */
  readonly formerAttempt: number;
  readonly leaseUntil: number;
  readonly now: number;
}

/** What became of a refresh token that was sent. */
export interface RefreshOutcome {
  readonly key: ConnectionKey;
  readonly connectionId: string;
  /** Of the token that was sent. The outcome counts while the record still names it, whoever holds the lease (slow holders). */
  readonly spentDigest: string;
  /**
   * The record's `attempt` as its beginning answered it. A new pair counts whatever the attempt; every other outcome counts only
   * while this attempt is the present one, so that a former holder does not end the lease of the present one.
   */
  readonly attempt: number;
  readonly change:
    | {
        /** A new pair. */
        readonly state: "connected";
        readonly sealed: SealedTokens;
        readonly scopes: readonly string[];
        readonly expiresAt?: number;
        readonly canRefresh: boolean;
      }
    /** Nothing was spent: the former pair stays. `retryAt`: the provider asked for patience, or does not answer. */
    | { readonly state: "connected"; readonly retryAt?: number; readonly refusals?: number }
    /** `retryAt`: it is not sent again before. */
    | { readonly state: "uncertain"; readonly retryAt?: number; readonly refusals?: number }
    | { readonly state: "reconnect" };
}

/** People who may not act in an organization any more: their connections there end. */
export interface DisconnectedPeople {
  readonly organizationId: string;
  /** As `personId` names them: all accounts of one person, or one that was unlinked. */
  readonly people: readonly string[];
  readonly at: number;
}

/** People's accounts at providers (linearizable). An event becomes durable together with its change. */
export const CONNECTIONS = {
  /** Whatever its state. */
  connection: read<(key: ConnectionKey) => ConnectionRecord | undefined>(),
  /**
   * Puts a connection in place of the one with its key, if there is one, and resolves to that former one so that its tokens can be
   * revoked. Undefined: there was none.
   */
  connect: once<(record: ConnectionRecord, event: AuditEvent) => ConnectionRecord | undefined>(),
  /**
   * Writes `refreshing` with the intent, unless another connection or attempt is there, the connection is `deleted` or `reconnect`,
   * or somebody's lease runs. Resolves to the record as it is now, and whether the intent is in it.
   */
  beginRefresh:
    once<(intent: RefreshIntent) => { readonly isBegun: boolean; readonly record: ConnectionRecord | undefined }>(),
  /**
   * Writes an outcome where the record still names the spent token. False: it does not, or the connection is deleted or another one,
   * or another attempt has begun; then nothing is written, and a new pair has to be revoked.
   */
  settleRefresh: write<(outcome: RefreshOutcome, event?: AuditEvent) => boolean>(),
  /** Says when it was used last; a time before the record's changes nothing. */
  noteUse: write<(key: ConnectionKey, connectionId: string, usedAt: number) => void>(),
  /**
   * Marks it `deleted`, for every call from now on. Resolves to the record as it was before, for its tokens; undefined, and nothing
   * is recorded, when there is none or it is deleted already.
   */
  disconnect: once<(key: ConnectionKey, connectionId: string, event: AuditEvent) => ConnectionRecord | undefined>(),
  /** Removes a deleted connection: the provider was told, or cannot be. */
  purge: write<(key: ConnectionKey, connectionId: string, event: AuditEvent) => void>(),
  /**
   * Puts a pair that serves nobody into a row of its own: `deleted` from its beginning, with a key of `heldKey`, and told to its
   * provider from `retryAt` on.
   */
  hold: write<(record: ConnectionRecord) => void>(),
  /** Takes such a pair out, for exactly one caller, before its provider is told. */
  takeHeld: once<(key: ConnectionKey, connectionId: string) => ConnectionRecord | undefined>(),
  /** Deleted ones whose provider is to be told by now, the longest due of a place of the store first. Not always the same places. */
  deleted: read<(limit: number, now: number) => readonly ConnectionRecord[]>(),
  /** Puts off when the provider of a deleted one is told (`dueAt`). False: somebody else did, or it is gone. */
  postpone: once<(key: ConnectionKey, connectionId: string, from: number, to: number) => boolean>(),
  /** Of a person in every app, without deleted ones. */
  connectionsOf: read<(organizationId: string, person: string) => readonly ConnectionFacts[]>(),
  /** Of an organization, without deleted ones, in no order that means something. A page may be short, or empty, and not the last. */
  connectionsIn: read<(organizationId: string, page: PageRequest) => Page<ConnectionFacts>>(),
  /** All that another key than this one seals, deleted ones too, in pages. */
  sealedOtherwise: read<(keyId: string, page: PageRequest) => Page<ConnectionRecord>>(),
  /** Puts a newly wrapped data key in place of the former. False: somebody changed the record meanwhile. */
  rewrap: write<(key: ConnectionKey, former: SealedTokens, next: SealedTokens) => boolean>(),
  /** How many records each vault key seals. */
  countByKey: read<() => Readonly<Record<string, number>>>(),
};

export type Connections = Port<typeof CONNECTIONS>;
