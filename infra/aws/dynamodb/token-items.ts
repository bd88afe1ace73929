import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import type { StoredToken, TokenRecord, TokenReference } from "../../../lib/stores/tokens.ts";
import type { Database } from "./database.ts";
import { tokenKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { putNew } from "./writes.ts";

/** Claims are kept as the text they are: JSON has nulls, numbers and depths that attributes have not. */
type ItemOfToken = Omit<TokenRecord, "claims"> & { readonly claims?: string };

/** The write of a new access token. Fails where its hash is taken. */
export function tokenPut(database: Database, { reference, token }: StoredToken): TransactWriteItem {
  const { claims, ...record } = token;
  const item: ItemOfToken = { ...record, ...(claims !== undefined && { claims: JSON.stringify(claims) }) };
  return putNew(database, tokenKey(reference.hash), item, token.expiresAt);
}

/** A strongly consistent read of one access token that is unexpired at `now`, ended or not. */
export async function readToken(
  database: Database,
  reference: TokenReference,
  now: number,
): Promise<TokenRecord | undefined> {
  const item = await readRecord<ItemOfToken>(database, "records", tokenKey(reference.hash));
  if (item === undefined || item.expiresAt <= now) return undefined;
  const { claims, ...record } = item;
  return { ...record, ...(claims !== undefined && { claims: JSON.parse(claims) as JsonObject }) };
}
