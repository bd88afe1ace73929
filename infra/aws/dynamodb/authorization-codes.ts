import {
  type AuthorizationCodeRecord,
  type CodeRedemption,
  type FoundCode,
  type GrantRecord,
  type Grants,
  isKnownCode,
  type RedemptionResult,
} from "../../../lib/stores/grants.ts";
import type { TokenReference } from "../../../lib/stores/tokens.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import { chainChecks, chainPut, endForReuse, isChainOver, issuedWrites, readChain } from "./chains.ts";
import { noteConsentUse } from "./consents.ts";
import type { Database } from "./database.ts";
import { keyAttributes } from "./items.ts";
import { codeKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { refreshTokenPut } from "./refresh-tokens.ts";
import { putNew, transact } from "./writes.ts";

/**
 * A used code stays, so that its second use is known for one. `usedBy` is the id of the redemption's event: one that comes
 * again, its answer lost, is answered as the first time.
 */
type ItemOfCode = AuthorizationCodeRecord & { readonly chainId: string; readonly usedBy?: string };

/** Authorization codes, one item each in the records table, with the chain that each starts. */
export function authorizationCodes(database: Database, audit: AuditWriter): Pick<Grants, "start" | "code" | "redeem"> {
  return {
    start: (grant, code, reference) => start(database, grant, code, reference),
    async code(reference, now) {
      const found = await readCode(database, reference, now);
      return found && { code: found.code, grant: found.grant, isUsed: found.usedBy !== undefined };
    },
    redeem: (redemption) => redeem(database, audit, redemption),
  };
}

async function start(
  database: Database,
  grant: GrantRecord,
  code: AuthorizationCodeRecord,
  reference: TokenReference,
): Promise<boolean> {
  const item: ItemOfCode = { ...code, chainId: grant.chainId };
  const failed = await transact(database, {
    ...chainChecks(database, grant),
    chain: chainPut(database, grant),
    code: putNew(database, codeKey(reference.hash), item, code.expiresAt),
  });
  if (isChainOver(failed)) return false;
  if (failed.size > 0) throw new Error(`the ${[...failed].join(" and ")} to be started existed before`);
  return true;
}

async function readCode(
  database: Database,
  reference: TokenReference,
  now: number,
): Promise<(Omit<FoundCode, "isUsed"> & Pick<ItemOfCode, "usedBy">) | undefined> {
  const item = await readRecord<ItemOfCode>(database, "records", codeKey(reference.hash));
  if (item === undefined) return undefined;
  const { chainId, usedBy, ...code } = item;
  if (!isKnownCode(code, usedBy !== undefined, now)) return undefined;
  const grant = await readChain(database, chainId, now);
  return grant && { code, grant, ...(usedBy !== undefined && { usedBy }) };
}

/** Marks the code in the transaction that writes what comes of it. Who finds it marked looks again, and ends the chain. */
function redeem(database: Database, audit: AuditWriter, redemption: CodeRedemption): Promise<RedemptionResult> {
  const { reference, refreshToken, now, event, reuseEvent } = redemption;
  return untilUncontended<RedemptionResult>(database.random, async () => {
    const found = await readCode(database, reference, now);
    if (found === undefined) return "ended";
    if (found.usedBy === event.id) return "redeemed";
    if (found.usedBy !== undefined) return endForReuse(database, audit, found.grant, reuseEvent);
    const failed = await transact(database, {
      code: {
        Update: {
          TableName: database.tables.records,
          Key: keyAttributes(codeKey(reference.hash)),
          UpdateExpression: "SET usedBy = :event",
          ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(usedBy)",
          ExpressionAttributeValues: { ":event": { S: event.id } },
        },
      },
      refreshToken: refreshToken && refreshTokenPut(database, refreshToken, found.grant),
      ...(await issuedWrites(database, audit, redemption, found.grant)),
    });
    if (failed.size === 0) {
      await noteConsentUse(database, found.grant, now);
      return "redeemed";
    }
    if (isChainOver(failed)) return "ended";
    if (failed.has("code")) return undefined;
    throw new Error("a token with the same hash exists");
  });
}
