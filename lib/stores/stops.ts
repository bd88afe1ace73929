import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { AuditEvent } from "./audit-log.ts";
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
  /** Whose stop it is: it holds for what belongs to this organization. Absent: for everything of the instance. */
  readonly organizationId?: string;
  /** `suspended`: until it is resumed. `ended`: what began before `at`, and nothing that begins later. */
  readonly state: "suspended" | "ended";
  readonly at: number;
  /** When nothing that it ended can be alive any more; absent while it is suspended. */
  readonly until?: number;
  readonly reason: string;
  /** `user_…`, or `command line`. */
  readonly by: string;
}

/** Everything that is stopped, one document a region. */
export interface StopsRecord {
  /** 0: nothing was ever stopped. Grows with each change. */
  readonly revision: number;
  /** At most one for each target of an organization or of the instance, and as many as `STOPS_OF_ALL` says. */
  readonly stops: readonly Stop[];
}

/** How many stops there may be, and the bytes of their JSON text: a store keeps them as one value (DynamoDB: 400 KB). */
export interface StopsBound {
  readonly stops: number;
  readonly bytes: number;
}

export const STOPS_OF_ALL: StopsBound = { stops: 1_000, bytes: 320 * 1024 };
/** Of all organizations but the first together: it always has room, and so has the operator. */
export const STOPS_OF_OTHERS: StopsBound = { stops: 400, bytes: 128 * 1024 };
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

/** Whose a token, grant or session is, as far as stops ask. */
export interface StopSubject {
  /** Of the tokens' server; absent: this region's own. */
  readonly issuer?: string;
  readonly organizationId?: string;
  /** The person, or the client itself. */
  readonly subject?: string;
  /** Whom the token was issued to, and who began its chain. */
  readonly clients?: readonly (string | undefined)[];
  readonly actors?: readonly StopActor[];
  readonly keyPairId?: string;
  /** Milliseconds; absent where it is not known: then it began before anything. */
  readonly beganAt?: number;
}

/** Somebody who acts for the subject (RFC 8693 §4.1): a client, or with `clientId` a person at a client. */
interface StopActor {
  readonly sub: string;
  readonly clientId?: string;
  readonly issuer?: string;
}

/** What tokens, their lineages and their grants tell of whose they are. */
export interface StoppableRecord {
  /** Absent: this region. */
  readonly issuer?: string;
  readonly organizationId?: string;
  readonly clientId?: string;
  readonly apiClientId?: string;
  readonly agentId?: string;
  readonly keyPairId?: string;
  readonly apiClientKeyPairId?: string;
  readonly subject?: string;
  readonly claims?: JsonObject;
  readonly issuedAt?: number;
  readonly createdAt?: number;
}

export function stopSubject(record: StoppableRecord): StopSubject {
  const { issuer, organizationId, clientId, apiClientId, agentId, subject, claims } = record;
  const keyPairId = record.keyPairId ?? record.apiClientKeyPairId;
  const beganAt = record.issuedAt ?? record.createdAt;
  return {
    ...(issuer !== undefined && { issuer }),
    ...(organizationId !== undefined && { organizationId }),
    ...(subject !== undefined && { subject }),
    clients: [clientId, apiClientId, agentId],
    actors: stopActors(claims?.act),
    ...(keyPairId !== undefined && { keyPairId }),
    ...(beganAt !== undefined && { beganAt }),
  };
}

/** More than a token of ours may have. */
const MOST_ACTORS = 32;

/** Those of an `act` claim, the current one first. */
export function stopActors(act: unknown): readonly StopActor[] {
  const actors: StopActor[] = [];
  for (let level = act; isJsonObject(level) && actors.length < MOST_ACTORS; level = level.act) {
    const { sub, client_id: clientId, iss: issuer } = level;
    if (typeof sub !== "string") continue;
    actors.push({
      sub,
      ...(typeof clientId === "string" && { clientId }),
      ...(typeof issuer === "string" && { issuer }),
    });
  }
  return actors;
}

/** The texts under which stops are found. Equal for a stop and for what it may hold for. */
export function keyOfStop({ kind, id, issuer }: StopTarget): string {
  return keyOf(kind === "api_client" || kind === "agent" ? "client" : kind, id, issuer);
}

export function keysOfSubject(of: StopSubject): readonly string[] {
  const { issuer, organizationId, subject, clients = [], actors = [], keyPairId } = of;
  const named = clients.filter((client) => client !== undefined);
  const keys = [
    ...(organizationId === undefined ? [] : [keyOf("organization", organizationId)]),
    ...(subject === undefined || named.includes(subject) ? [] : [keyOf("person", subject, issuer)]),
    ...named.map((client) => keyOf("client", client, issuer)),
    ...actors.flatMap((actor) => [
      keyOf("client", actor.clientId ?? actor.sub, actor.issuer ?? issuer),
      ...(actor.clientId === undefined ? [] : [keyOf("person", actor.sub, actor.issuer ?? issuer)]),
    ]),
    ...(keyPairId === undefined ? [] : [keyOf("key_pair", keyPairId)]),
  ];
  return [...new Set(keys)];
}

/** Whether a stop that was found by a key of the subject ends it. */
export function endsSubject(
  { state, at, organizationId }: Pick<Stop, "state" | "at" | "organizationId">,
  subject: Pick<StopSubject, "organizationId" | "beganAt">,
): boolean {
  if (organizationId !== undefined && organizationId !== subject.organizationId) return false;
  return state === "suspended" || subject.beganAt === undefined || subject.beganAt < at;
}

/** Stops by their keys, for those who ask often. */
export type StopIndex = ReadonlyMap<string, readonly Stop[]>;

export function indexStops(stops: readonly Stop[]): StopIndex {
  return Map.groupBy(stops, ({ target }) => keyOfStop(target));
}

/** The first stop that ends the subject. */
export function stopOf(index: StopIndex, subject: StopSubject): Stop | undefined {
  if (index.size === 0) return undefined;
  for (const key of keysOfSubject(subject)) {
    const stop = index.get(key)?.find((one) => endsSubject(one, subject));
    if (stop !== undefined) return stop;
  }
  return undefined;
}

function keyOf(kind: StopKind | "client", id: string, issuer = ""): string {
  return JSON.stringify([kind, issuer, id]);
}
