import { endedBy, tombstoneOf } from "../../../lib/stores/ending.ts";
import type { Lineage } from "../../../lib/stores/lineage.ts";
import type { Ending, TokenExchange } from "../../../lib/stores/tokens.ts";
import { endsOf } from "../../../lib/stores/tombstone.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { chainChecks, isChainOver } from "./chain-checks.ts";
import type { Database } from "./database.ts";
import { tokenPut } from "./token-items.ts";
import { readTombstones, tombstoneWrite } from "./tombstones.ts";
import { transact } from "./transact.ts";

/** Consistent reads of everything it descends from. What is ended stays so: nothing was when the first of them was read. */
export async function isLive(database: Database, lineage: Lineage): Promise<boolean> {
  return (await readTombstones(database, endsOf(lineage))).size === 0;
}

/**
 * Reads the lineage, then writes on the condition that chain and consent go on (D82). What else the token descends from
 * may be ended in between, and it with that: a busy client's exchanges would conflict with each other over a check of the
 * client, and a transaction has no room for any number of ancestors.
 */
export async function exchange(
  database: Database,
  audit: AuditWriter,
  { token, reference, event }: TokenExchange,
): Promise<boolean> {
  const [goesOn, record] = await Promise.all([isLive(database, token), audit.write(event)]);
  if (!goesOn) return false;
  const failed = await transact(database, {
    ...chainChecks(database, token),
    token: reference && tokenPut(database, { reference, token }),
    event: record,
  });
  if (isChainOver(failed)) return false;
  if (failed.size > 0) throw new Error("a token with the same hash exists");
  return true;
}

/** One of several at a time leaves the tombstone. */
export async function end(database: Database, audit: AuditWriter, ending: Ending): Promise<boolean> {
  const tombstone = tombstoneOf(ending);
  const [ended, event] = await Promise.all([readTombstones(database, endedBy(ending)), audit.write(ending.event)]);
  if (ended.size > 0) return false;
  const failed = await transact(database, {
    tombstone: tombstoneWrite(database, tombstone, { unlessPresent: true }),
    event,
  });
  return failed.size === 0;
}
