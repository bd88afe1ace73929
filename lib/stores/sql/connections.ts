import { lruCache } from "../../kernel/lru-cache.ts";
import type { AuditEvent } from "../audit-log.ts";
import {
  begun,
  connectionCursor,
  deleted,
  dueAt,
  factsOf,
  postponed,
  rewrapped,
  sealedCursor,
  settled,
  TOLD_AT_ONCE,
  used,
} from "../connection-changes.ts";
import type {
  CONNECTIONS,
  ConnectionFacts,
  ConnectionKey,
  ConnectionRecord,
  DisconnectedPeople,
  RefreshIntent,
  RefreshOutcome,
  SealedTokens,
} from "../connections.ts";
import { type Page, type PageRequest, pageOf, positionOf } from "../paging.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, write } from "./operations.ts";

export const sqlConnections: SqlOperations<typeof CONNECTIONS> = {
  connection: latest(readConnection),
  connect: change(connect),
  beginRefresh: write(beginRefresh),
  settleRefresh: change(settleRefresh, (isSettled) => isSettled),
  noteUse: write(noteUse),
  disconnect: change(disconnect, (former) => former !== undefined),
  purge: change(purge),
  hold: write(holdConnection),
  takeHeld: write(takeHeld),
  deleted: latest(deletedConnections),
  postpone: write(postponeConnection),
  connectionsOf: latest(connectionsOf),
  connectionsIn: latest(connectionsIn),
  sealedOtherwise: latest(sealedOtherwise),
  rewrap: write(rewrap),
  countByKey: latest(countByKey),
};

interface ParsedRecord {
  readonly text: string;
  readonly record: ConnectionRecord;
}

/** Characters of all texts that are remembered together: those of some 1,000 connections, or of fewer with long tokens. */
const MOST_PARSED = 4_000_000;

/** Records by their place, sealed as they are: a person's calls read the same one again and again. */
const parsed = lruCache<string, ParsedRecord>(MOST_PARSED, ({ text }) => text.length);

/** As the record is in the database now. What was parsed before serves as long as the text in this row is the same. */
function readConnection(db: SqlDatabase, key: ConnectionKey): ConnectionRecord | undefined {
  const [row] = db.all(`SELECT record FROM connections WHERE ${BY_KEY}`, ...valuesOf(key));
  if (row === undefined) return undefined;
  const text = String(row.record);
  const { organizationId, person, app, agent } = key;
  const place = JSON.stringify([organizationId, person, app, agent]);
  const known = parsed.get(place);
  if (known?.text === text) return known.record;
  // The key is that of the row: a text that somebody moved to another one does not open there.
  const record: ConnectionRecord = { ...JSON.parse(text), organizationId, person, app, agent };
  parsed.put(place, { text, record });
  return record;
}

export function findConnection(db: SqlDatabase, key: ConnectionKey): ConnectionRecord | undefined {
  return db.all(`SELECT ${COLUMNS} FROM connections WHERE ${BY_KEY}`, ...valuesOf(key)).map(recordOf)[0];
}

export function connect(
  db: SqlDatabase,
  effects: Effects,
  record: ConnectionRecord,
  event: AuditEvent,
): ConnectionRecord | undefined {
  return db.transaction(() => {
    const former = findConnection(db, record);
    put(db, record);
    effects.event(event);
    return former;
  });
}

function beginRefresh(db: SqlDatabase, intent: RefreshIntent) {
  return db.transaction(() => {
    const found = findConnection(db, intent.key);
    const next = begun(found, intent);
    if (next !== undefined) put(db, next);
    return { isBegun: next !== undefined, record: next ?? found };
  });
}

export function settleRefresh(db: SqlDatabase, effects: Effects, outcome: RefreshOutcome, event?: AuditEvent): boolean {
  return db.transaction(() => {
    const next = settled(findConnection(db, outcome.key), outcome);
    if (next === undefined) return false;
    put(db, next);
    if (event !== undefined) effects.event(event);
    return true;
  });
}

function noteUse(db: SqlDatabase, key: ConnectionKey, connectionId: string, usedAt: number): void {
  db.transaction(() => {
    const next = used(findConnection(db, key), connectionId, usedAt);
    if (next !== undefined) put(db, next);
  });
}

export function disconnect(
  db: SqlDatabase,
  effects: Effects,
  key: ConnectionKey,
  connectionId: string,
  event: AuditEvent,
): ConnectionRecord | undefined {
  return db.transaction(() => {
    const found = findConnection(db, key);
    if (found?.connectionId !== connectionId || found.state === "deleted") return undefined;
    put(db, deleted(found, event.time, event.time + TOLD_AT_ONCE));
    effects.event(event);
    return found;
  });
}

/** Marks all that these people have there, without a record of each: what ended them has one. Once more changes nothing. */
export function disconnectPeople(db: SqlDatabase, { organizationId, people, at }: DisconnectedPeople): void {
  db.transaction(() => {
    for (const person of people) for (const found of live(db, organizationId, person)) put(db, deleted(found, at));
  });
}

export function purge(
  db: SqlDatabase,
  effects: Effects,
  key: ConnectionKey,
  connectionId: string,
  event: AuditEvent,
): void {
  db.transaction(() => {
    const found = findConnection(db, key);
    if (found?.connectionId !== connectionId || found.state !== "deleted") return;
    db.run(`DELETE FROM connections WHERE ${BY_KEY}`, ...valuesOf(key));
    effects.event(event);
  });
}

export function holdConnection(db: SqlDatabase, record: ConnectionRecord): void {
  put(db, record);
}

function takeHeld(db: SqlDatabase, key: ConnectionKey, connectionId: string): ConnectionRecord | undefined {
  return db.transaction(() => {
    const found = findConnection(db, key);
    if (found?.connectionId !== connectionId || found.state !== "deleted") return undefined;
    db.run(`DELETE FROM connections WHERE ${BY_KEY}`, ...valuesOf(key));
    return found;
  });
}

export function deletedConnections(db: SqlDatabase, limit: number, now: number): readonly ConnectionRecord[] {
  return db
    .all(`SELECT ${COLUMNS} FROM connections WHERE deleted_at <= ? ORDER BY deleted_at LIMIT ?`, now, limit)
    .map(recordOf);
}

/** When a provider is to be told next, milliseconds since the epoch; undefined: of nothing. */
export function nextRevocation(db: SqlDatabase): number | undefined {
  const next = db.all("SELECT MIN(deleted_at) AS next FROM connections WHERE deleted_at IS NOT NULL")[0]?.next;
  return typeof next === "number" ? next : undefined;
}

export function postponeConnection(
  db: SqlDatabase,
  key: ConnectionKey,
  connectionId: string,
  from: number,
  to: number,
): boolean {
  return db.transaction(() => {
    const next = postponed(findConnection(db, key), connectionId, { from, to });
    if (next !== undefined) put(db, next);
    return next !== undefined;
  });
}

function connectionsOf(db: SqlDatabase, organizationId: string, person: string): readonly ConnectionFacts[] {
  return live(db, organizationId, person).map(factsOf);
}

function live(db: SqlDatabase, organizationId: string, person: string): readonly ConnectionRecord[] {
  return db
    .all(
      `SELECT ${COLUMNS} FROM connections WHERE organization_id = ? AND person = ? AND deleted_at IS NULL
       ORDER BY app, agent`,
      organizationId,
      person,
    )
    .map(recordOf);
}

/** In the order of the keys; the cursor is the last one shown. */
function connectionsIn(db: SqlDatabase, organizationId: string, { limit, cursor }: PageRequest): Page<ConnectionFacts> {
  const rows = db.all(
    `SELECT ${COLUMNS} FROM connections
     WHERE organization_id = ? AND (person, app, agent) > (?, ?, ?) AND deleted_at IS NULL
     ORDER BY person, app, agent LIMIT ?`,
    organizationId,
    ...(positionOf(cursor, 3) ?? ["", "", ""]),
    limit + 1,
  );
  return pageOf(rows.map(recordOf).map(factsOf), limit, connectionCursor);
}

/** In the order of the sealing keys and then of the connections' own; the cursor is the last one shown. */
function sealedOtherwise(db: SqlDatabase, keyId: string, { limit, cursor }: PageRequest): Page<ConnectionRecord> {
  const rows = db.all(
    `SELECT ${COLUMNS} FROM connections
     WHERE key_id <> ? AND (key_id, organization_id, person, app, agent) > (?, ?, ?, ?, ?)
     ORDER BY key_id, organization_id, person, app, agent LIMIT ?`,
    keyId,
    ...(positionOf(cursor, 5) ?? ["", "", "", "", ""]),
    limit + 1,
  );
  return pageOf(rows.map(recordOf), limit, sealedCursor);
}

function rewrap(db: SqlDatabase, key: ConnectionKey, former: SealedTokens, next: SealedTokens): boolean {
  return db.transaction(() => {
    const found = rewrapped(findConnection(db, key), former, next);
    if (found !== undefined) put(db, found);
    return found !== undefined;
  });
}

function countByKey(db: SqlDatabase): Readonly<Record<string, number>> {
  const rows = db.all("SELECT key_id, COUNT(*) AS count FROM connections GROUP BY key_id");
  return Object.fromEntries(rows.map((row) => [String(row.key_id), Number(row.count)]));
}

const COLUMNS = "organization_id, person, app, agent, record";
const BY_KEY = "organization_id = ? AND person = ? AND app = ? AND agent = ?";

function valuesOf({ organizationId, person, app, agent }: ConnectionKey): [string, string, string, string] {
  return [organizationId, person, app, agent];
}

function put(db: SqlDatabase, record: ConnectionRecord): void {
  db.run(
    `INSERT INTO connections (organization_id, person, app, agent, key_id, deleted_at, record, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, person, app, agent) DO UPDATE SET key_id = excluded.key_id,
       deleted_at = excluded.deleted_at, record = excluded.record, schema = excluded.schema`,
    ...valuesOf(record),
    record.sealed.keyId,
    // Of deleted ones, when they are due.
    record.state === "deleted" ? dueAt(record) : null,
    JSON.stringify(record),
    RECORD_SCHEMA,
  );
}

/** Whose it is says the row, and not what is written in it: one that somebody moved to another row does not open there (D211). */
function recordOf(row: SqlRow): ConnectionRecord {
  return {
    ...(JSON.parse(String(row.record)) as ConnectionRecord),
    ...{ organizationId: String(row.organization_id), person: String(row.person) },
    ...{ app: String(row.app), agent: String(row.agent) },
  };
}
