import type { Dependencies } from "../dependencies.ts";
import { oidcProviderOf } from "../oauth/provider.ts";
import type { StoredToken, TokenRecord } from "../stores/tokens.ts";
import { introspectToken } from "./introspection.ts";
import { claimsOfToken, tokenOfClaims } from "./jwt-claims.ts";
import { mintToken } from "./opaque.ts";
import { chainShard } from "./sharding.ts";

/** An access token that is made and not yet recorded. */
export interface MintedAccessToken {
  /** Goes to the client and nowhere else. */
  readonly text: string;
  /** What the store has to keep: present when the token is opaque. */
  readonly stored?: StoredToken;
}

type Needed = Pick<Dependencies, "stores" | "clock" | "configuration" | "keyRing">;

/** Makes an access token in the shard of its chain: opaque (D9), or a JWT (RFC 9068) that says all that the record does. */
export async function mintAccessToken(
  token: TokenRecord,
  type: "opaque" | "jwt",
  { configuration, keyRing, random }: Pick<Dependencies, "configuration" | "keyRing" | "random">,
): Promise<MintedAccessToken> {
  const { issuer, region } = oidcProviderOf(configuration().configuration);
  const shard = chainShard(token.chainId);
  if (shard === undefined) throw new Error("the chain's id tells no shard");
  if (type === "jwt") return { text: await keyRing.sign(claimsOfToken(token, issuer), "at+jwt") };
  const { text, reference } = mintToken(region, shard, random);
  return { text, stored: { reference, token } };
}

/**
 * The record of an active access token of ours, opaque or JWT, whomever it is for. Undefined for everything else, without
 * telling which: not a token, another region's, unknown, forged, expired, or anything of its lineage ended.
 */
export async function activeToken(text: string, dependencies: Needed): Promise<TokenRecord | undefined> {
  const token = await tokenToExchange(text, dependencies);
  return token === undefined || !isJwt(text) || (await isLive(token, dependencies)) ? token : undefined;
}

/**
 * The same for whoever exchanges the token at once: what of a JWT's lineage is ended is not looked up, since
 * `tokens.exchange` refuses it.
 */
export async function tokenToExchange(text: string, dependencies: Needed): Promise<TokenRecord | undefined> {
  return isJwt(text) ? unexpiredJwt(text, dependencies) : introspectToken(text, dependencies);
}

/** No opaque token has a dot. */
function isJwt(text: string): boolean {
  return text.includes(".");
}

async function unexpiredJwt(text: string, { configuration, keyRing, clock }: Needed): Promise<TokenRecord | undefined> {
  const { oidcProvider } = configuration().configuration;
  if (oidcProvider === undefined || text.length > MAX_LENGTH) return undefined;
  const claims = await keyRing.verify(text, "at+jwt");
  const token = claims && tokenOfClaims(claims, oidcProvider.issuer);
  return token === undefined || clock.now() >= token.expiresAt ? undefined : token;
}

function isLive(
  { chainId, tokenId, consentId, apiClientId, ancestors }: TokenRecord,
  { stores }: Pick<Dependencies, "stores">,
): Promise<boolean> {
  return stores.tokens.isLive({ chainId, tokenId, consentId, apiClientId, ancestors });
}

/** Far beyond ours, so that nothing of great length is hashed or parsed. */
const MAX_LENGTH = 32_768;
