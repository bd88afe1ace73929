import type { Ending } from "./tokens.ts";
import { endsOf, type Tombstone, tombstoneId } from "./tombstone.ts";

/**
 * The mark that an ending leaves.
 *
 * @throws Error when a token is to be ended and the lineage names none
 */
export function tombstoneOf({ what, lineage, expiresAt }: Ending): Tombstone {
  if (what === "chain") return { id: tombstoneId.chain(lineage.chainId), expiresAt };
  if (lineage.tokenId === undefined) throw new Error("a token without an id cannot be ended");
  return { id: tombstoneId.token(lineage.tokenId), expiresAt };
}

/** The ids of which none may be dead for there to be something to end: a chain goes on when a token of it is over. */
export function endedBy({ what, lineage }: Ending): readonly string[] {
  if (what === "token") return endsOf(lineage);
  const { tokenId: _, ancestors: __, ...chain } = lineage;
  return endsOf(chain);
}
