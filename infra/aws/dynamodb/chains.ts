import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { GrantRecord, Issued } from "../../../lib/stores/grants.ts";
import type { Lineage } from "../../../lib/stores/lineage.ts";
import type { StoppableRecord } from "../../../lib/stores/stop-subjects.ts";
import type { Ending, TokenExchange } from "../../../lib/stores/tokens.ts";
import { endedBy, endsOf, tombstoneId, tombstoneOf } from "../../../lib/stores/tombstone.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { chainKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { tokenPut } from "./token-items.ts";
import { readTombstones, tombstoneWrite, unlessEnded } from "./tombstones.ts";
import { type NamedWrites, putNew, transact } from "./writes.ts";

/** Claims are kept as the text they are: JSON has nulls, numbers and depths that attributes have not. */
type ItemOfGrant = Omit<GrantRecord, "claims"> & { readonly claims: string };

/** The write of a new chain. */
export function chainPut(database: Database, grant: GrantRecord): TransactWriteItem {
  const item: ItemOfGrant = { ...grant, claims: JSON.stringify(grant.claims) };
  return putNew(database, chainKey(grant.chainId), item, grant.expiresAt);
}

/** A strongly consistent read of what a live chain stands for. */
export async function readChain(database: Database, chainId: string, now: number): Promise<GrantRecord | undefined> {
  const item = await readRecord<ItemOfGrant>(database, "records", chainKey(chainId));
  if (item === undefined || item.expiresAt <= now) return undefined;
  return (await isLive(database, { ...item, claims: {} }))
    ? { ...item, claims: JSON.parse(item.claims) as JsonObject }
    : undefined;
}

/** What every issue of the chain's tokens writes besides: the access token and its event, while the chain goes on. */
export async function issuedWrites(
  database: Database,
  audit: AuditWriter,
  { accessToken, event }: Issued,
  grant: GrantRecord,
): Promise<NamedWrites<"chainGoesOn" | "consentGoesOn" | "accessToken" | "event">> {
  return {
    ...chainChecks(database, grant),
    accessToken: accessToken && tokenPut(database, accessToken),
    event: await audit.write(event),
  };
}

/** Ends a chain of which a value was used again. `ended` where another did that first. */
export async function endForReuse(
  database: Database,
  audit: AuditWriter,
  { chainId, expiresAt }: GrantRecord,
  event: AuditEvent,
): Promise<"reused" | "ended"> {
  const tombstone = { id: tombstoneId.chain(chainId), expiresAt };
  const failed = await transact(database, {
    tombstone: tombstoneWrite(database, tombstone, { unlessPresent: true }),
    event: await audit.write(event),
  });
  return failed.size === 0 ? "reused" : "ended";
}

/** Let a transaction commit only while the chain, and the consent that it rests on, go on. */
export function chainChecks(
  database: Database,
  { chainId, consentId }: Pick<Lineage, "chainId" | "consentId">,
): NamedWrites<"chainGoesOn" | "consentGoesOn"> {
  return {
    chainGoesOn: unlessEnded(database, tombstoneId.chain(chainId)),
    consentGoesOn: consentId === undefined ? undefined : unlessEnded(database, tombstoneId.consent(consentId)),
  };
}

/** Whether one of `chainChecks` failed. */
export function isChainOver(failed: ReadonlySet<string>): boolean {
  return failed.has("chainGoesOn") || failed.has("consentGoesOn");
}

/** Consistent reads of everything it descends from. What is ended stays so: nothing was when the first of them was read. */
export async function isLive(database: Database, lineage: Lineage, subject: StoppableRecord = {}): Promise<boolean> {
  return (await readTombstones(database, endsOf(lineage), lineage, subject)).size === 0;
}

/**
 * Reads the lineage, then writes on the condition that chain and consent go on (D82). What else the token descends from
 * may be ended in between, and it with that: a busy client's exchanges would conflict with each other over a check of the
 * client, and a transaction has no room for any number of ancestors.
 */
export async function exchange(
  database: Database,
  audit: AuditWriter,
  { token, subject, reference, event }: TokenExchange,
): Promise<boolean> {
  const [goesOn, record] = await Promise.all([isLive(database, token, subject), audit.write(event)]);
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
