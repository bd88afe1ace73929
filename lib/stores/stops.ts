import type { AuditEvent } from "./audit-log.ts";
import type { IdentityKey } from "./identities.ts";
import { once, type Port, read } from "./operations.ts";

/** What can be stopped. The first five are whom tokens and sessions are of; the others are what is called. */
export const STOP_KINDS = [
  "organization",
  "api_client",
  "key_pair",
  "person",
  "agent",
  "app",
  "tool",
  "upstream",
] as const;

export type StopKind = (typeof STOP_KINDS)[number];

export interface StopTarget {
  readonly kind: StopKind;
  /**
   * `org_…`, `client_…`, `key_…`, the `sub` of a person, the client id of an agent, the name of an app, `<app>/<tool>` with the name
   * of the tool that policies see, the URL of an upstream server or its origin.
   */
  readonly id: string;
  /** Of a person or agent that comes with tokens of another authorization server: its issuer. Absent: this region's own. */
  readonly issuer?: string;
}

/** One thing that is stopped (D171). Times in milliseconds since the epoch. */
export interface Stop {
  /** `stop_<ULID>`. */
  readonly stopId: string;
  readonly target: StopTarget;
  /** Of a person of the directory: the accounts that were linked when the stop was placed. It holds for them, too. */
  readonly accounts?: readonly IdentityKey[];
  /** Whose stop it is: it holds for what belongs to this organization. Absent: for everything of the instance. */
  readonly organizationId?: string;
  /** `suspended`: until it is resumed. `ended`: what began before `at`, and nothing that begins later. */
  readonly state: "suspended" | "ended";
  readonly at: number;
  /** When nothing that it ended can be alive any more; absent while it is suspended. */
  readonly until?: number;
  readonly reason: string;
  /** `user_…`, `command line`, or `BY_SIGNAL` and the name of a connector. */
  readonly by: string;
  /**
   * When the account was disabled or enabled at its identity provider, by the newest event of it that was applied (D229). Absent: there
   * was none, or somebody else placed the stop since.
   */
  readonly accountAt?: number;
  /**
   * `BY_SIGNAL` and the name of the connector at whose provider the account is disabled as well: who resumes the person takes back
   * their own suspension, and this one stays.
   */
  readonly disabledBy?: string;
  /**
   * The organization was deleted, and nobody resumes it. `under_way`: what is stored of it is being removed. A release before knows an
   * ordinary stop.
   */
  readonly deletion?: "under_way" | "done";
}

/** Everything that is stopped, one document a region. */
export interface StopsRecord {
  /** 0: nothing was ever stopped. Grows with each change. */
  readonly revision: number;
  /** At most one for each target of an organization or of the instance, and as many as `STOPS_OF_ALL` says. */
  readonly stops: readonly Stop[];
}

/** Who placed what an event of an identity provider brought about. */
export const BY_SIGNAL = "signal:";

/** How many stops there may be, and the bytes of their JSON text: a store keeps them as one value (DynamoDB: 400 KB). */
export interface StopsBound {
  readonly stops: number;
  readonly bytes: number;
}

export const STOPS_OF_ALL: StopsBound = { stops: 1_000, bytes: 320 * 1024 };
/** Of all organizations but the first together: it always has room, and so has the operator. */
export const STOPS_OF_OTHERS: StopsBound = { stops: 400, bytes: 128 * 1024 };
/** Of all that events of identity providers brought about. */
export const STOPS_OF_SIGNALS: StopsBound = { stops: 500, bytes: 128 * 1024 };
/** Of one organization that is not the first. */
export const STOPS_OF_ONE: StopsBound = { stops: 40, bytes: 16 * 1024 };

export const NO_STOPS: StopsRecord = { revision: 0, stops: [] };

/**
 * `stale`: the revision is another one, nothing is written. `spreading`: it is kept, but some of those who decide on tokens could
 * not be told yet. They are told as soon as they can be, or with the next change.
 */
export type StopsResult = "done" | "spreading" | "stale";

/**
 * Linearizable compare-and-set. Every operation on tokens and grants that begins after `replaceStops` resolved to `done` knows the
 * stops: it refuses what is stopped.
 */
export const STOPS = {
  readStops: read<() => StopsRecord>(),
  /** Writes a record whose revision is one more than the stored one. */
  replaceStops: once<(record: StopsRecord, event: AuditEvent) => StopsResult>(),
};

export type Stops = Port<typeof STOPS>;
