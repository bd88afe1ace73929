import type { Lineage } from "./lineage.ts";
import type { Ending } from "./tokens.ts";

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
  /** The client's `scopes` or `resources` changed after this revision of them: no token is issued on the strength of it. */
  grant: (clientId: string, grantRevision: number) => `grant/${clientId}/${grantRevision}`,
  /** The person took it back: every chain that rests on it is over. */
  consent: (consentId: string) => `consent/${consentId}`,
  chain: (chainId: string) => `chain/${chainId}`,
  token: (tokenId: string) => `token/${tokenId}`,
} as const;

/** The ids of which none may be dead for what has this lineage to be alive. */
export function endsOf({ chainId, tokenId, consentId, apiClientId, ancestors = [] }: Lineage): readonly string[] {
  return [
    tombstoneId.chain(chainId),
    ...(consentId === undefined ? [] : [tombstoneId.consent(consentId)]),
    ...(apiClientId === undefined ? [] : [tombstoneId.clientTokens(apiClientId)]),
    ...[...ancestors, ...(tokenId === undefined ? [] : [tokenId])].map(tombstoneId.token),
  ];
}

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
