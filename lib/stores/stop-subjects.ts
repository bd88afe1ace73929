import { ulidTime } from "../kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { personId } from "./identities.ts";
import type { Stop, StopKind, StopTarget } from "./stops.ts";

/** Whose a token, grant or session is, as far as stops ask. */
export interface StopSubject {
  /** Of the tokens' server; absent: this region's own. */
  readonly issuer?: string;
  readonly organizationId?: string;
  /** The person, or the client itself. */
  readonly subject?: string;
  /** The same person in the directory of this region. */
  readonly memberId?: string;
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
  /** Absent: that of the subject. */
  readonly issuer?: string;
}

/** What tokens, their lineages and their grants tell of whose they are. */
export interface StoppableRecord {
  /** Absent: this region. */
  readonly issuer?: string;
  readonly organizationId?: string;
  readonly clientId?: string;
  readonly clientName?: string;
  readonly apiClientId?: string;
  readonly agentId?: string;
  readonly keyPairId?: string;
  readonly apiClientKeyPairId?: string;
  readonly memberId?: string;
  readonly subject?: string;
  readonly subjectName?: string;
  readonly claims?: JsonObject;
  readonly chainId?: string;
  readonly issuedAt?: number;
  readonly createdAt?: number;
}

/**
 * Of a chain it counts when the chain began: a token that was refreshed or exchanged after a stop, by whoever had not heard of it
 * yet, began before it.
 */
export function stopSubject(record: StoppableRecord): StopSubject {
  const { issuer, organizationId, clientId, apiClientId, agentId, memberId, subject, claims, chainId } = record;
  const keyPairId = record.keyPairId ?? record.apiClientKeyPairId;
  const beganAt = chainTime(chainId) ?? record.issuedAt ?? record.createdAt;
  return {
    ...(issuer !== undefined && { issuer }),
    ...(organizationId !== undefined && { organizationId }),
    ...(subject !== undefined && { subject }),
    ...(memberId !== undefined && { memberId }),
    clients: [clientId, apiClientId, agentId],
    actors: stopActors(claims?.act),
    ...(keyPairId !== undefined && { keyPairId }),
    ...(beganAt !== undefined && { beganAt }),
  };
}

const ULID_LENGTH = 26;

/** The ULID at the end of a chain's id tells it; undefined where there is none. */
function chainTime(chainId: string | undefined): number | undefined {
  return chainId === undefined ? undefined : ulidTime(chainId.slice(-ULID_LENGTH));
}

/** More than a token of ours may have. */
const MOST_ACTORS = 32;

/**
 * Those of an `act` claim, the current one first.
 *
 * @param ownIssuer how a token of another server names this region
 */
export function stopActors(act: unknown, ownIssuer?: string): readonly StopActor[] {
  const actors: StopActor[] = [];
  for (let level = act; isJsonObject(level) && actors.length < MOST_ACTORS; level = level.act) {
    const { sub, client_id: clientId, iss: issuer } = level;
    if (typeof sub !== "string") continue;
    actors.push({
      sub,
      ...(typeof clientId === "string" && { clientId }),
      ...(typeof issuer === "string" && { issuer: issuer === ownIssuer ? OWN : issuer }),
    });
  }
  return actors;
}

/** The issuer of names that this region gives. */
const OWN = "";

/** The text that tells a target from all others. */
export function keyOfStop({ kind, id, issuer }: StopTarget): string {
  return keyOf(kind === "api_client" || kind === "agent" ? "client" : kind, id, issuer);
}

/** The texts under which a stop is found. A person has several names, and each of them is stopped. */
export function keysOfStop({ target, accounts = [] }: Pick<Stop, "target" | "accounts">): readonly string[] {
  const { kind, id, issuer } = target;
  if (kind !== "person") return [keyOfStop(target)];
  return distinct([
    ...personNames(id, issuer).map(keyOfPerson),
    ...accounts.flatMap((account) => personNames(account.subject, account.issuer).map(keyOfPerson)),
  ]);
}

export function keysOfSubject(of: StopSubject): readonly string[] {
  const { issuer, organizationId, subject, memberId, clients = [], actors = [], keyPairId } = of;
  const named = clients.filter((client) => client !== undefined);
  return distinct([
    ...(organizationId === undefined ? [] : [keyOf("organization", organizationId)]),
    ...(subject === undefined || named.includes(subject) ? [] : personKeys(subject, issuer)),
    ...(memberId === undefined ? [] : personKeys(memberId)),
    ...named.map((client) => keyOf("client", client, issuer)),
    ...actors.flatMap((actor) => [
      keyOf("client", actor.clientId ?? actor.sub, actor.issuer ?? issuer),
      ...(actor.clientId === undefined ? [] : personKeys(actor.sub, actor.issuer ?? issuer)),
    ]),
    ...(keyPairId === undefined ? [] : [keyOf("key_pair", keyPairId)]),
  ]);
}

interface PersonName {
  readonly id: string;
  readonly issuer: string;
}

/** Who signs in here with an account of another server has a name of this region, too. */
function personNames(sub: string, issuer = OWN): readonly PersonName[] {
  if (issuer === OWN) return [{ id: sub, issuer }];
  // Some servers end their issuer with a slash, and people who write it down do not.
  const spellings = [withoutSlash(issuer), `${withoutSlash(issuer)}/`];
  const own = spellings.map((spelling) => ({ id: personId({ issuer: spelling, subject: sub }), issuer: OWN }));
  return [{ id: sub, issuer }, ...own];
}

function keyOfPerson({ id, issuer }: PersonName): string {
  return keyOf("person", id, issuer);
}

/** Of somebody who may be stopped: also as one of a group. */
function personKeys(sub: string, issuer = OWN): readonly string[] {
  const names = personNames(sub, issuer);
  const groups = names.flatMap((name) => (name.issuer === OWN ? (groupOfPerson(name.id) ?? []) : []));
  return [...names.map(keyOfPerson), ...groups.map((group) => keyOf("person", group))];
}

/**
 * The group of people that one end can stand for: the first letter of their `personId`, as `user_A*`. Undefined for names of another
 * form. Ends of many people are put together where there is no room for each (D229).
 */
export function groupOfPerson(id: string): string | undefined {
  return PERSON_ID.test(id) ? `${id.slice(0, GROUP_LENGTH)}*` : undefined;
}

/** Whether a stop is of such a group. */
export function isOfGroup({ target }: Pick<Stop, "target">): boolean {
  return target.kind === "person" && target.issuer === undefined && GROUP.test(target.id);
}

const PERSON_ID = /^user_[\w-]{43}$/;
const GROUP = /^user_[\w-]\*$/;
const GROUP_LENGTH = 6;

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
  const index = new Map<string, Stop[]>();
  for (const stop of stops)
    for (const key of keysOfStop(stop)) {
      const known = index.get(key);
      if (known === undefined) index.set(key, [stop]);
      else known.push(stop);
    }
  return index;
}

/** What says that the organization was deleted. */
export function deletionOf(index: StopIndex, organizationId: string): Stop | undefined {
  if (index.size === 0) return undefined;
  return index.get(keyOf("organization", organizationId))?.find(({ deletion }) => deletion !== undefined);
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

function keyOf(kind: StopKind | "client", id: string, issuer = OWN): string {
  return JSON.stringify([kind, withoutSlash(issuer), id]);
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

function distinct(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)];
}
