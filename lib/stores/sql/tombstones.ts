import type { SqlDatabase } from "./database.ts";

/** A mark that an id is dead (D24). It names an id and never a time: clocks of shards differ. */
export interface Tombstone {
  /** One of the texts of `tombstoneId`. */
  readonly id: string;
  /** When nothing can refer to the id any more, milliseconds; absent: kept for ever. */
  readonly expiresAt?: number;
}

/** The texts that tombstones are keyed by. */
export const tombstoneId = {
  /** The client was deleted: no token is issued. */
  client: (clientId: string) => `client/${clientId}`,
  /** The client was deleted together with its tokens: they are inactive. */
  clientTokens: (clientId: string) => `client-tokens/${clientId}`,
  /** The key pair was revoked: no token is issued for its assertions. */
  key: (keyPairId: string) => `key/${keyPairId}`,
  chain: (chainId: string) => `chain/${chainId}`,
  token: (tokenId: string) => `token/${tokenId}`,
} as const;

/** Idempotent. */
export function addTombstones(db: SqlDatabase, tombstones: readonly Tombstone[]): void {
  for (const { id, expiresAt } of tombstones) {
    db.run("INSERT INTO tombstones (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, expiresAt ?? null);
  }
}

/** The first of the ids that is dead, if any. */
export function firstTombstone(db: SqlDatabase, ids: readonly string[]): string | undefined {
  const marks = ids.map(() => "?").join(", ");
  const dead = new Set(db.all(`SELECT id FROM tombstones WHERE id IN (${marks})`, ...ids).map((row) => row.id));
  return ids.find((id) => dead.has(id));
}
