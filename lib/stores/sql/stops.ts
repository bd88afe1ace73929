import type { AuditEvent } from "../audit-log.ts";
import { endsSubject, keysOfStop, keysOfSubject, type StoppableRecord, stopSubject } from "../stop-subjects.ts";
import { NO_STOPS, type STOPS, type Stop, type StopsRecord, type StopsResult } from "../stops.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { change, type Effects, latest, type SqlOperations } from "./operations.ts";

export const sqlStops: SqlOperations<typeof STOPS> = {
  readStops: latest(readStops),
  replaceStops: change(replaceStops, (result) => result !== "stale"),
};

export function readStops(db: SqlDatabase): StopsRecord {
  const row = db.all("SELECT record FROM stops")[0];
  return row === undefined ? NO_STOPS : (JSON.parse(String(row.record)) as StopsRecord);
}

export function replaceStops(db: SqlDatabase, effects: Effects, record: StopsRecord, event: AuditEvent): StopsResult {
  return db.transaction(() => {
    if (revisionOf(db) !== record.revision - 1) return "stale";
    put(db, record);
    effects.stops(record);
    effects.event(event);
    return "done";
  });
}

/** Keeps a copy of the document, unless a later one is there. */
export function copyStops(db: SqlDatabase, record: StopsRecord): void {
  db.transaction(() => {
    if (revisionOf(db) < record.revision) put(db, record);
  });
}

/** Whether anything of what a record is of is stopped. */
export function isStopped(db: SqlDatabase, record: StoppableRecord): boolean {
  const subject = stopSubject(record);
  const keys = keysOfSubject(subject);
  if (keys.length === 0) return false;
  // A list behind IN would be sorted into a table of its own first.
  const given = keys.map(() => "(?)").join(", ");
  const rows = db.all(`SELECT stop FROM (VALUES ${given}) JOIN stops_by_key ON key = column1`, ...keys);
  return rows.some((row) => endsSubject(JSON.parse(String(row.stop)) as Stop, subject));
}

function revisionOf(db: SqlDatabase): number {
  return Number(db.all("SELECT revision FROM stops")[0]?.revision ?? 0);
}

function put(db: SqlDatabase, record: StopsRecord): void {
  db.run(
    `INSERT INTO stops (id, revision, record, schema) VALUES (1, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, record = excluded.record, schema = excluded.schema`,
    record.revision,
    JSON.stringify(record),
    RECORD_SCHEMA,
  );
  putKeys(db, record);
}

/** Only what changed is written: identity providers end sessions all day, and on Workers each row costs in each of 256 places. */
function putKeys(db: SqlDatabase, { stops }: StopsRecord): void {
  const next = new Map<string, readonly [key: string, stop: string]>();
  for (const stop of stops) {
    const text = JSON.stringify(stop);
    for (const key of keysOfStop(stop)) next.set(JSON.stringify([key, text]), [key, text]);
  }
  for (const { key, stop } of db.all("SELECT key, stop FROM stops_by_key")) {
    if (next.delete(JSON.stringify([key, stop]))) continue;
    db.run("DELETE FROM stops_by_key WHERE key = ? AND stop = ?", String(key), String(stop));
  }
  for (const [key, text] of next.values())
    db.run("INSERT INTO stops_by_key (key, stop, schema) VALUES (?, ?, ?)", key, text, RECORD_SCHEMA);
}
