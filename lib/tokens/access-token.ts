import type { Dependencies } from "../dependencies.ts";
import type { StoredToken, TokenRecord } from "../stores/tokens.ts";

/** An access token that is made and not yet recorded. */
export interface MintedAccessToken {
  /** Goes to the client and nowhere else. */
  readonly text: string;
  /** What the store has to keep: present when the token is opaque. */
  readonly stored?: StoredToken;
}

/** Makes an access token in the shard of its chain: opaque (D9), or a JWT (RFC 9068) that says all that the record does. */
export declare function mintAccessToken(
  token: TokenRecord,
  type: "opaque" | "jwt",
  dependencies: Dependencies,
): Promise<MintedAccessToken>;

/**
 * The record of an active access token of ours, opaque or JWT, whomever it is for. Undefined for everything else, without
 * telling which: not a token, another region's, unknown, forged, expired, or anything of its lineage ended.
 */
export declare function activeToken(text: string, dependencies: Dependencies): Promise<TokenRecord | undefined>;
