import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type {
  FoundRefreshToken,
  GrantRecord,
  Grants,
  NewRefreshToken,
  RefreshTokenRecord,
  Rotation,
  RotationResult,
} from "../../../lib/stores/grants.ts";
import type { TokenReference } from "../../../lib/stores/tokens.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import { endForReuse, isChainOver, issuedWrites, readChain } from "./chains.ts";
import { noteConsentUse } from "./consents.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toAttribute } from "./items.ts";
import { refreshTokenKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { putNew, transact } from "./writes.ts";

/** One that was rotated stays until it would have expired, so that its reuse is known for one. */
type ItemOfRefreshToken = RefreshTokenRecord & { readonly chainId: string; readonly use?: Use };

interface Use {
  readonly rotatedAt: number;
  /** Id of the rotation's event: one that comes again, its answer lost, is answered as the first time. */
  readonly usedBy: string;
  readonly sealedSuccessor: string;
}

/** The families of refresh tokens, one item each token in the records table. */
export function refreshTokens(database: Database, audit: AuditWriter): Pick<Grants, "refreshToken" | "rotate"> {
  return {
    async refreshToken(reference, now) {
      const found = await read(database, reference, now);
      if (found === undefined) return undefined;
      const { use, ...known } = found;
      return { ...known, ...(use !== undefined && { rotatedAt: use.rotatedAt }) };
    },
    rotate: (rotation) => rotate(database, audit, rotation),
  };
}

/** The write of a chain's new refresh token. */
export function refreshTokenPut(
  database: Database,
  { reference, record }: NewRefreshToken,
  { chainId }: GrantRecord,
): TransactWriteItem {
  const item: ItemOfRefreshToken = { ...record, chainId };
  return putNew(database, refreshTokenKey(reference.hash), item, record.expiresAt);
}

async function read(
  database: Database,
  reference: TokenReference,
  now: number,
): Promise<(Omit<FoundRefreshToken, "rotatedAt"> & Pick<ItemOfRefreshToken, "use">) | undefined> {
  const item = await readRecord<ItemOfRefreshToken>(database, "records", refreshTokenKey(reference.hash));
  if (item === undefined || item.expiresAt <= now) return undefined;
  const { chainId, use, ...refreshToken } = item;
  const grant = await readChain(database, chainId, now);
  return grant && { refreshToken, grant, ...(use !== undefined && { use }) };
}

/** Marks the old token in the transaction that writes its successor. Who finds it marked looks again. */
function rotate(database: Database, audit: AuditWriter, rotation: Rotation): Promise<RotationResult> {
  const { reference, now, grace, event, reuseEvent } = rotation;
  return untilUncontended<RotationResult>(database.random, async () => {
    const found = await read(database, reference, now);
    if (found === undefined) return { outcome: "ended" };
    const { grant, use } = found;
    if (use === undefined) return issueNext(database, audit, rotation, grant);
    if (use.usedBy === event.id) return { outcome: "rotated" };
    if (now < use.rotatedAt + grace) return issueAgain(database, audit, rotation, grant, use.sealedSuccessor);
    return { outcome: await endForReuse(database, audit, grant, reuseEvent) };
  });
}

async function issueNext(
  database: Database,
  audit: AuditWriter,
  rotation: Rotation,
  grant: GrantRecord,
): Promise<RotationResult | undefined> {
  const { reference, successor, sealedSuccessor, event, now } = rotation;
  const use: Use = { rotatedAt: now, usedBy: event.id, sealedSuccessor };
  const failed = await transact(database, {
    rotated: {
      Update: {
        TableName: database.tables.records,
        Key: keyAttributes(refreshTokenKey(reference.hash)),
        UpdateExpression: "SET #use = :use",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(#use)",
        ExpressionAttributeNames: { "#use": "use" },
        ExpressionAttributeValues: { ":use": toAttribute(use) },
      },
    },
    successor: refreshTokenPut(database, successor, grant),
    ...(await issuedWrites(database, audit, rotation, grant)),
  });
  if (failed.size === 0) {
    await noteConsentUse(database, grant, now);
    return { outcome: "rotated" };
  }
  if (isChainOver(failed)) return { outcome: "ended" };
  if (failed.has("rotated")) return undefined;
  throw new Error("a token with the same hash exists");
}

async function issueAgain(
  database: Database,
  audit: AuditWriter,
  rotation: Rotation,
  grant: GrantRecord,
  sealedSuccessor: string,
): Promise<RotationResult> {
  const failed = await transact(database, await issuedWrites(database, audit, rotation, grant));
  if (failed.size === 0) {
    await noteConsentUse(database, grant, rotation.now);
    return { outcome: "repeated", sealedSuccessor };
  }
  if (isChainOver(failed)) return { outcome: "ended" };
  throw new Error("a token with the same hash exists");
}
