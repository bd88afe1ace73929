import type { Dependencies } from "../../dependencies.ts";
import type { AuthorizationCodeRecord, GrantRecord, NewRefreshToken } from "../../stores/grants.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { type MintedAccessToken, mintAccessToken } from "../../tokens/access-token.ts";
import { mintToken } from "../../tokens/opaque.ts";
import { chainShard } from "../../tokens/sharding.ts";
import type { OAuthClient } from "../clients/client.ts";
import { signIdToken } from "../openid/id-token.ts";
import { oidcProviderOf } from "../provider.ts";
import type { TokenResponse } from "./grant.ts";

/** What goes into the tokens of a chain. */
export interface ChainTokenTerms {
  readonly access: TokenRecord;
  readonly grant: GrantRecord;
  readonly client: OAuthClient;
  /** The refresh token's own, which do not shrink with those of an access token (RFC 6749 §6). */
  readonly refreshScopes: readonly string[];
  /** Of the sign-in itself; a refresh has none. */
  readonly code?: Pick<AuthorizationCodeRecord, "nonce">;
}

/** Tokens that are made and not yet recorded. */
export interface ChainTokens extends MintedAccessToken {
  readonly token: TokenRecord;
  readonly refreshToken?: NewRefreshToken;
  readonly refreshText?: string;
  readonly idToken?: string;
}

/**
 * Makes the tokens of one answer. A client that is registered for refresh tokens gets one, whether it asked for
 * `offline_access` or not (D91).
 */
export async function mintChainTokens(terms: ChainTokenTerms, dependencies: Dependencies): Promise<ChainTokens> {
  const { access, grant, client, code } = terms;
  const minted = await mintAccessToken(access, client.accessToken.type, dependencies);
  const idToken = access.scopes.includes("openid")
    ? await signIdToken({ access, accessText: minted.text, grant, nonce: code?.nonce }, dependencies)
    : undefined;
  return {
    ...minted,
    token: access,
    ...(client.grantTypes.includes("refresh_token") && mintRefreshToken(terms, dependencies)),
    ...(idToken !== undefined && { idToken }),
  };
}

/** In the shard of the chain, and alive as long as the chain can be. */
function mintRefreshToken(
  { grant: { chainId, expiresAt }, refreshScopes: scopes }: ChainTokenTerms,
  { configuration, random }: Dependencies,
): Required<Pick<ChainTokens, "refreshToken" | "refreshText">> {
  const shard = chainShard(chainId);
  if (shard === undefined) throw new Error("the chain's id tells no shard");
  const { region } = oidcProviderOf(configuration().configuration);
  const { text, reference } = mintToken(region, shard, random, "refresh");
  return { refreshToken: { reference, record: { scopes, expiresAt } }, refreshText: text };
}

/** @param refreshToken in place of the one that was made */
export function chainResponse(
  { text, token: { issuedAt, expiresAt, scopes }, refreshText, idToken }: ChainTokens,
  refreshToken: string | undefined = refreshText,
): TokenResponse {
  return {
    access_token: text,
    token_type: "Bearer",
    expires_in: Math.floor((expiresAt - issuedAt) / 1_000),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(idToken !== undefined && { id_token: idToken }),
  };
}
