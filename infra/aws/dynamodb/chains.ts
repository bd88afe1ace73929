import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { JsonObject } from "../../../lib/json.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { GrantRecord, Issued } from "../../../lib/stores/grants.ts";
import { tombstoneId } from "../../../lib/stores/tombstone.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { chainChecks } from "./chain-checks.ts";
import type { Database } from "./database.ts";
import { chainKey } from "./keys.ts";
import { putNew } from "./put-new.ts";
import { readRecord } from "./reads.ts";
import { tokenPut } from "./token-items.ts";
import { isLive } from "./token-lineage.ts";
import { tombstoneWrite } from "./tombstones.ts";
import { type NamedWrites, transact } from "./transact.ts";

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
  const { consentId } = item;
  return (await isLive(database, { chainId, consentId }))
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
