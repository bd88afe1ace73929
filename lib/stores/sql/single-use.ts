import type { Clock } from "../../kernel/clock.ts";
import { EXPIRY_MARGIN } from "../expiry-margin.ts";
import type { SINGLE_USE } from "../single-use.ts";
import type { SqlDatabase } from "./database.ts";
import { latest, type SqlOperations, write } from "./operations.ts";

export function sqlSingleUse(clock: Clock): SqlOperations<typeof SINGLE_USE> {
  return {
    consume: write((db, namespace, key, expiresAt) => consumeSingleUse(db, namespace, key, expiresAt, clock.now())),
    isUsed: latest((db, namespace, key) => isUsed(db, namespace, key, clock.now())),
  };
}

/** Whether it was consumed, and does not count as new again at the caller's `now`. */
export function isUsed(db: SqlDatabase, namespace: string, key: string, now: number): boolean {
  const rows = db.all(
    "SELECT 1 FROM single_use WHERE namespace = ? AND key = ? AND expires_at > ?",
    namespace,
    key,
    now - EXPIRY_MARGIN,
  );
  return rows.length === 1;
}

/**
 * True for exactly one caller per namespace and key until `EXPIRY_MARGIN` after `expiresAt`, judged by the caller's `now`.
 * After that the value counts as new again: whoever presents it must have refused it as expired before asking.
 */
export function consumeSingleUse(
  db: SqlDatabase,
  namespace: string,
  key: string,
  expiresAt: number,
  now: number,
): boolean {
  const rows = db.all(
    `INSERT INTO single_use (namespace, key, expires_at) VALUES (?, ?, ?)
     ON CONFLICT (namespace, key) DO UPDATE SET expires_at = excluded.expires_at WHERE single_use.expires_at <= ?
     RETURNING 1 AS won`,
    namespace,
    key,
    expiresAt,
    now - EXPIRY_MARGIN,
  );
  return rows.length === 1;
}
