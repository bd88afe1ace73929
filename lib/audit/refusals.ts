import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import type { AuditEvent, AuditLog } from "../stores/audit-log.ts";
import { type AuditEventPorts, auditEvent } from "./event.ts";

/**
 * Records what was refused, in a number of records that no caller decides (D157). Somebody who is refused everything can still
 * send as much as the network carries.
 */
export interface RefusalLog {
  /**
   * The first of a kind is durable when this resolves, and rejects as the store does. Those that follow are counted in memory: once
   * a minute a record says how many there were.
   */
  record(event: AuditEvent): Promise<void>;
  /** Writes the counts whose minute is over; cheap when there are none. Undefined: there is nothing to wait for. */
  flushDue(): Promise<void> | undefined;
  /** Writes all counts, before an instance ends. */
  flush(): Promise<void>;
}

/** What records of refusals are made of, and where they are written. */
export interface RefusalLogPorts extends AuditEventPorts {
  readonly stores: { readonly auditLog: Pick<AuditLog, "append"> };
  readonly logger: Logger;
}

/** Where refusals are recorded. */
export interface RefusalPorts {
  readonly refusals: Pick<RefusalLog, "record">;
}

/** Milliseconds. */
const MINUTE = 60_000;
/**
 * Kinds at a time; as many again are of organizations that have too many. A kind leaves at most two records a minute, its first
 * one and a count. Records of such a size that 1,600 kinds come to 100 KB/s, 1.9 KB, are rare.
 */
const KINDS_A_CALLER = 20;
const KINDS_AN_ORGANIZATION = 400;
const KINDS = 800;
/** Details that tell kinds apart. All others differ from request to request. */
const TELLING_DETAILS = [
  "issuer",
  "keyPairId",
  "method",
  "connector",
  "location",
  "passkeyId",
  "resource",
  "prompt",
  "policy",
  "error",
];

interface Kind {
  readonly callers: readonly string[];
  /** What all that were counted have in common. */
  common: AuditEvent;
  /** Since the last record. */
  count: number;
  /** When the first one of these came, milliseconds. */
  since: number;
  /** When a record of them is due. */
  due: number;
  /** A record that the store has not taken yet. */
  unsent?: AuditEvent;
}

export function createRefusalLog(ports: RefusalLogPorts): RefusalLog {
  const kinds = new Map<string, Kind>();
  /** How many kinds a caller, an organization and all together have. */
  const numbers = new Map<string, number>();
  let nextDue = Infinity;

  const remember = (key: string, event: AuditEvent): Kind => {
    const kind = { callers: callersOf(event), common: event, count: 0, since: event.time, due: event.time + MINUTE };
    kinds.set(key, kind);
    for (const caller of kind.callers) numbers.set(caller, (numbers.get(caller) ?? 0) + 1);
    nextDue = Math.min(nextDue, kind.due);
    return kind;
  };
  const forget = (key: string, { callers }: Kind): void => {
    kinds.delete(key);
    for (const caller of callers) {
      const left = (numbers.get(caller) ?? 1) - 1;
      if (left > 0) numbers.set(caller, left);
      else numbers.delete(caller);
    }
  };
  /** A record of what was counted until now. One that the store does not take waits, and later ones go on being counted. */
  const send = async (kind: Kind, now: number): Promise<void> => {
    if (kind.unsent === undefined) {
      if (kind.count === 0) return;
      const { count, since, common } = kind;
      const { id: _, time: _time, ...fields } = common;
      kind.unsent = { ...auditEvent(ports, fields), count, since };
      Object.assign(kind, { count: 0, since: now });
    }
    const { unsent } = kind;
    try {
      await ports.stores.auditLog.append(unsent);
      if (kind.unsent === unsent) delete kind.unsent;
    } catch (cause) {
      const { type, count } = unsent;
      ports.logger.warn("a count of refusals waits for the store", { type, count, cause: causeOf(cause) });
    }
  };
  const settle = (isDue: (kind: Kind) => boolean, now: number): Promise<void> => {
    const sent: Promise<void>[] = [];
    nextDue = Infinity;
    for (const [key, kind] of kinds) {
      if (isDue(kind)) {
        if (kind.count === 0 && kind.unsent === undefined) {
          forget(key, kind);
          continue;
        }
        kind.due = now + MINUTE;
        sent.push(send(kind, now));
      }
      nextDue = Math.min(nextDue, kind.due);
    }
    return Promise.all(sent).then(() => undefined);
  };

  return {
    record: async (event) => {
      const key = keyOf(event, kinds, numbers);
      const known = kinds.get(key);
      if (known !== undefined) {
        if (known.count === 0) Object.assign(known, { common: event, since: event.time });
        else known.common = inCommon(known.common, event);
        known.count += 1;
        return;
      }
      const kind = remember(key, event);
      try {
        await ports.stores.auditLog.append(event);
      } catch (error) {
        // The next one is the first one; where there was a next one already, this one is counted with it.
        if (kind.count > 0) kind.count += 1;
        else if (kinds.get(key) === kind) forget(key, kind);
        throw error;
      }
    },
    flushDue: () => {
      const now = ports.clock.now();
      return now < nextDue ? undefined : settle(({ due }) => due <= now, now);
    },
    flush: () => settle(() => true, ports.clock.now()),
  };
}

const ALL = "";

/** Whose share of the kinds one takes: the caller's, its organization's, and that of all. */
function callersOf({ organizationId, actor, user, details }: AuditEvent): readonly string[] {
  const caller = JSON.stringify([organizationId, details?.issuer, actor, user]);
  return [caller, JSON.stringify([organizationId]), ALL];
}

/** The kind of a refusal. Where there are too many, those that are left over are one of the caller, of the organization, or of all. */
function keyOf(event: AuditEvent, known: ReadonlyMap<string, Kind>, numbers: ReadonlyMap<string, number>): string {
  const { type, outcome, app, tool, reason, details = {} } = event;
  const [caller = ALL, organization = ALL] = callersOf(event);
  const own = TELLING_DETAILS.map((name) => details[name]);
  const exact = JSON.stringify([caller, type, outcome, app, tool, reason, ...own]);
  const isFull = (name: string, limit: number) => (numbers.get(name) ?? 0) >= limit;
  if (known.has(exact)) return exact;
  const isCrowded = isFull(ALL, KINDS);
  if (isCrowded || isFull(organization, KINDS_AN_ORGANIZATION)) {
    const left = `${organization} ${type} ${outcome}`;
    return known.has(left) || !isFull(ALL, 2 * KINDS) ? left : `${type} ${outcome}`;
  }
  return isFull(caller, KINDS_A_CALLER) ? `${caller} ${type} ${outcome}` : exact;
}

/** What two refusals of a kind agree on; of their details, too. */
function inCommon(one: AuditEvent, other: AuditEvent): AuditEvent {
  const { details = {}, ...common } = agreed(one, { ...other, details: one.details });
  return { ...common, details: agreed(details, other.details ?? {}) } as AuditEvent;
}

function agreed<T extends object>(one: T, other: object): T {
  const others = new Map<string, unknown>(Object.entries(other));
  const same = Object.entries(one).filter(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(others.get(name)),
  );
  return Object.fromEntries(same) as T;
}
