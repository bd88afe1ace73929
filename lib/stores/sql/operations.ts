import type { AuditEvent } from "../audit-log.ts";
import type { DisconnectedPeople } from "../connections.ts";
import type { Arguments, OperationKind, Operations, Result } from "../operations.ts";
import type { StopsRecord } from "../stops.ts";
import type { Tombstone } from "../tombstone.ts";
import type { SqlDatabase } from "./database.ts";

/**
 * What a change leads to in the other sets of tables. It is called inside the change's own transaction, so that neither
 * is durable without the other.
 */
export interface Effects {
  event(event: AuditEvent): void;
  /** Tombstones that every shard with tokens of this client must hold before the change is acknowledged. */
  tombstones(clientId: string, tombstones: readonly Tombstone[]): void;
  /** What every database that decides on tokens must know before the change is acknowledged. */
  stops(record: StopsRecord): void;
  /** Connections that serve no call any more. */
  disconnect(people: DisconnectedPeople): void;
}

/** The operations of a port in SQL. Whoever has a database makes the port of it: `sqlPort`, and Durable Objects. */
export type SqlOperations<Table extends Operations> = {
  readonly [Name in keyof Table]: OfKind<Table[Name]["kind"], Arguments<Table[Name]>, Result<Table[Name]>>;
};

type OfKind<Kind extends OperationKind, Args extends readonly unknown[], Value> = Kind extends "read"
  ? SqlRead<Args, Value>
  : SqlWrite<Args, Value> | SqlChange<Args, Value>;

/** Any of them. */
export type SqlOperation = SqlRead<never[], unknown> | SqlWrite<never[], unknown> | SqlChange<never[], unknown>;

interface SqlRead<Args extends readonly unknown[], Value> {
  readonly how: "snapshot" | "latest";
  readonly work: (db: SqlDatabase, ...args: Args) => Value;
}

interface SqlWrite<Args extends readonly unknown[], Value> {
  readonly how: "write";
  readonly work: (db: SqlDatabase, ...args: Args) => Value;
}

interface SqlChange<Args extends readonly unknown[], Value> {
  readonly how: "change";
  readonly work: (db: SqlDatabase, effects: Effects, ...args: Args) => Value;
  /** Whether there were effects; it is never false when there were some. */
  hadEffects(result: Value): boolean;
}

/** A read whose statements all see one committed state. */
export function snapshot<Args extends readonly unknown[], Value>(
  work: (db: SqlDatabase, ...args: Args) => Value,
): SqlRead<Args, Value> {
  return { how: "snapshot", work };
}

/** A read that one statement decides. Cheaper than `snapshot`, by a transaction. */
export function latest<Args extends readonly unknown[], Value>(
  work: (db: SqlDatabase, ...args: Args) => Value,
): SqlRead<Args, Value> {
  return { how: "latest", work };
}

/** A write without effects elsewhere. */
export function write<Args extends readonly unknown[], Value>(
  work: (db: SqlDatabase, ...args: Args) => Value,
): SqlWrite<Args, Value> {
  return { how: "write", work };
}

/** A write with effects elsewhere, its audit event for instance. */
export function change<Args extends readonly unknown[], Value>(
  work: (db: SqlDatabase, effects: Effects, ...args: Args) => Value,
  hadEffects: (result: Value) => boolean = () => true,
): SqlChange<Args, Value> {
  return { how: "change", work, hadEffects };
}
